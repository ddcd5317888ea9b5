import { join } from 'node:path'
import { within, LATE } from '../deadline.ts'
import type { Disk } from './disk.ts'
import { attempt, DIRECTORY_MODE, isTemporary, moveDurably, unlinkIfThere, writeTemporary } from './files.ts'
import { indentJson } from './json-text.ts'
import { type Decode, loadDirectory } from './load.ts'
import { diskFailure, notWritable, noTurn, slowDisk } from './problems.ts'
import { type PutResult, type RejectedFile, type Store, type StoredRuleset, type StoreLog } from './store.ts'
import { createTable, nameKey, type Table } from './table.ts'
import { createHistory, type History } from './history.ts'
import { createWriteQueue } from './write-queue.ts'

/** Writes of different rulesets that go on at the same time. */
const MOST_WRITES = 16

export interface DirectoryOptions {
  /** As it was given. */
  readonly rulesDirectory: string
  /** Versions kept of each ruleset. */
  readonly maxVersions: number
  readonly disk: Disk
  /** Why a document is no ruleset; empty when it is one. */
  readonly decode: Decode
  readonly log: StoreLog
  /** Epoch milliseconds. */
  readonly now: () => number
}

/**
 * A store that keeps one file a ruleset, `<name>.json`, and replaced contents under `.versions/<name>/` (specification
 * 9.2). A write is a temporary file, synced, renamed, and its directory synced, before memory changes; the version is
 * there before the new content is. Rejects with a `StoreError` when the directory cannot be used.
 */
export async function openDirectoryStore(options: DirectoryOptions): Promise<Store> {
  const { disk, rulesDirectory, log } = options
  await disk.makeDirectory(rulesDirectory, DIRECTORY_MODE)
  const entries = await disk.list(rulesDirectory)
  // What a crash left half-written was never acknowledged.
  for (const { name } of entries) if (isTemporary(name)) await attempt(() => disk.unlink(join(rulesDirectory, name)))
  const { rulesets, rejected } = await loadDirectory(disk, rulesDirectory, entries, options.decode)
  for (const { file, reason } of rejected) log.error({ file, reason }, 'a rule file is not served')
  const table = createTable()
  const files = new Map<string, string>()
  for (const { ruleset, file } of rulesets) {
    table.set(ruleset)
    files.set(ruleset.name, file)
  }
  return new DirectoryStore(options, table, files, rejected)
}

class DirectoryStore implements Store {
  readonly mode = 'persistent'
  readonly rulesDirectory: string
  readonly rejected: readonly RejectedFile[]
  readonly #options: DirectoryOptions
  readonly #disk: Disk
  readonly #table: Table
  /** The file that holds each ruleset. */
  readonly #files: Map<string, string>
  readonly #history: History
  readonly #queue = createWriteQueue(MOST_WRITES)

  constructor(options: DirectoryOptions, table: Table, files: Map<string, string>, rejected: readonly RejectedFile[]) {
    this.rulesDirectory = options.rulesDirectory
    this.rejected = rejected
    this.#options = options
    this.#disk = options.disk
    this.#table = table
    this.#files = files
    this.#history = createHistory(options)
  }

  get size(): number {
    return this.#table.size
  }

  list(): IterableIterator<StoredRuleset> {
    return this.#table.all()
  }

  get(name: string): StoredRuleset | undefined {
    return this.#table.get(name)
  }

  put(ruleset: StoredRuleset): Promise<PutResult> {
    return this.#queue.run(nameKey(ruleset.name), () => this.#put(ruleset))
  }

  replace(ruleset: StoredRuleset): Promise<StoredRuleset | undefined> {
    return this.#queue.run(nameKey(ruleset.name), async () =>
      this.get(ruleset.name) === undefined ? undefined : (await this.#put(ruleset)).previous,
    )
  }

  delete(name: string): Promise<StoredRuleset | undefined> {
    return this.#queue.run(nameKey(name), () => this.#delete(name))
  }

  versions(name: string) {
    return this.#queue.run(nameKey(name), () => this.#history.list(name))
  }

