import type { ReadArchive } from '@engine/authoring'
import { HttpError } from '@engine/http-server'
import { jsonText } from '@engine/process'
import type { Compute, Outcome } from '../../compute/compute.ts'
import type { SentArchive, WriteArchiveTask } from '../../compute/tasks.ts'
import { failures } from '../../errors.ts'
import type { ExportedProject } from './current-project.ts'
import type { UnsupportedText } from '../../database/unsupported-text.ts'

/** A parsed archive, with the first text in it that cannot be stored. */
export type FoundArchive = ReadArchive & { readonly unstorable?: UnsupportedText }

/** Parse an archive on a worker thread. Throws 400 and 413 for an archive that cannot be read within the limits. */
export async function readOnThread(compute: Compute, sent: SentArchive): Promise<FoundArchive> {
  const result = resultOf(await compute.run({ kind: 'read-archive', ...sent }))
  if (result.kind === 'refused')
    throw new HttpError(result.isTooLarge ? 'payload-too-large' : 'invalid-request', result.message)
  return result
}

/** Serialize the archive of a project on a worker thread. Throws 400 for a project that is too large for it. */
export async function writeOnThread(
  compute: Compute,
  { parts, rulesets, suites }: ExportedProject,
  form: WriteArchiveTask['form'],
): Promise<Buffer> {
  const archive = await jsonText(parts)
  const { bytes } = resultOf(await compute.run({ kind: 'write-archive', archive, rulesets, suites, form }))
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function resultOf<Result>(outcome: Outcome<Result>): Result {
  if (outcome.kind === 'done') return outcome.result
  throw failures.refused(`the archive is too large: ${outcome.message}; divide it`, 'too-large')
}
