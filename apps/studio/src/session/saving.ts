import type { DraftRuleset } from '@engine/authoring'
import type { LocalWork } from './local-work.ts'
import type { Session } from './session.ts'

/** The save that a session is based on. */
export interface Base {
  readonly seq: number
  readonly doc: DraftRuleset
}

/**
 * Store the document of a session. What is changed while it is stored remains unsaved.
 *
 * @param store resolves with the number of the new save
 * @returns the save that the session is based on from now on
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
 * Bring back the work of an earlier visit, as one change.
 *
 * @returns the save that the work began with: one that another author has made since then clashes with it
 */
export function restoreWork(session: Session<DraftRuleset>, { seq, base, draft }: LocalWork, label: string): Base {
  session.apply(label, () => draft)
  return { seq, doc: base }
}
