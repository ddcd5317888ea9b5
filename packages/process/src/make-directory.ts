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
    if (!hasNoParent || parent === path) throw cause
    // Another one may have made the parent in between. Where it was there before, it is the second answer that counts.
    if (await isDirectory(parent)) return makeIn(path, mode)
    await makeDirectory(parent, mode)
  }
  await makeDirectory(path, mode)
}

/** In a parent that is there. */
async function makeIn(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (cause) {
    if (!(await isDirectory(path))) throw cause
  }
}

/** Links followed. */
async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (status) => status.isDirectory(),
    () => false,
  )
}
