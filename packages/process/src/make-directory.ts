import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a directory with its missing parents; existing ones are kept. Level by level, because Node's recursive
 * `mkdir` never returns when the parent exists and the system still answers ENOENT (`/proc/x`). Rejects with the
 * system's error.
 *
 * @param mode of every directory that is created
 */
export async function makeDirectory(path: string, mode: number): Promise<void> {
  try {
    return await mkdir(path, { mode })
  } catch (cause) {
    if (await isDirectory(path)) return
    const parent = dirname(path)
    const hasNoParent = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    if (!hasNoParent || parent === path) throw cause
    // Another process may have created the parent in between. If it existed before, the second error is the relevant
    // one.
    if (await isDirectory(parent)) return makeIn(path, mode)
    await makeDirectory(parent, mode)
  }
  await makeDirectory(path, mode)
}

/** Creates a directory in an existing parent. */
async function makeIn(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (cause) {
    if (!(await isDirectory(path))) throw cause
  }
}

/** Follows symbolic links. */
async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (status) => status.isDirectory(),
    () => false,
  )
}
