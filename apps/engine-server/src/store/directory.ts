import { join } from 'node:path'
import { ENDINGS } from '@engine/rule-file'
import { within, TIMED_OUT } from '@engine/process'
import { ruleFileOf, VERSIONS } from './paths.ts'
import { createCurrentFiles, type CurrentFiles, type Outcome } from './current-files.ts'
import type { Disk, Entry } from './disk.ts'
import {
  attempt,
  isTemporary,
  LOCK,
  LOCK_OWNER,
  makeDirectoryDurably,
  moveDurably,
  PROBE,
  removeLeftovers,
  writeTemporary,
} from './durable-files.ts'
import { createHistory, type History } from './history.ts'
import { type Decode, loadDirectory } from './rule-file-reader.ts'
import { diskFailure, isDiskFailure, notOurDirectory, notWritable, noTurn, slowDisk, unsettled } from './errors.ts'
import { createRefresh } from './refresh.ts'
import { createRejections, type Rejections } from './rejections.ts'
import {
  type Accept,
  type BeforeWrite,
  type Probe,
  type PutResult,
  type Refreshed,
  type RejectedFile,
  type Store,
  type StoredRuleset,
  StoreError,
  type StoreLog,
  type VersionEntry,
} from './store.ts'
import { createTable, nameKey, type Table } from './table.ts'
import { createWriteQueue } from './write-queue.ts'

/** Maximum number of concurrent writes, each of a different ruleset. */
const MAX_CONCURRENT_WRITES = 16

export interface DirectoryOptions {
  /** The path as given. */
  readonly rulesDirectory: string
  /** Where the readiness probe writes; default: the rules directory. */
  readonly probeDirectory?: string
  /** Number of versions kept for each ruleset. */
  readonly maxVersions: number
  readonly disk: Disk
  /** Validates a document found at start. */
  readonly decode: Decode
  /** Validates a document found later, by `refresh`. */
  readonly decodeLater: Decode
  readonly log: StoreLog
  /** Epoch milliseconds. */
  readonly now: () => number
}

/**
 * A store that keeps one file per ruleset, `<name>.json`, and replaced contents in `.versions/<name>/` (specification
 * 9.2). A write creates a temporary file, syncs it, renames it and syncs its directory before memory changes; the
 * replaced version is saved before the rename. A write that fails after the rename is undone; if that fails too, memory follows the
 * disk, so that a restart changes nothing. Rejects with the system's error if the directory cannot be used, or with a
 * `StoreError` if its `.versions` is not a directory.
 */
export async function openDirectoryStore(options: DirectoryOptions): Promise<Store> {
  const { disk, rulesDirectory, log } = options
  await makeDirectoryDurably(disk, rulesDirectory)
  const entries = await disk.list(rulesDirectory)
  const versions = entries.find(({ name }) => name === VERSIONS)
  if (versions !== undefined && versions.kind !== 'directory')
    throw notOurDirectory(`\`${join(rulesDirectory, VERSIONS)}\``, versions.kind)
  await removeLeftovers(disk, rulesDirectory, entries)
  const { rulesets, rejected } = await loadDirectory(disk, rulesDirectory, entries, options.decode)
  const rejections = createRejections(rejected)
  for (const { file, reason } of rejections.list) log.error({ file, reason }, 'a rule file is not served')
  const table = createTable()
  const files = new Map<string, string>()
  for (const { ruleset, file } of rulesets) {
    table.set(ruleset)
    files.set(ruleset.name, file)
  }
  return new DirectoryStore(options, { table, files, rejections, isNew: entries.every(isOfNoStore) })
}

/** True if an entry does not indicate a store: a new volume may contain folders, such as `lost+found`. */
function isOfNoStore({ name, kind }: Entry): boolean {
  if (kind === 'directory') return name !== VERSIONS
  return name === LOCK || name === LOCK_OWNER || name === PROBE || isTemporary(name)
}

interface Found {
  readonly table: Table
  /** The file that holds each ruleset. */
  readonly files: Map<string, string>
  readonly rejections: Rejections
  readonly isNew: boolean
}

class DirectoryStore implements Store {
  readonly mode = 'persistent'
  readonly rulesDirectory: string
  readonly isNew: boolean
  readonly #rejections: Rejections
  readonly #probeDirectory: string
  readonly #log: StoreLog
  readonly #disk: Disk
  readonly #table: Table
  readonly #current: CurrentFiles
  readonly #history: History
  readonly #refresh: (name: string, accept: Accept) => Promise<Refreshed>
  readonly #queue = createWriteQueue(MAX_CONCURRENT_WRITES)
  /** The running probe: a disk that hangs needs no second one. */
  #probing: Promise<void> | undefined

  constructor(options: DirectoryOptions, { table, files, rejections, isNew }: Found) {
    const { rulesDirectory, disk, log } = options
    this.rulesDirectory = rulesDirectory
    this.#probeDirectory = options.probeDirectory ?? rulesDirectory
    this.isNew = isNew
    this.#log = log
    this.#disk = disk
    this.#table = table
    this.#rejections = rejections
    this.#current = createCurrentFiles({ rulesDirectory, disk, files, wasSetAside: this.#wasSetAside.bind(this) })
    this.#history = createHistory(options)
    this.#refresh = createRefresh({ ...options, table, files, rejections, history: this.#history })
  }

