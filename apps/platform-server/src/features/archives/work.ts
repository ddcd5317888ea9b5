import type { ArchiveFile, ProjectArchive, ReadArchive } from '@engine/authoring'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { failures } from '../../errors.ts'

/** What a thread does with an archive. */
export type ArchiveWork =
  | { readonly kind: 'read'; readonly files: readonly ArchiveFile[] }
  | { readonly kind: 'write'; readonly archive: ProjectArchive }

/** Milliseconds that one archive may take. */
const LONGEST_MS = 60_000
const MEGABYTES = 512

/**
 * Reads the files of an archive on a thread of its own: megabytes of YAML take seconds, and other requests go on. Throws 400
 * for one that takes longer than a minute, or more memory than the thread has.
 */
export const readOnThread = (files: readonly ArchiveFile[]) => onThread({ kind: 'read', files }) as Promise<ReadArchive>

/** The files of a project, made on a thread likewise. */
export const writeOnThread = (archive: ProjectArchive) =>
  onThread({ kind: 'write', archive }) as Promise<readonly ArchiveFile[]>

async function onThread(workerData: ArchiveWork): Promise<unknown> {
  const resourceLimits = { maxOldGenerationSizeMb: MEGABYTES }
  const thread = new Worker(new URL('thread.ts', import.meta.url), { workerData, resourceLimits })
  try {
    const [answer] = (await once(thread, 'message', { signal: AbortSignal.timeout(LONGEST_MS) })) as [unknown]
    return answer
  } catch (error) {
    const { name, code } = error as NodeJS.ErrnoException
    if (name === 'AbortError' || code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw failures.invalid('', 'is too large to be worked on: divide it', 'too-large')
    throw error
  } finally {
    await thread.terminate()
  }
}
