import type { DraftRuleset, IntendedFinding } from './model.ts'

/** Who acknowledges findings, and when. */
export type Acknowledgement = Required<Pick<IntendedFinding, 'author' | 'at'>>

/**
 * Findings with their author and time: a finding that was intended before, with the same reason, keeps those it had; all others
 * get the given ones, whatever they had. Linear in both lists.
 */
export function acknowledged(
  intended: readonly IntendedFinding[],
  before: readonly IntendedFinding[],
  { author, at }: Acknowledgement,
): readonly IntendedFinding[] {
  const known = new Map(before.map((one) => [keyOf(one), one]))
  return intended.map((one) => {
    const finding = written(one)
    const earlier = known.get(keyOf(one))
    return earlier?.author !== undefined && earlier.at !== undefined
      ? { ...finding, author: earlier.author, at: earlier.at }
      : { ...finding, author, at }
  })
}

/** A finding without its author and time. */
function written({ author: _author, at: _at, ...finding }: IntendedFinding): IntendedFinding {
  return finding
}

const keyOf = ({ finding, place, reason }: IntendedFinding) => JSON.stringify([finding, place, reason])

/** The draft without the authors and times of intended findings: what its authors have written. */
export function withoutAcknowledgements(draft: DraftRuleset): DraftRuleset {
  const { intended } = draft.config
  if (intended === undefined) return draft
  return { ...draft, config: { ...draft.config, intended: intended.map(written) } }
}