  get size(): number {
    return this.#table.size
  }

  get rejected(): readonly RejectedFile[] {
    return this.#rejections.list
  }

  list(): IterableIterator<StoredRuleset> {
    return this.#table.all()
  }

  isWithheld(name: string): boolean {
    return (
      this.get(name) === undefined && ENDINGS.some((ending) => this.#rejections.get(`${name}${ending}`) !== undefined)
    )
  }

  get(name: string): StoredRuleset | undefined {
    return this.#table.get(name)
  }

  onShown(listener: (name: string) => void): void {
    this.#table.onShown(listener)
  }

  put(ruleset: StoredRuleset, before?: BeforeWrite): Promise<PutResult> {
    return this.#queue.run(nameKey(ruleset.name), () => this.#put(ruleset, before))
  }

  replace(ruleset: StoredRuleset, before?: BeforeWrite): Promise<StoredRuleset | undefined> {
    return this.#queue.run(nameKey(ruleset.name), async () =>
      this.get(ruleset.name) === undefined ? undefined : (await this.#put(ruleset, before)).previous,
    )
  }

  delete(name: string, before?: BeforeWrite): Promise<StoredRuleset | undefined> {
    return this.#queue.run(nameKey(name), () => this.#delete(name, before))
  }

  refresh(name: string, accept: Accept = () => undefined): Promise<Refreshed> {
    return this.#queue.run(nameKey(name), () => this.#refresh(name, accept))
  }

  versions(name: string): Promise<readonly VersionEntry[]> {
    return this.#queue.run(nameKey(name), () => orFailure(name, 'read', this.#history.list(name)))
  }

  version(name: string, seq: number): Promise<StoredRuleset | undefined> {
    return this.#queue.run(nameKey(name), () => orFailure(name, 'read', this.#history.read(name, seq)))
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async probe(timeoutMs: number): Promise<Probe> {
    if (!(await this.#queue.hasTurn(timeoutMs))) return noTurn(timeoutMs)
    try {
      this.#probing ??= this.#writeProbe().finally(() => (this.#probing = undefined))
      const done = await within(timeoutMs, this.#probing)
      return done === TIMED_OUT ? slowDisk(timeoutMs) : ({ ok: true } as const)
    } catch (cause) {
      return notWritable(cause)
    }
  }

  async #writeProbe(): Promise<void> {
    const path = join(this.#probeDirectory, PROBE)
    const temporary = await writeTemporary(this.#disk, this.#probeDirectory, 'health_probe', 'ok\n')
    await moveDurably(this.#disk, temporary, path)
    await this.#disk.unlink(path)
  }

  async #put(ruleset: StoredRuleset, before?: BeforeWrite): Promise<PutResult> {
    const { name } = ruleset
    this.#table.assertFree(name)
    const previous = this.get(name)
    if (before?.(previous) === false) return { status: 'unchanged', previous }
    const saved =
      previous === undefined ? Promise.resolve(undefined) : orFailure(name, 'stored', this.#history.save(previous))
    const outcome = await this.#current.write(ruleset, saved)
    // Also when the change could not be undone: the served state equals the one after a restart.
    if (outcome.kind === 'done' || !outcome.undone) this.#table.set(ruleset)
    if (outcome.kind === 'failed') {
      this.#history.forget(name)
      throw this.#failure(name, 'stored', outcome)
    }
    this.#rejections.delete(ruleFileOf(name))
    if (previous !== undefined) await attempt(() => this.#history.prune(name))
    return { status: previous === undefined ? 'created' : 'updated', previous }
  }

  async #delete(name: string, before?: BeforeWrite): Promise<StoredRuleset | undefined> {
    const previous = this.get(name)
    if (before?.(previous) === false || previous === undefined) return undefined
    const version = await orFailure(name, 'deleted', this.#history.save(previous))
    const outcome = await this.#current.remove(name, version)
    if (outcome.kind === 'done' || !outcome.undone) this.#table.remove(name)
    if (outcome.kind === 'failed') {
      this.#history.forget(name)
      throw this.#failure(name, 'deleted', outcome)
    }
    await attempt(() => this.#history.prune(name))
    this.#history.forget(name)
    return previous
  }

  /** Throws the cause when it is a defect. */
  #failure(name: string, done: string, { cause, undone }: Outcome & { kind: 'failed' }): StoreError {
    if (undone && !isDiskFailure(cause)) throw cause
    if (undone) return diskFailure(name, done, cause)
    this.#log.error({ ruleset: name, err: cause }, 'a failed write could not be rolled back and stands')
    return unsettled(name, done, cause)
  }

  #wasSetAside(file: string, aside: string): void {
    this.#log.warn({ file, aside }, 'an unserved file blocked a change and was renamed')
    this.#rejections.delete(file)
  }
}

/** Awaits a step that changes nothing if it fails. */
async function orFailure<T>(name: string, done: string, step: Promise<T>): Promise<T> {
  try {
    return await step
  } catch (cause) {
    const passes = !isDiskFailure(cause) || (cause instanceof StoreError && cause.code !== 'disk')
    throw passes ? cause : diskFailure(name, done, cause)
  }
}
