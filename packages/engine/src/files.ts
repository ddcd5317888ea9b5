import { convertDraftDocument, isDraft } from '@engine/authoring'
import { isObject, quote, quoteCode, stringifyJson, type Value } from '@engine/expression'
import { ENDINGS, endingOf, isCompanion, positionInReason, problemsInFile, readRuleFile } from '@engine/rule-file'
import { decodeRuleset } from '@engine/ruleset'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A reason why a rule file cannot be used. */
export interface RuleFileProblem {
  readonly file: string
  /** JSON pointer; empty for the file as a whole. */
  readonly path: string
  readonly message: string
  /** One-based place in the file, with `column` in UTF-16 units. Absent in compiled files. */
  readonly line?: number
  readonly column?: number
}

/** Rule files cannot be used. The message has a line for each problem: file, line, column and reason. */
export class RuleFileError extends Error {
  override readonly name = 'RuleFileError'
  readonly problems: readonly RuleFileProblem[]
  constructor(problems: readonly RuleFileProblem[]) {
    super(problems.map(lineOf).join('\n'))
    this.problems = problems
  }
}

/**
 * Reads the rulesets of a rule file, or of all rule files in a folder. Returns JSON texts for `createEngine`, because texts keep
 * all digits of numbers. A rule file contains a ruleset or a draft of the editor as JSON or YAML, or a compiled ruleset
 * (`.engine`). In a folder, hidden files, sub-folders, cases and contracts are ignored. Signatures are not verified.
 *
 * Rejects with `RuleFileError` for invalid rule files and for two files with the same ruleset, and with the error of `node:fs`
 * for a path that cannot be read. Linear in the size of the files.
 */
export async function readRulesets(path: string): Promise<readonly string[]> {
  const isFolder = (await stat(path)).isDirectory()
  const files = isFolder ? await ruleFilesIn(path) : [path]
  const problems: RuleFileProblem[] = []
  const texts: string[] = []
  const holders = new Map<string, string>()
  for (const file of files) {
    const read = rulesetIn(file, await readFile(file), isFolder)
    if (read === undefined) continue
    if ('problems' in read) {
      problems.push(...read.problems)
      continue
    }
    const holder = holders.get(read.name)
    if (holder === undefined) holders.set(read.name, file)
    else problems.push(whole(file, `${quote(holder)} holds the ruleset ${quote(read.name)} too`))
    texts.push(read.text)
  }
  if (problems.length > 0) throw new RuleFileError(problems)
  return texts
}

async function ruleFilesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.') && endingOf(entry.name) !== undefined)
    .map(({ name }) => join(folder, name))
    .toSorted((left, right) => (left < right ? -1 : 1))
}

type RulesetIn =
  | { readonly name: string; readonly text: string }
  | { readonly problems: readonly RuleFileProblem[] }
  | undefined

/** Undefined if the file is a companion of a rule file. */
function rulesetIn(file: string, bytes: Buffer, mayBeCompanion: boolean): RulesetIn {
  const ending = endingOf(file)
  if (ending === undefined)
    return { problems: [whole(file, `the name of a rule file ends with one of ${ENDINGS.join(', ')}`)] }
  const read = readRuleFile(file, bytes)
  if (mayBeCompanion && isCompanion(file, read)) return undefined
  if ('reason' in read) return { problems: [{ ...whole(file, read.reason), ...positionInReason(read.reason) }] }
  const { document, problems } = converted(read.document)
  const decoded = document === undefined ? undefined : decodeRuleset(document)
  if (document !== undefined && decoded?.ruleset !== undefined)
    return { name: decoded.ruleset.config.name, text: stringifyJson(document) }
  const found = decoded?.problems ?? problems
  if (ending === '.engine') return { problems: found.map(({ path, message }) => ({ file, path, message })) }
  const located = found.map(({ path, message, line, column }) => ({ file, path, message, line, column }))
  return { problems: problemsInFile(file, bytes.toString('utf8'), located) }
}

/** The document in engine format; undefined for a draft with problems. */
function converted(document: Value) {
  if (!isObject(document) || !isDraft(document)) return { document, problems: [] }
  const { ruleset, problems } = convertDraftDocument(document)
  return { document: ruleset, problems: problems.filter(({ severity }) => severity === 'error') }
}

const whole = (file: string, message: string): RuleFileProblem => ({ file, path: '', message })

function lineOf({ file, path, message, line, column }: RuleFileProblem): string {
  const place = line === undefined || column === undefined ? file : `${file}:${line}:${column}`
  return `${place}: ${path === '' ? '' : `${quoteCode(path)} `}${message}`
}
