import { type Disk, isMissing } from './disk.ts'
import { StoreError, type StoredRuleset, type VersionEntry } from './store.ts'
import { createVersionFiles, type VersionFiles } from './version-files.ts'

/**
 * Replaced and deleted contents, in files `.versions/<name>/v<seq>_<unix_timestamp>.json` (specification 9.2). Members
 * reject with the system's error, or with a `StoreError` when a directory is a link or a file.
 */
export interface History {
  /** Saves content that is about to be replaced or deleted. Returns the path of the copy. */
  save(ruleset: StoredRuleset): Promise<string>
  /** Discards the cached versions of a name: its last copy was removed, or the ruleset was deleted. */
  forget(name: string): void
  /** Newest first. */
  list(name: string): Promise<readonly VersionEntry[]>
  /**
   * Undefined if no version has this number, or its content is not a ruleset of this name. Also rejects with
   * `too-large`.
   */
  read(name: string, seq: number): Promise<StoredRuleset | undefined>
  /** Deletes the oldest versions beyond the limit, as far as the disk permits. */
  prune(name: string): Promise<void>
}

interface VersionFile {
  readonly seq: number
  /** Unix seconds. */
  readonly time: number
  readonly file: string
  /** `config.version` of the content; undefined until it is needed. */
  version?: string | undefined
}

const FILE = /^v(\d{1,15})_(\d{1,12})\.json$/

/** Latest time that fits into a file name. */
const MAX_UNIX_SECONDS = 999_999_999_999

/** Shown instead of the version of a copy that cannot be read. */
const UNREADABLE = 'unreadable'

/** The versions of each stored ruleset; the disk is read once. */
class VersionIndex {
  readonly #files: Pick<VersionFiles, 'list'>
  /** Oldest first. */
  readonly #known = new Map<string, VersionFile[]>()
  /** The highest number in use, including unreadable files. */
  readonly #taken = new Map<string, number>()

  constructor(files: Pick<VersionFiles, 'list'>) {
    this.#files = files
  }

  isKnown(name: string): boolean {
    return this.#known.has(name)
  }

  nextSeq(name: string): number {
    return (this.#taken.get(name) ?? 0) + 1
  }

  async filesOf(name: string): Promise<VersionFile[]> {
    const found = this.#known.get(name)
    if (found !== undefined) return found
    const entries = (await this.#files.list(name)).flatMap(({ name: file, kind }) => {
      const [, seq, time] = FILE.exec(file) ?? []
      return seq === undefined ? [] : [{ seq: Number(seq), time: Number(time), file, kind }]
    })
    this.#taken.set(
      name,
      entries.reduce((highest, { seq }) => Math.max(highest, seq), 0),
    )
    const files = entries
      .filter(({ kind }) => kind === 'file')
      .map(({ seq, time, file }) => ({ seq, time, file }))
      .sort((left, right) => left.seq - right.seq || left.time - right.time)
    this.#known.set(name, files)
    return files
  }

  take(name: string, seq: number): void {
    this.#taken.set(name, seq)
  }

  forget(name: string): void {
    this.#known.delete(name)
    this.#taken.delete(name)
  }
}

export function createHistory(options: {
  readonly rulesDirectory: string
  readonly maxVersions: number
  readonly disk: Disk
  readonly now: () => number
}): History {
  const { maxVersions, now } = options
  const versionFiles = createVersionFiles(options.rulesDirectory, options.disk)
  const index = new VersionIndex(versionFiles)

  /** Undefined if the content could not be restored. */
  async function versionOf(name: string, entry: VersionFile): Promise<string | undefined> {
    try {
      return (await versionFiles.read(name, entry.file))?.version
    } catch (cause) {
      if (cause instanceof StoreError && cause.code === 'too-large') return undefined
      throw cause
    }
  }

  async function saveOnce({ name, text, version }: StoredRuleset): Promise<string> {
    const files = await index.filesOf(name)
    const seq = index.nextSeq(name)
    // The file name cannot hold a time before 1970, and the number of a file that is not found would be given again.
    const time = Math.min(MAX_UNIX_SECONDS, Math.max(0, Math.floor(now() / 1000)))
    const file = `v${seq}_${time}.json`
    try {
      const path = await versionFiles.save(name, file, text, files.length === 0)
      files.push({ seq, time, file, version })
      index.take(name, seq)
      return path
    } catch (cause) {
      index.forget(name)
      throw cause
    }
  }

  return {
    async save(ruleset) {
      const isLookedAt = index.isKnown(ruleset.name)
      try {
        return await saveOnce(ruleset)
      } catch (cause) {
        // The rules directory was replaced since it was read: discard the cache.
        if (isLookedAt && isMissing(cause)) return saveOnce(ruleset)
        throw cause
      }
    },

    forget: (name) => index.forget(name),

    async list(name) {
      const files = await index.filesOf(name)
      const entries: VersionEntry[] = []
      for (const entry of files.toReversed()) {
        entry.version ??= await versionOf(name, entry)
        entries.push({
          seq: entry.seq,
          version: entry.version ?? UNREADABLE,
          timestamp: new Date(entry.time * 1000).toISOString(),
        })
      }
      return entries
    },

    async read(name, seq) {
      const entry = (await index.filesOf(name)).find((file) => file.seq === seq)
      return entry === undefined ? undefined : versionFiles.read(name, entry.file)
    },

    async prune(name) {
      const files = await index.filesOf(name)
      while (files.length > maxVersions) {
        const [oldest] = files
        if (oldest === undefined) return
        if (!(await versionFiles.delete(name, oldest.file))) return
        files.shift()
      }
    },
  }
}
