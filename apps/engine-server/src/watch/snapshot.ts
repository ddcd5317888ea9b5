import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../store/disk.ts'
import { isRuleFile } from '../store/rule-file-reader.ts'

/**
 * The rule files of a directory with a fingerprint of their status, without reading them: times, size and inode. Only
 * determines which files have to be read.
 */
export type Snapshot = ReadonlyMap<string, string>

/**
 * The fingerprint of a file that has just changed: another change may leave its times equal, because file system clocks
 * are coarse, up to 2 s on some systems, a few milliseconds on Linux. The file counts as changed in the next scan too.
 */
export const UNSETTLED = ''
const COARSEST_CLOCK_MS = 2000

/** Maximum number of concurrent `stat` calls. */
const MAX_CONCURRENT_STATS = 64

/** Rejects with the system's error when the directory cannot be listed. */
export async function takeSnapshot(directory: string): Promise<Snapshot> {
  const files = (await readdir(directory, { withFileTypes: true }))
    .map((entry) => ({ name: entry.name, kind: entry.isDirectory() ? ('directory' as const) : ('file' as const) }))
    .filter(isRuleFile)
  const snapshot = new Map<string, string>()
  for (let start = 0; start < files.length; start += MAX_CONCURRENT_STATS) {
    const some = files.slice(start, start + MAX_CONCURRENT_STATS)
    const prints = await Promise.all(some.map(({ name }) => printOf(join(directory, name))))
    for (const [index, { name }] of some.entries()) {
      const print = prints[index]
      if (print !== undefined) snapshot.set(name, print)
    }
  }
  return snapshot
}

/** Like `takeSnapshot`, for a directory that may not exist yet. */
export async function snapshotIfThere(directory: string): Promise<Snapshot> {
  try {
    return await takeSnapshot(directory)
  } catch (cause) {
    if (isMissing(cause)) return new Map()
    throw cause
  }
}

/** Undefined if the file was removed meanwhile. */
async function printOf(path: string): Promise<string | undefined> {
  try {
    const { mtimeNs, ctimeNs, ctimeMs, size, ino } = await lstat(path, { bigint: true })
    if (Date.now() - Number(ctimeMs) < COARSEST_CLOCK_MS) return UNSETTLED
    return [mtimeNs, ctimeNs, size, ino].join(' ')
  } catch (cause) {
    if (isMissing(cause)) return undefined
    // A file without a readable status is left to the store, which reports why it is not served.
    return UNSETTLED
  }
}
