import { evidence, type Interval, LESS_OFTEN, logMeanExp, MORE_OFTEN, OTHER } from './evidence.ts'

/**
 * A change that the candidate is expected to make: some of the units with the result `from` from the control get `to`.
 */
export interface ExpectedTransition {
  /** A result code or `FAILED`. */
  readonly from: string
  /** A result code. */
  readonly to: string
  /** The largest share of the units with `from` that change like this, above 0 and at most 1; 1 if absent. */
  readonly share?: number | undefined
}

/** Represents every execution that failed: no result has an empty code. */
export const FAILED = ''

/**
 * The results that transitions link: whichever transition a unit makes, it has a result of the same group before and after.
 * Results in the order of the transitions.
 */
export function linkedResults(expected: readonly ExpectedTransition[]): readonly (readonly string[])[] {
  let groups: readonly (readonly string[])[] = []
  for (const { from, to } of expected) {
    const isJoined = (group: readonly string[]) => group.includes(from) || group.includes(to)
    const joined = [...new Set([...groups.filter(isJoined).flat(), from, to])]
    groups = [...groups.filter((group) => !isJoined(group)), joined]
  }
  return groups
}

/** The number of units with a result, by stage. */
type Counted = (result: string) => readonly Interval[]

/**
 * The natural logarithm of the evidence of each claim that expected transitions make. With P and Q for the rates of a
 * result on both sides:
 *
 * - a group of linked results is as frequent as before: nothing enters or leaves it;
 * - a code has at most its earlier units and those that transitions add: Q(c) ≤ P(c) + Σ share · P(from);
 * - a code keeps the units that no transition removes: Q(c) ≥ (1 − Σ share) · P(c).
 *
 * All three hold for units that are keys with several requests, where the sum of the codes of a group does not. A
 * stable event that counts with a weight w below 1 has the factor f^w instead of 1 − w·(1 − f), which is never smaller
 * (Bernoulli): the evidence stays a supermartingale.
 */
export function linkedEvidences(
  expected: readonly ExpectedTransition[],
  countedOf: Counted,
  groups: readonly (readonly Interval[])[],
): readonly number[] {
  const codes = linkedResults(expected)
    .flat()
    .filter((result) => result !== FAILED)
  return [
    ...groups.map((group) => evidence(group, OTHER)),
    ...codes.map((code) => {
      const more = evidence(
        expected
          .filter(({ to }) => to === code)
          .reduce((sum, { from, share = 1 }) => withStable(sum, countedOf(from), share), countedOf(code)),
        MORE_OFTEN,
      )
      const kept = 1 - sumOf(expected.filter(({ from }) => from === code).map(({ share = 1 }) => share))
      if (kept <= 0) return more
      return logMeanExp([
        more,
        evidence(
          countedOf(code),
          LESS_OFTEN.map((ratio) => ratio * kept),
          kept,
        ),
      ])
    }),
  ]
}

const withStable = (intervals: readonly Interval[], added: readonly Interval[], weight: number): readonly Interval[] =>
  intervals.map((interval, index) => ({ ...interval, stable: interval.stable + weight * (added[index]?.stable ?? 0) }))

const sumOf = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
