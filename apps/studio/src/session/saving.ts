import type { DraftRuleset } from '@engine/authoring'
import type { LocalWork } from './local-work.ts'
import type { Session } from './session.ts'

/** The save that a session is based on. */
export interface Base {
  readonly seq: number
  readonly doc: DraftRuleset
}

/**
 * Store the document of a session. Changes made meanwhile remain unsaved.
 *
 * @param store resolves with the number of the new save
 * @returns the new base of the session
 */
export async function saveSession(
  session: Session<DraftRuleset>,
  base: Base,
  store: (doc: DraftRuleset, expectedSeq: number) => Promise<number>,
): Promise<Base> {
  const { doc } = session
  const seq = await store(doc, base.seq)
  session.saved(doc)
  return { seq, doc }
}

/**
 * Restore the work of an earlier visit, as one change.
 *
 * @returns the save that the work is based on: a later one of another author clashes with it
 */
export function restoreWork(session: Session<DraftRuleset>, { seq, base, draft }: LocalWork, label: string): Base {
  session.apply(label, () => draft)
  return { seq, doc: base }
}
