import { ARCHIVE_PATHS } from '@engine/authoring'
import { isObject, type Value } from '@engine/expression'
import { endingOf, readRuleFile, type ReadRuleFile } from '@engine/rule-file'
import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, contentOf, decodeRuleFile, type DecodedRuleFile } from '../files.ts'
import { ToolError } from '../tool.ts'
import type { ProjectFolder } from './project.ts'

/** A rule file to be checked. */
export interface CheckedFile extends DecodedRuleFile {
  readonly path: string
  /** Undefined: the file cannot be read. */
  readonly document: Value | undefined
  /** Only for a JSON file. */
  readonly text: string | undefined
}

export interface FoundFiles {
  readonly files: readonly CheckedFile[]
  /** Folders that a platform has exported: their files are no rule files. */
  readonly projects: readonly ProjectFolder[]
}

/**
 * The rule files among paths, in their order. A folder stands for the rulesets and projects below it: files of other kinds,
 * those that are hidden, and `node_modules` are passed over. A file that is named is checked whatever is in it. Throws
 * `ToolError`.
 */
export async function findRuleFiles(paths: readonly string[]): Promise<FoundFiles> {
  const files: CheckedFile[] = []
  const projects: ProjectFolder[] = []
  const add = (path: string, read: ReadRuleFile) => {
    const { document, text } = 'reason' in read ? { document: undefined, text: undefined } : read
    files.push({ path, document, text, ...decodeRuleFile(read) })
  }
  for (const path of paths) {
    const found = await stat(path).catch((cause: unknown) => {
      throw new ToolError(`${path}: cannot be read (${codeOf(cause)})`)
    })
    if (!found.isDirectory()) {
      add(path, await readNamed(path))
      continue
    }
    for (const file of await filesBelow(path, projects)) {
      const read = await readNamed(file)
      if (looksLikeRuleset(file, read)) add(file, read)
    }
  }
  return { files, projects }
}

/** `rules/limit.json` has its cases in `rules/limit.cases.json`. */
export function casesPath(path: string): string {
  return `${path.slice(0, -(endingOf(path)?.length ?? 0))}.cases.json`
}

/** Rule files below a folder; those of projects are added to `projects`. */
async function filesBelow(directory: string, projects: ProjectFolder[]): Promise<readonly string[]> {
  const entries = await entriesOf(directory)
  const has = (wanted: string) => entries.some(({ name }) => name === wanted)
  if (has(ARCHIVE_PATHS.project) && has('rulesets')) {
    projects.push({ folder: directory, files: await documentsBelow(directory) })
    return []
  }
  const files: string[] = []
  for (const entry of entries) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) files.push(...(await filesBelow(path, projects)))
    else if (endingOf(entry.name) !== undefined && !entry.name.endsWith('.cases.json')) files.push(path)
  }
  return files
}

async function documentsBelow(directory: string): Promise<readonly string[]> {
  const files: string[] = []
  for (const entry of await entriesOf(directory)) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) files.push(...(await documentsBelow(path)))
    else if (/\.(json|yaml)$/.test(entry.name)) files.push(path)
  }
  return files
}

async function entriesOf(directory: string): Promise<readonly Dirent[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  return entries
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
}

/** In a folder of rulesets there may be other JSON: a package, a contract, data. */
function looksLikeRuleset(path: string, read: ReadRuleFile): boolean {
  // An unreadable file may be a ruleset with a mistake.
  if (path.endsWith('.engine') || 'reason' in read) return true
  const { document } = read
  return isObject(document) && ('steps' in document || 'entry_step' in document)
}

async function readNamed(path: string): Promise<ReadRuleFile> {
  if (endingOf(path) === undefined) return { reason: 'it does not have the name of a rule file' }
  return readRuleFile(path, await contentOf(path))
}
