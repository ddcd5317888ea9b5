import { isObject } from '@engine/expression'
import { endingOf, readRuleFile } from '@engine/rule-file'
import { decodeRuleset, type Fault, type Ruleset } from '@engine/ruleset'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, contentOf } from '../files.ts'
import { ToolError } from '../tool.ts'

/** A rule file, decoded as far as it goes. */
export interface CheckedFile {
  readonly path: string
  /** Undefined: it is none; `problems` say why. */
  readonly ruleset: Ruleset | undefined
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
}

/** Something about a file, with its place where there is one. */
export type Problem = Pick<Fault, 'path' | 'message' | 'line' | 'column' | 'suggestion'>

/**
 * The rule files among paths, in their order. A folder stands for the rulesets below it: files of other kinds, those that
 * are hidden, and `node_modules` are passed over. A file that is named is checked whatever is in it. Throws `ToolError`.
 */
export async function findRuleFiles(paths: readonly string[]): Promise<readonly CheckedFile[]> {
  const files: CheckedFile[] = []
  for (const path of paths) {
    const found = await stat(path).catch((cause: unknown) => {
      throw new ToolError(`${path}: cannot be read (${codeOf(cause)})`)
    })
    if (!found.isDirectory()) files.push(await checked(path))
    else for (const file of await filesBelow(path)) if (await looksLikeRuleset(file)) files.push(await checked(file))
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
async function looksLikeRuleset(path: string): Promise<boolean> {
  if (path.endsWith('.engine')) return true
  const read = readRuleFile(path, await contentOf(path))
  // What cannot be read may be a ruleset with a mistake.
  if ('reason' in read) return true
  const { document } = read
  return isObject(document) && ('steps' in document || 'entry_step' in document)
}

async function checked(path: string): Promise<CheckedFile> {
  const nothing = { path, ruleset: undefined, warnings: [] }
  if (endingOf(path) === undefined)
    return { ...nothing, problems: [{ path: '', message: 'it is no rule file by its name' }] }
  const read = readRuleFile(path, await contentOf(path))
  if ('reason' in read) return { ...nothing, problems: [{ path: '', message: read.reason }] }
  const { ruleset, problems, warnings } = decodeRuleset(read.document, { text: read.text })
  return { path, ruleset, problems, warnings }
}