  version(name: string, seq: number): Promise<StoredRuleset | undefined> {
    return this.#queue.run(nameKey(name), () => this.#history.read(name, seq))
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async probe(timeoutMs: number) {
    if (!(await this.#queue.hasTurn(timeoutMs))) return noTurn(timeoutMs)
    try {
      const done = await within(
        timeoutMs,
        this.#writeProbe().then(() => true),
      )
      return done === LATE ? slowDisk(timeoutMs) : ({ ok: true } as const)
    } catch (cause) {
      return notWritable(cause)
    }
  }

  async #writeProbe(): Promise<void> {
    const path = join(this.rulesDirectory, '.health_probe')
    const temporary = await writeTemporary(this.#disk, this.rulesDirectory, 'health_probe', 'ok\n')
    await moveDurably(this.#disk, temporary, path)
  }

  async #put(ruleset: StoredRuleset): Promise<PutResult> {
    const { name } = ruleset
    this.#table.assertFree(name)
    const previous = this.get(name)
    const undo = previous === undefined ? undefined : await this.#saveVersion(previous)
    try {
      await this.#write(ruleset)
    } catch (cause) {
      await undo?.()
      throw await this.#failed(name, 'stored', previous, cause)
    }
    this.#table.set(ruleset)
    await this.#replaceFile(name, `${name}.json`)
    await this.#history.prune(name)
    return { status: previous === undefined ? 'created' : 'updated', previous }
  }

  async #saveVersion(previous: StoredRuleset): Promise<() => Promise<void>> {
    try {
      return await this.#history.save(previous)
    } catch (cause) {
      throw diskFailure(previous.name, 'stored', cause)
    }
  }

  async #write({ name, text }: StoredRuleset): Promise<void> {
    const temporary = await writeTemporary(this.#disk, this.rulesDirectory, `${name}.json`, indentJson(text))
    await moveDurably(this.#disk, temporary, join(this.rulesDirectory, `${name}.json`))
  }

  /** A ruleset that came from YAML lives in JSON once it was changed here; at a start in between, JSON wins. */
  async #replaceFile(name: string, file: string): Promise<void> {
    const before = this.#files.get(name)
    this.#files.set(name, file)
    if (before !== undefined && before !== file)
      await attempt(() => unlinkIfThere(this.#disk, join(this.rulesDirectory, before)))
  }

  async #delete(name: string): Promise<StoredRuleset | undefined> {
    const previous = this.get(name)
    const file = this.#files.get(name)
    if (previous === undefined || file === undefined) return undefined
    try {
      await unlinkIfThere(this.#disk, join(this.rulesDirectory, file))
      await this.#disk.syncDirectory(this.rulesDirectory)
    } catch (cause) {
      throw await this.#failed(name, 'deleted', previous, cause)
    }
    this.#table.remove(name)
    this.#files.delete(name)
    return previous
  }

  /**
   * The error of a write that failed, after putting back what was there. A rename may have happened and only its
   * durability failed: then the old content is written again. When even that fails, memory follows what is on disk, so
   * that both say the same and a restart changes nothing.
   */
  async #failed(name: string, done: string, previous: StoredRuleset | undefined, cause: unknown): Promise<Error> {
    const path = join(this.rulesDirectory, `${name}.json`)
    const isBack = await attempt(async () => {
      if (previous === undefined) await unlinkIfThere(this.#disk, path)
      else if (!(await this.#isOnDisk(previous))) await this.#write(previous)
    })
    if (!isBack) this.#options.log.error({ ruleset: name, err: cause }, 'a failed write could not be undone')
    return diskFailure(name, done, cause)
  }

  async #isOnDisk({ name, text }: StoredRuleset): Promise<boolean> {
    const file = this.#files.get(name) ?? `${name}.json`
    const path = join(this.rulesDirectory, file)
    if ((await this.#disk.kind(path)) === 'absent') return false
    const content = await this.#disk.read(path, Number.MAX_SAFE_INTEGER)
    if (content.kind !== 'bytes') return false
    return !file.endsWith('.json') || Buffer.from(content.bytes).toString('utf8') === indentJson(text)
  }
}
