import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Make a directory with its missing parents; nothing when it is there already. Level by level, because `mkdir` of Node
 * with `recursive` never returns where the parent exists and the system still answers ENOENT (`/proc/x`). Rejects with the
 * system's error.
 *
 * @param mode of every directory that is made
 */
export async function makeDirectory(path: string, mode: number): Promise<void> {
  try {
    return await mkdir(path, { mode })
  } catch (cause) {
    if (await isDirectory(path)) return
    const parent = dirname(path)
    const hasNoParent = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    if (!hasNoParent || parent === path || (await isDirectory(parent))) throw cause
    await makeDirectory(parent, mode)
  }
  await makeDirectory(path, mode)
}

/** Links followed. */
async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (status) => status.isDirectory(),
    () => false,
  )
}
