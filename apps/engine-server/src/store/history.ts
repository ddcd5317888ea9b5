import { ruleFileText } from '@engine/rule-file'
import type { RulesetDocument } from '@engine/ruleset'
import { isUtf8 } from 'node:buffer'
import { join } from 'node:path'
import { entryPath, VERSIONS, versionsDirectory } from './paths.ts'
import { parsedJson } from '@engine/process'
import { type Disk, type Entry, isMissing } from './disk.ts'
import {
  attempt,
  isOwnDirectory,
  makeOwnDirectory,
  moveDurably,
  unlinkIfThere,
  writeTemporary,
} from './durable-files.ts'
import { StoreError, type StoredRuleset, storedInTurns, type VersionEntry } from './store.ts'

/**
 * Replaced and deleted contents, in files `.versions/<name>/v<seq>_<unix_timestamp>.json` (specification 9.2). Members
 * reject with the system's error, or with a `StoreError` when a directory is a link or a file.
 */
export interface History {
  /** Save content that is going to be replaced or deleted. Returns the path of the copy. */
  save(ruleset: StoredRuleset): Promise<string>
  /** The copy that was saved last was taken back: look again at what there is. */
  forget(name: string): void
  /** Newest first. */
  list(name: string): Promise<readonly VersionEntry[]>
  /** Undefined when there is none of this number, or it is not a ruleset of this name. Rejects also with `too-large`. */
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

/** Unix seconds that have a place in the name of a file. */
const LATEST = 999_999_999_999

/** Maximum size of a version that is read: the server accepts less. */
const MAX_BYTES = 512 * 1024 * 1024

/** How people know the directories. */
const PLACE = '`.versions` in the rules directory'
const placeOf = (name: string) => `\`.versions/${name}\` in the rules directory`

/** In place of the version of a copy that cannot be read. */
const UNREADABLE = 'unreadable'

export function createHistory(options: {
  readonly rulesDirectory: string
  readonly maxVersions: number
  readonly disk: Disk
  readonly now: () => number
}): History {
  const { rulesDirectory, maxVersions, disk, now } = options
  /** Oldest first; the disk is read once. */
  const known = new Map<string, VersionFile[]>()
  /** The highest number that is taken, also by what cannot be read. */
  const taken = new Map<string, number>()
  const root = join(rulesDirectory, VERSIONS)
  const pathOf = (name: string, file: string) => entryPath(versionsDirectory(rulesDirectory, name), file)

  async function filesOf(name: string): Promise<VersionFile[]> {
    const found = known.get(name)
    if (found !== undefined) return found
    const entries = (await entriesOf(name)).flatMap(({ name: file, kind }) => {
      const [, seq, time] = FILE.exec(file) ?? []
      return seq === undefined ? [] : [{ seq: Number(seq), time: Number(time), file, kind }]
    })
    taken.set(
      name,
      entries.reduce((highest, { seq }) => Math.max(highest, seq), 0),
    )
    const files = entries
      .filter(({ kind }) => kind === 'file')
      .map(({ seq, time, file }) => ({ seq, time, file }))
      .sort((left, right) => left.seq - right.seq || left.time - right.time)
    known.set(name, files)
    return files
  }

  async function entriesOf(name: string): Promise<readonly Entry[]> {
    try {
      return (await isOurs(name)) ? await disk.list(versionsDirectory(rulesDirectory, name)) : []
    } catch (cause) {
      if (isMissing(cause)) return []
      throw cause
    }
  }

  /** False: there is none. */
  async function isOurs(name: string): Promise<boolean> {
    return (
      (await isOwnDirectory(disk, root, PLACE)) &&
      isOwnDirectory(disk, versionsDirectory(rulesDirectory, name), placeOf(name))
    )
  }

  async function makeDirectories(name: string): Promise<void> {
    await makeOwnDirectory(disk, root, PLACE)
    await makeOwnDirectory(disk, versionsDirectory(rulesDirectory, name), placeOf(name))
  }

  async function contentOf(name: string, entry: VersionFile): Promise<StoredRuleset | undefined> {
    const bytes = await bytesOf(pathOf(name, entry.file))
    if (bytes === undefined || !isUtf8(bytes)) return undefined
    const parsed = await parsedJson(Buffer.from(bytes).toString('utf8'), { duplicateKeys: 'last' })
    if (parsed.kind === 'failed') return undefined
    const config = (parsed.value as RulesetDocument | null)?.['config'] as RulesetDocument | undefined | null
    return config?.['name'] === name ? storedInTurns(parsed.value as RulesetDocument) : undefined
  }

  /** Undefined when the content is none that could come back. */
  async function versionOf(name: string, entry: VersionFile): Promise<string | undefined> {
    try {
      return (await contentOf(name, entry))?.version
    } catch (cause) {
      if (cause instanceof StoreError && cause.code === 'too-large') return undefined
      throw cause
    }
  }

  async function bytesOf(path: string): Promise<Uint8Array | undefined> {
    try {
      const content = await disk.read(path, MAX_BYTES)
      return content.kind === 'bytes' ? content.bytes : undefined
    } catch (cause) {
      if (isMissing(cause)) return undefined
      throw cause
    }
  }

  /** The path of the copy, in its place and durable. */
  async function saveAs(name: string, file: string, text: string, isFirst: boolean): Promise<string> {
    const path = pathOf(name, file)
    const temporary = await writeTemporary(disk, rulesDirectory, file, ruleFileText(text))
    try {
      await (isFirst ? makeDirectories(name) : isOurs(name))
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
    const seq = (taken.get(name) ?? 0) + 1
    // A clock before 1970 has no place in the name of the file, and a file that is not found gives its number twice.
    const time = Math.min(LATEST, Math.max(0, Math.floor(now() / 1000)))
    const file = `v${seq}_${time}.json`
    try {
      const path = await saveAs(name, file, text, files.length === 0)
      files.push({ seq, time, file, version })
      taken.set(name, seq)
      return path
    } catch (cause) {
      known.delete(name)
      taken.delete(name)
      throw cause
    }
  }

  return {
    async save(ruleset) {
      const isLookedAt = known.has(ruleset.name)
      try {
        return await saveOnce(ruleset)
      } catch (cause) {
        // The rules directory was replaced since it was read: discard the cache.
        if (isLookedAt && isMissing(cause)) return saveOnce(ruleset)
        throw cause
      }
    },

    forget(name) {
      known.delete(name)
      taken.delete(name)
    },

    async list(name) {
      const files = await filesOf(name)
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
      const entry = (await filesOf(name)).find((file) => file.seq === seq)
      return entry === undefined ? undefined : contentOf(name, entry)
    },

    async prune(name) {
      const files = await filesOf(name)
      while (files.length > maxVersions) {
        const [oldest] = files
        if (oldest === undefined) return
        if (!(await attempt(() => unlinkIfThere(disk, pathOf(name, oldest.file))))) return
        files.shift()
      }
    },
  }
}
