import type { DraftRuleset, IntendedFinding } from './model.ts'

/** The author and time of an acknowledgement. */
export type Acknowledgement = Required<Pick<IntendedFinding, 'author' | 'at'>>

/**
 * Adds author and time to intended findings: a finding that was already intended with the same reason keeps its own;
 * all others get the given ones, regardless of their content. Linear in both lists.
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

/** The draft without the authors and times of intended findings, as its authors wrote it. */
export function withoutAcknowledgements(draft: DraftRuleset): DraftRuleset {
  const { intended } = draft.config
  if (intended === undefined) return draft
  return { ...draft, config: { ...draft.config, intended: intended.map(written) } }
}
