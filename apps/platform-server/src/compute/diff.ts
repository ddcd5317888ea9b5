import { diffDrafts } from '@engine/authoring'
import { stringifyJson } from '@engine/expression'
import { failures } from '../errors.ts'
import type { Compute } from './compute.ts'
import type { DiffTask } from './tasks.ts'
import { draftOfText } from './draft-of-text.ts'

/** Maximum number of characters of two drafts that are compared on this thread, in a few milliseconds. */
const MAX_SYNC_CHARACTERS = 64 * 1024

/** The differences between two drafts, as JSON. Both were written by `appendSave`, from decoded drafts. */
export function diffText({ base, next }: Pick<DiffTask, 'base' | 'next'>): string {
  return stringifyJson(diffDrafts(draftOfText(base), draftOfText(next)))
}

/**
 * The differences, computed on a thread if the drafts are not small. Throws 400 for drafts that are too large to be
 * compared.
 */
export async function draftsCompared(compute: Compute, base: string, next: string): Promise<string> {
  if (base.length + next.length <= MAX_SYNC_CHARACTERS) return diffText({ base, next })
  const outcome = await compute.run({ kind: 'diff', base, next })
  if (outcome.kind === 'over') throw failures.refused(`the two cannot be compared: ${outcome.message}`, 'too-large')
  return outcome.result.text
}
