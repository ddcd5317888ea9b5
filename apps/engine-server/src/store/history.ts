import { parseJson } from '@engine/expression'
import { indentJson } from '@engine/rule-file'
import type { RulesetDocument } from '@engine/ruleset'
import { isUtf8 } from 'node:buffer'
import { dirname, join } from 'node:path'
import { type Disk, isMissing } from './disk.ts'
import { attempt, DIRECTORY_MODE, moveDurably, unlinkIfThere, writeTemporary } from './files.ts'
import { type StoredRuleset, storedRuleset, type VersionEntry } from './store.ts'

/**
 * Replaced contents, in files `.versions/<name>/v<seq>_<unix_timestamp>.json` (specification 9.2). Members reject with
 * the system's error.
 */
export interface History {
  /** Save what is about to be replaced. Gives the path of the copy. */
  save(ruleset: StoredRuleset): Promise<string>
  /** The copy that was saved last was taken back: look again at what there is. */
  forget(name: string): void
  /** Newest first. */
  list(name: string): Promise<readonly VersionEntry[]>
  /** Undefined when there is none of this number, or it is not a ruleset of this name. */
  read(name: string, seq: number): Promise<StoredRuleset | undefined>
  /** Delete the oldest beyond the limit, as far as the disk lets us. */
  prune(name: string): Promise<void>
}

interface VersionFile {
  readonly seq: number
  /** Unix seconds. */
  readonly time: number
  readonly file: string
  /** `config.version` of the content; undefined until it was needed. */
  version?: string | undefined
}

const FILE = /^v(\d{1,15})_(\d{1,12})\.json$/

/** Bytes of a version that is read: what the server accepts is smaller. */
const LARGEST = 512 * 1024 * 1024

/** In place of the version of a copy that cannot be read. */
const UNREADABLE = 'unreadable'

export function createHistory(options: {
  readonly rulesDirectory: string
  readonly maxVersions: number
  readonly disk: Disk
  readonly now: () => number
}): History {
  const { rulesDirectory, maxVersions, disk, now } = options
  /** Oldest first; what is on disk, looked at once. */
  const known = new Map<string, VersionFile[]>()
  const directoryOf = (name: string) => join(rulesDirectory, '.versions', name)

  async function filesOf(name: string): Promise<VersionFile[]> {
    const found = known.get(name)
    if (found !== undefined) return found
    const files = (await namesIn(directoryOf(name))).flatMap((file) => {
      const [, seq, time] = FILE.exec(file) ?? []
      return seq === undefined ? [] : [{ seq: Number(seq), time: Number(time), file }]
    })
    files.sort((left, right) => left.seq - right.seq || left.time - right.time)
    known.set(name, files)
    return files
  }

  async function namesIn(directory: string): Promise<readonly string[]> {
    try {
      return (await disk.list(directory)).filter(({ kind }) => kind === 'file').map(({ name }) => name)
    } catch (cause) {
      if (isMissing(cause)) return []
      throw cause
    }
  }

  async function contentOf(name: string, entry: VersionFile): Promise<StoredRuleset | undefined> {
    const bytes = await bytesOf(join(directoryOf(name), entry.file))
    if (bytes === undefined || !isUtf8(bytes)) return undefined
    const parsed = parseJson(Buffer.from(bytes).toString('utf8'), { duplicateKeys: 'last' })
    if (parsed.kind === 'failed') return undefined
    const config = (parsed.value as RulesetDocument | null)?.['config'] as RulesetDocument | undefined | null
    return config?.['name'] === name ? storedRuleset(parsed.value as RulesetDocument) : undefined
  }

  async function bytesOf(path: string): Promise<Uint8Array | undefined> {
    try {
      const content = await disk.read(path, LARGEST)
      return content.kind === 'bytes' ? content.bytes : undefined
    } catch (cause) {
      if (isMissing(cause)) return undefined
      throw cause
    }
  }

  /** The path of the copy, in its place and durable. */
  async function saveAs(name: string, file: string, text: string, isFirst: boolean): Promise<string> {
    const directory = directoryOf(name)
    const temporary = await writeTemporary(disk, rulesDirectory, file, indentJson(text))
    const path = join(directory, file)
    try {
      if (isFirst) {
        await disk.makeDirectory(directory, DIRECTORY_MODE)
        await disk.syncDirectory(dirname(directory))
        await disk.syncDirectory(rulesDirectory)
      }
      await moveDurably(disk, temporary, path)
      return path
    } catch (cause) {
      // It may be in its place and only not be certain to stay there.
      for (const left of [temporary, path]) await attempt(() => unlinkIfThere(disk, left))
      throw cause
    }
  }

  async function saveOnce({ name, text, version }: StoredRuleset): Promise<string> {
    const files = await filesOf(name)
    const seq = (files.at(-1)?.seq ?? 0) + 1
    const time = Math.floor(now() / 1000)
    const file = `v${seq}_${time}.json`
    try {
      const path = await saveAs(name, file, text, files.length === 0)
      files.push({ seq, time, file, version })
      return path
    } catch (cause) {
      known.delete(name)
      throw cause
    }
  }

  return {
    async save(ruleset) {
      const isLookedAt = known.has(ruleset.name)
      try {
        return await saveOnce(ruleset)
      } catch (cause) {
        // The rules directory was replaced since the look: what was known of it is forgotten now.
        if (isLookedAt && isMissing(cause)) return saveOnce(ruleset)
        throw cause
      }
    },

    forget: (name) => void known.delete(name),

    async list(name) {
      const files = await filesOf(name)
      const entries: VersionEntry[] = []
      for (const entry of files.toReversed()) {
        entry.version ??= (await contentOf(name, entry))?.version
        entries.push({
          seq: entry.seq,
          version: entry.version ?? UNREADABLE,
          timestamp: new Date(entry.time * 1000).toISOString(),
        })
      }
      return entries
    },

    async read(name, seq) {
      const entry = (await filesOf(name)).find((file) => file.seq === seq)
      return entry === undefined ? undefined : contentOf(name, entry)
    },

    async prune(name) {
      const files = await filesOf(name)
      while (files.length > maxVersions) {
        const [oldest] = files
        if (oldest === undefined) return
        if (!(await attempt(() => unlinkIfThere(disk, join(directoryOf(name), oldest.file))))) return
        files.shift()
      }
    },
  }
}
