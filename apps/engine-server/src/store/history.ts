import { parseJson } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { dirname, join } from 'node:path'
import { type Disk, isMissing } from './disk.ts'
import { attempt, DIRECTORY_MODE, moveDurably, unlinkIfThere, writeTemporary } from './files.ts'
import { indentJson } from './json-text.ts'
import { type StoredRuleset, storedRuleset, type VersionEntry } from './store.ts'

/** Replaced contents, in files `.versions/<name>/v<seq>_<unix_timestamp>.json` (specification 9.2). */
export interface History {
  /** Save what is about to be replaced; what it gives takes that back. */
  save(ruleset: StoredRuleset): Promise<() => Promise<void>>
  /** Newest first. */
  list(name: string): Promise<readonly VersionEntry[]>
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
    files.sort((left, right) => left.seq - right.seq)
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
    const content = await disk.read(join(directoryOf(name), entry.file), LARGEST)
    if (content.kind !== 'bytes') return undefined
    const parsed = parseJson(Buffer.from(content.bytes).toString('utf8'), { duplicateKeys: 'last' })
    const config = parsed.kind === 'parsed' ? (parsed.value as RulesetDocument)?.['config'] : undefined
    if (parsed.kind !== 'parsed' || typeof (config as RulesetDocument | undefined)?.['name'] !== 'string')
      return undefined
    return storedRuleset(parsed.value as RulesetDocument)
  }

  return {
    async save(ruleset) {
      const { name, text, version } = ruleset
      const files = await filesOf(name)
      const seq = (files.at(-1)?.seq ?? 0) + 1
      const time = Math.floor(now() / 1000)
      const file = `v${seq}_${time}.json`
      const directory = directoryOf(name)
      const temporary = await writeTemporary(disk, rulesDirectory, file, indentJson(text))
      if (files.length === 0) {
        await disk.makeDirectory(directory, DIRECTORY_MODE)
        await disk.syncDirectory(dirname(directory))
        await disk.syncDirectory(rulesDirectory)
      }
      const path = join(directory, file)
      try {
        await moveDurably(disk, temporary, path)
      } catch (cause) {
        // It may be in its place and only not be certain to stay there.
        await attempt(() => unlinkIfThere(disk, path))
        throw cause
      }
      files.push({ seq, time, file, version })
      return async () => {
        if (await attempt(() => disk.unlink(path))) files.pop()
      }
    },

    async list(name) {
      const files = await filesOf(name)
      const entries: VersionEntry[] = []
      for (const entry of files.toReversed()) {
        entry.version ??= (await contentOf(name, entry))?.version ?? 'unreadable'
        entries.push({ seq: entry.seq, version: entry.version, timestamp: new Date(entry.time * 1000).toISOString() })
      }
      return entries
    },

    async read(name, seq) {
      const entry = (await filesOf(name)).find((file) => file.seq === seq)
      const content = entry === undefined ? undefined : await contentOf(name, entry)
      return content?.name === name ? content : undefined
    },

    async prune(name) {
      const files = await filesOf(name)
      while (files.length > maxVersions) {
        const [oldest] = files
        if (oldest === undefined || !(await attempt(() => disk.unlink(join(directoryOf(name), oldest.file))))) return
        files.shift()
      }
    },
  }
}
