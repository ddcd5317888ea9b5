import { diffDrafts } from '@engine/authoring'
import { stringifyJson } from '@engine/expression'
import { failures } from '../errors.ts'
import type { Compute } from './compute.ts'
import type { DiffTask } from './tasks.ts'
import { draftOfText } from './draft-of-text.ts'

/** Characters of two drafts that are compared on this thread, in some milliseconds. */
const SHORT = 64 * 1024

/** What differs between two drafts, as JSON. Both were written by `appendSave`, which takes decoded drafts. */
export function diffText({ base, next }: Pick<DiffTask, 'base' | 'next'>): string {
  return stringifyJson(diffDrafts(draftOfText(base), draftOfText(next)))
}

/** The same on a thread where the drafts are not small. Throws 400 for drafts that are too large to be compared. */
export async function draftsCompared(compute: Compute, base: string, next: string): Promise<string> {
  if (base.length + next.length <= SHORT) return diffText({ base, next })
  const outcome = await compute.run({ kind: 'diff', base, next })
  if (outcome.kind === 'over') throw failures.refused(`the two cannot be compared: ${outcome.message}`, 'too-large')
  return outcome.result.text
}
