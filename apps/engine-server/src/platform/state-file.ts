import { isObject, parseJson, stringifyJson } from '@engine/expression'
import { join } from 'node:path'
import { type Disk, isMissing } from '../store/disk.ts'
import { isTemporary, makeOwnDirectory, moveDurably, unlinkIfThere, writeTemporary } from '../store/durable-files.ts'
import type { OwnedRuleset } from './ownership.ts'

/** State that must survive a restart. */
export interface PlatformState {
  /** Id of the platform's record of this engine; undefined before registration. */
  readonly serverId: string | undefined
  /** Id of the platform's database, which a restore replaces; undefined if unknown. */
  readonly databaseId: string | undefined
  /** The applied revision; 0: request the complete state. */
  readonly revision: number
  readonly rulesets: readonly OwnedRuleset[]
}

/** Storage of the state. */
export interface StateFile {
  /** The state at the end of the previous process. */
  readonly initial: PlatformState
  /** Durable when the promise resolves. Rejects with the system's error. */
  write(state: PlatformState): Promise<void>
}

const NO_STATE: PlatformState = { serverId: undefined, databaseId: undefined, revision: 0, rulesets: [] }

/** A separate directory. Its name begins with a dot, so no rules are read from it. */
const DIRECTORY = '.platform'
const FILE = 'state.json'
/** Maximum size of the file: about 300,000 rulesets. */
const MAX_BYTES = 64 * 1024 * 1024

/** For engines without a rules directory: their rulesets end with the process, and so does this state. */
export function createMemoryState(): StateFile {
  return { initial: NO_STATE, write: async () => {} }
}

/**
 * Opens the state file of a rules directory. An unreadable file counts as missing: the complete state is requested
 * again, and content that is already stored is not stored twice. Rejects with the system's error, or with `StoreError`
 * if something else has its name.
 *
 * @param unreadable called with the reason why the file was ignored
 */
export async function openStateFile(
  disk: Disk,
  rulesDirectory: string,
  unreadable: (reason: string) => void,
): Promise<StateFile> {
  const directory = join(rulesDirectory, DIRECTORY)
  await makeOwnDirectory(disk, directory, `\`${directory}\``)
  for (const { name } of await disk.list(directory))
    if (isTemporary(name)) await unlinkIfThere(disk, join(directory, name))
  const path = join(directory, FILE)
  const initial = (await read(disk, path, unreadable)) ?? NO_STATE
  return {
    initial,
    async write({ serverId, databaseId, revision, rulesets }) {
      const text = stringifyJson({
        server_id: serverId ?? null,
        ...(databaseId === undefined ? {} : { database_id: databaseId }),
        revision,
        rulesets,
      })
      await moveDurably(disk, await writeTemporary(disk, directory, FILE, `${text}\n`), path)
    },
  }
}

async function read(
  disk: Disk,
  path: string,
  unreadable: (reason: string) => void,
): Promise<PlatformState | undefined> {
  try {
    const content = await disk.read(path, MAX_BYTES)
    const state = content.kind === 'bytes' ? stateOf(Buffer.from(content.bytes).toString('utf8')) : content.reason
    if (typeof state !== 'string') return state
    unreadable(state)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  return undefined
}

/** Parses the state; returns the reason if the text is invalid. */
function stateOf(text: string): PlatformState | string {
  const parsed = parseJson(text, { duplicateKeys: 'refuse' })
  if (parsed.kind === 'failed') return parsed.problem.message
  const {
    server_id: serverId,
    database_id: databaseId,
    revision,
    rulesets,
  } = isObject(parsed.value) ? parsed.value : {}
  if (serverId !== null && typeof serverId !== 'string') return '`server_id` is no text'
  if (databaseId !== undefined && typeof databaseId !== 'string') return '`database_id` is no text'
  if (typeof revision !== 'number') return '`revision` is no number'
  if (!Array.isArray(rulesets) || !rulesets.every(isOwned)) return '`rulesets` is no list of rulesets'
  return { serverId: serverId ?? undefined, databaseId, revision, rulesets }
}

function isOwned(value: unknown): value is OwnedRuleset {
  if (!isObject(value)) return false
  const { tenant, name, digest } = value
  return typeof tenant === 'string' && typeof name === 'string' && typeof digest === 'string'
}
