import { quote } from '@engine/expression'
import { ENDINGS, endingOf, isCompanion } from '@engine/rule-file'
import { refuseName } from '@engine/ruleset'
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readError } from '../files.ts'
import type { Problem } from '../problem.ts'
import { type CheckedFile, checkedFile } from './checked-file.ts'
import { type FoundFiles, readNamed } from './rule-files.ts'

/** Its presence makes each sub-folder the rules directory of a tenant (docs/tenants.md). */
const TENANTS_FILE = 'tenants.json'

/**
 * The files of a rules directory as an engine loads them at its start: each must be called like its ruleset, and hold a ruleset
 * that no earlier file holds; sub-folders are those of tenants, or not served. Throws `ToolError`.
 */
export async function findServedFiles(directory: string): Promise<FoundFiles> {
  const entries = await entriesOf(directory)
  const hasTenants = entries.some(({ name }) => name === TENANTS_FILE)
  const files = [...(await servedIn(directory, entries))]
  for (const entry of entries) {
    if (!entry.isDirectory()) continue
    const folder = join(directory, entry.name)
    const inside = await servedIn(folder, await entriesOf(folder))
    files.push(...(hasTenants ? inside : inside.map((file) => refused(file, IN_FOLDER))))
  }
  return { files, projects: [] }
}

const IN_FOLDER = 'not served: an engine without tenants reads no sub-folders of its rules directory'

async function entriesOf(directory: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true })
    return entries.filter(({ name }) => !name.startsWith('.')).toSorted(byPrecedence)
  } catch (cause) {
    throw readError(directory, cause)
  }
}

/** The order in which an engine reads files: the first with the name of a ruleset is served. */
function byPrecedence({ name: left }: Dirent, { name: right }: Dirent): number {
  return rank(left) - rank(right) || (left < right ? -1 : 1)
}

const rank = (name: string) => ENDINGS.findIndex((ending) => name.endsWith(ending))

async function servedIn(directory: string, entries: readonly Dirent[]): Promise<readonly CheckedFile[]> {
  const files: CheckedFile[] = []
  const holders = new Map<string, string>()
  for (const entry of entries) {
    const { name } = entry
    if (entry.isDirectory() || name === TENANTS_FILE || endingOf(name) === undefined) continue
    const path = join(directory, name)
    if (!entry.isFile()) {
      files.push(refused({ path, ...NO_RULESET }, 'not served: it is no regular file'))
      continue
    }
    const { read, source } = await readNamed(path)
    if (isCompanion(name, read)) continue
    const file = { path, ...checkedFile(path, read, source, { isStored: true }) }
    const reason = refusalOf(name, file, holders)
    if (reason === undefined && file.ruleset !== undefined) holders.set(keyOf(file.ruleset.config.name), name)
    files.push(reason === undefined ? file : refused(file, reason))
  }
  return files
}

const NO_RULESET = { document: undefined, text: undefined, problems: [], warnings: [], tolerated: [] }

/** On disks that do not distinguish upper and lower case, such names are the same file. */
const keyOf = (name: string) => name.toLowerCase()

/** Why an engine does not serve the ruleset of a file. */
function refusalOf(file: string, { ruleset }: CheckedFile, holders: ReadonlyMap<string, string>): string | undefined {
  if (ruleset === undefined) return undefined
  const { name } = ruleset.config
  const fault = refuseName(name)
  if (fault !== undefined) return `not served: ${quote(name)} cannot be stored: ${fault}`
  if (file.slice(0, -(endingOf(file)?.length ?? 0)) !== name)
    return `not served: the file must be called like the ruleset in it, ${quote(name)}`
  const holder = holders.get(keyOf(name))
  return holder === undefined ? undefined : `not served: ${quote(holder)} holds the ruleset of this name`
}

function refused({ ruleset: _ruleset, ...file }: CheckedFile, message: string): CheckedFile {
  const problem: Problem = { path: '', message }
  return { ...file, problems: [...file.problems, problem] }
}
