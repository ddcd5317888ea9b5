import { isMissing } from './disk.ts'
import { isObject, quote } from '@engine/expression'
import { startingStore } from './start-failure.ts'
import { readRuleFile } from '@engine/rule-file'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '@engine/process'
import type { Decode } from './rule-file-reader.ts'
import type { SeedRecord } from './seed-record.ts'
import { type Store, type StoredRuleset, storedRuleset } from './store.ts'
import { nameKey } from './table.ts'

/** Possible names of the file that holds the ruleset of a folder. */
const FILES = ['ruleset.json', 'ruleset.yaml', 'ruleset.yml'] as const

/**
 * Store the rulesets of `<directory>/*` in a new store. Does nothing if anything was stored before, so that changes and
 * deletions are preserved. All rulesets are checked before the first one is stored: if one is invalid, the start fails
 * and the store stays new. An interrupted seeding is completed by the next start. Rejects with a `StartError` that
 * names the file at fault.
 *
 * @param record undefined for a store in memory
 */
export async function seed(
  store: Store,
  directory: string,
  decode: Decode,
  record: SeedRecord | undefined,
): Promise<void> {
  const folders = await foldersOf(directory)
  await startingStore('--seed-dir', directory, async () => {
    const state = (await record?.read()) ?? 'none'
    if (state === 'done' || (state === 'none' && !store.isNew)) return
    const rulesets = await rulesetsIn(directory, folders, decode)
    // A directory without seeds may get some before the next start.
    if (rulesets.length === 0) return
    await record?.write('begun')
    for (const { ruleset, path } of rulesets)
      if (store.get(ruleset.name) === undefined) await startingStore(path, path, () => store.put(ruleset))
    await record?.write('done')
  })
}

interface Seed {
  readonly ruleset: StoredRuleset
  readonly path: string
}

async function rulesetsIn(directory: string, folders: readonly string[], decode: Decode): Promise<readonly Seed[]> {
  const rulesets = new Map<string, Seed>()
  for (const folder of folders) {
    const found = await rulesetIn(join(directory, folder))
    if (found === undefined) continue
    const ruleset = await startingStore(found.path, found.path, () => checked(found, decode))
    const key = nameKey(ruleset.name)
    const other = rulesets.get(key)
    if (other !== undefined)
      throw new StartError(`${found.path}: ${other.path} has the name ${quote(other.ruleset.name)} too`)
    rulesets.set(key, { ruleset, path: found.path })
  }
  return [...rulesets.values()]
}

async function checked({ path, bytes }: { path: string; bytes: Uint8Array }, decode: Decode): Promise<StoredRuleset> {
  const read = readRuleFile(path, bytes)
  if ('reason' in read) throw new StartError(`${path}: ${read.reason}`)
  const { faults, storing } = await decode(read.document, read.text)
  const [fault] = faults
  if (fault !== undefined || !isObject(read.document)) throw new StartError(`${path}: ${fault ?? 'it holds no object'}`)
  const ruleset = storedRuleset(read.document)
  storing?.(ruleset)
  return ruleset
}

async function foldersOf(directory: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort()
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new StartError(`--seed-dir: ${directory} cannot be read (${reason})`)
  }
}

async function rulesetIn(folder: string): Promise<{ path: string; bytes: Uint8Array } | undefined> {
  for (const file of FILES) {
    const path = join(folder, file)
    try {
      return { path, bytes: await readFile(path) }
    } catch (cause) {
      if (!isMissing(cause)) throw new StartError(`${path} cannot be read`)
    }
  }
  return undefined
}
