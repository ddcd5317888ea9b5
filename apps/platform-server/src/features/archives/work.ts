import type { ArchiveFile, ProjectArchive, ReadArchive } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { jsonText, pause, startThread } from '@engine/process'
import { once } from 'node:events'
import { storedJson } from '../../database/long-json.ts'
import type { Unstorable } from '../../http/unstorable.ts'
import { failures } from '../../errors.ts'

/** What a thread does with an archive. */
export type ArchiveWork =
  | { readonly kind: 'read'; readonly files: readonly ArchiveFile[] }
  /** The project as JSON: its values would take longer on their way. */
  | { readonly kind: 'write'; readonly archive: string }

/** Milliseconds that one archive may take. */
const LONGEST_MS = 60_000
const MEGABYTES = 512

/** What an archive holds, and the first text in it that cannot be stored. */
export type FoundArchive = ReadArchive & { readonly unstorable?: Unstorable }

/**
 * Reads the files of an archive on a thread of its own: megabytes of YAML take seconds, and other requests go on. Throws 400
 * for one that takes longer than a minute, or more memory than the thread has.
 */
export async function readOnThread(files: readonly ArchiveFile[]): Promise<FoundArchive> {
  return (await storedJson((await onThread({ kind: 'read', files })) as string)) as unknown as FoundArchive
}

/** The files of a project, made on a thread likewise. */
export async function writeOnThread(archive: ProjectArchive): Promise<readonly ArchiveFile[]> {
  const text = await jsonText(archive as unknown as Value)
  return (await onThread({ kind: 'write', archive: text })) as readonly ArchiveFile[]
}

async function onThread(workerData: ArchiveWork): Promise<unknown> {
  // What the thread is given is copied: 50 MiB take long enough to be a turn of their own.
  await pause()
  const resourceLimits = { maxOldGenerationSizeMb: MEGABYTES }
  const thread = startThread(new URL('archive-thread.ts', import.meta.url), { workerData, resourceLimits })
  try {
    const [answer] = (await once(thread, 'message', { signal: AbortSignal.timeout(LONGEST_MS) })) as [unknown]
    return answer
  } catch (error) {
    const { name, code } = error as NodeJS.ErrnoException
    if (name === 'AbortError' || code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw failures.refused('the archive is too large to be worked on: divide it', 'too-large')
    throw error
  } finally {
    await thread.terminate()
  }
}
