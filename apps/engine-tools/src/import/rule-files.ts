import { convertDraft } from '@engine/authoring'
import { makeFunction, stringifyJson, type Value } from '@engine/expression'
import { importReport, type ImportReport, type ReportedDocument } from '@engine/interchange'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, makeDirectory, replaceFile, writeError, verifiedRuleFile } from '../files.ts'
import { ToolError } from '../tool.ts'

/** A file to be written. */
interface NewFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The report of imported documents, and the files of those that are not refused: rulesets, cases and contracts. */
export async function ruleFilesOf(
  documents: readonly ReportedDocument[],
): Promise<{ readonly report: ImportReport; readonly files: readonly NewFile[] }> {
  const unique = withUniqueNames(documents)
  const host = { now: Date.now, monotonic: () => performance.now(), makeFunction }
  const report = await importReport(unique, host)
  const files = unique.flatMap(({ imported }, index) =>
    report.documents[index]?.verdict === 'refused' ? [] : imported.rulesets.flatMap(filesOf),
  )
  return { report, files }
}

/** Documents of one name in several folders give rulesets `name`, `name-2`. */
function withUniqueNames(documents: readonly ReportedDocument[]): readonly ReportedDocument[] {
  const taken = new Set<string>()
  return documents.map(({ document, imported }) => {
    const rulesets = imported.rulesets.map((one) => {
      let name = one.name
      for (let number = 2; taken.has(name); number++) name = `${one.name}-${number}`
      taken.add(name)
      if (name === one.name) return one
      const { contract } = one
      const ruleset = { ...one.ruleset, config: { ...one.ruleset.config, name } }
      return { ...one, name, ruleset, ...(contract && { contract: { ...contract, name } }) }
    })
    return { document, imported: { ...imported, rulesets } }
  })
}

function filesOf({ name, ruleset, cases, contract }: ReportedDocument['imported']['rulesets'][number]): NewFile[] {
  const { ruleset: document, problems } = convertDraft(ruleset)
  if (document === undefined)
    throw new ToolError(`${name}: ${problems.find(({ severity }) => severity === 'error')?.message ?? 'not a ruleset'}`)
  const files: NewFile[] = [{ name: `${name}.json`, bytes: verifiedRuleFile(name, '.json', document) }]
  if (cases !== undefined) files.push({ name: `${name}.cases.json`, bytes: Buffer.from(`${stringifyJson(cases)}\n`) })
  if (contract !== undefined) files.push({ name: `${name}.contract.json`, bytes: textOf(contract) })
  return files
}

const textOf = (value: Value) => Buffer.from(`${stringifyJson(value)}\n`)

/** Writes files that do not exist yet. Throws `ToolError` before the first one when one of them does. */
export async function writeRuleFiles(folder: string, files: readonly NewFile[]): Promise<void> {
  for (const { name } of files)
    if (await exists(join(folder, name)))
      throw new ToolError(`${join(folder, name)} exists already: choose another folder, or delete it`)
  try {
    await makeDirectory(folder)
  } catch (cause) {
    throw writeError(folder, cause)
  }
  for (const { name, bytes } of files) await replaceFile(join(folder, name), bytes)
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (cause: unknown) => codeOf(cause) !== 'ENOENT' && codeOf(cause) !== 'ENOTDIR',
  )
}
