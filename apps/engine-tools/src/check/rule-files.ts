import { isObject, type Value } from '@engine/expression'
import { endingOf, readRuleFile, type ReadRuleFile } from '@engine/rule-file'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, contentOf, decodeRuleFile, type DecodedRuleFile } from '../files.ts'
import { ToolError } from '../tool.ts'

/** A rule file to be checked. */
export interface CheckedFile extends DecodedRuleFile {
  readonly path: string
  /** Undefined: the file cannot be read. */
  readonly document: Value | undefined
  /** Of a JSON file. */
  readonly text: string | undefined
}

/**
 * The rule files among paths, in their order. A folder stands for the rulesets below it: files of other kinds, those that
 * are hidden, and `node_modules` are passed over. A file that is named is checked whatever is in it. Throws `ToolError`.
 */
export async function findRuleFiles(paths: readonly string[]): Promise<readonly CheckedFile[]> {
  const files: CheckedFile[] = []
  const add = (path: string, read: ReadRuleFile) => {
    const { document, text } = 'reason' in read ? { document: undefined, text: undefined } : read
    files.push({ path, document, text, ...decodeRuleFile(read) })
  }
  for (const path of paths) {
    const found = await stat(path).catch((cause: unknown) => {
      throw new ToolError(`${path}: cannot be read (${codeOf(cause)})`)
    })
    if (found.isDirectory())
      for (const file of await filesBelow(path)) {
        const read = await readNamed(file)
        if (looksLikeRuleset(file, read)) add(file, read)
      }
    else add(path, await readNamed(path))
  }
  return files
}

/** `rules/limit.json` has its cases in `rules/limit.cases.json`. */
export function casesPath(path: string): string {
  return `${path.slice(0, -(endingOf(path)?.length ?? 0))}.cases.json`
}

async function filesBelow(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  const files: string[] = []
  for (const entry of entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    const { name } = entry
    const path = join(directory, name)
    if (name.startsWith('.') || name === 'node_modules') continue
    if (entry.isDirectory()) files.push(...(await filesBelow(path)))
    else if (endingOf(name) !== undefined && !name.endsWith('.cases.json')) files.push(path)
  }
  return files
}

/** In a folder of rulesets there may be other JSON: a package, a contract, data. */
function looksLikeRuleset(path: string, read: ReadRuleFile): boolean {
  // An unreadable file may be a ruleset with a mistake.
  if (path.endsWith('.engine') || 'reason' in read) return true
  const { document } = read
  return isObject(document) && ('steps' in document || 'entry_step' in document)
}

async function readNamed(path: string): Promise<ReadRuleFile> {
  if (endingOf(path) === undefined) return { reason: 'it is no rule file by its name' }
  return readRuleFile(path, await contentOf(path))
}
