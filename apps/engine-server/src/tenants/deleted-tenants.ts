import { join } from 'node:path'
import type { Disk } from '../store/disk.ts'
import { isThere, makeDirectoryDurably } from '../store/durable-files.ts'
import { tenantDirectory } from '../store/paths.ts'

/** In the rules directory. No tenant id begins with a dot. */
const DELETED = '.deleted-tenants'

/** Restores the folder. Rejects with the system's error. */
export type BringBack = () => Promise<void>

/**
 * Moves the folder of a tenant, with all files and versions, to `.deleted-tenants/<id>-<milliseconds>`, so that a new
 * tenant with the same id starts empty. Durable when the promise resolves; undefined if there was no folder. Rejects
 * with the system's error.
 *
 * @param now epoch milliseconds
 */
export async function moveToDeleted(
  disk: Disk,
  rulesDirectory: string,
  id: string,
  now: number,
): Promise<BringBack | undefined> {
  const place = tenantDirectory(rulesDirectory, id)
  if (!(await isThere(disk, place))) return undefined
  const deleted = join(rulesDirectory, DELETED)
  await makeDirectoryDurably(disk, deleted)
  let at = now
  while (await isThere(disk, join(deleted, `${id}-${at}`))) at++
  const aside = join(deleted, `${id}-${at}`)
  const move = async (from: string, to: string) => {
    await disk.rename(from, to)
    await disk.syncDirectory(deleted)
    await disk.syncDirectory(rulesDirectory)
  }
  await move(place, aside)
  return () => move(aside, place)
}
