import type { DraftRuleset } from '@engine/authoring'
import type { LocalWork } from './local-work.ts'
import type { Session } from './session.ts'

/** The save on which a session is based. */
export interface Base {
  readonly seq: number
  readonly doc: DraftRuleset
}

/**
 * Store the document of a session. Changes made in the meantime remain unsaved.
 *
 * @param store resolves with the sequence number of the new save
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
 * @returns the save on which the work is based: a later save of another author conflicts with it
 */
export function restoreWork(session: Session<DraftRuleset>, { seq, base, draft }: LocalWork, label: string): Base {
  session.apply(label, () => draft)
  return { seq, doc: base }
}
