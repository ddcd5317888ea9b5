import { expect, test } from 'vitest'
import { Checker } from './checker.ts'
import type { Claim } from './claim.ts'
import { findCover } from './covers.ts'
import { decisionOf, rulesetOf } from './rulesets.testing.ts'

const EQUIVALENT: Claim = { kind: 'equivalent' }
const placeOf = (branch: number) => `/steps/d/branches/${branch}`
const dead = (branch: number): Claim => ({ kind: 'dead_branch', place: placeOf(branch) })
const PATTERN = 'matches(t, "x")'
const UNDECIDED = 'classes of values and single conditions do not decide it'

/** The classes of values that are not true, and those that are, for rules without constants. */
const [FALSY, TRUTHY] = [
  [0, 2, 4, 5, 8, 8, 11, 11],
  [3, 3, 6, 7, 9, 10, 12, 12],
]
/** A split by a field that decides alone, or of which one part is split again. */
const by = (field: string, falsy: unknown, truthy: unknown) => [field, [FALSY, falsy], [TRUTHY, truthy]]
const outcomes = (expression: string) => [`?${expression}`, [[0, 0], 0], [[1, 1], 0], [[2, 2], 0]]

test.each<[title: string, rulesets: readonly (readonly string[])[], claim: Claim, cover: unknown, near?: number]>([
  ['nothing, where none is needed', [['false']], dead(0), 0],
  ['a field', [['p && !p']], dead(0), by('p', 0, 0)],
  ['two fields', [['p && q', 'p && q']], dead(1), by('q', 0, by('p', 0, 0))],
  ["a field of the claim's own place first", [['q', 'p', 'p && r']], dead(2), by('r', 0, by('p', 0, 0))],
  ['a field of a near place', [['q', 'p', 'r', 'p && r']], dead(3), by('r', 0, 0), 2],
  ['fields that decide together', [['p || q', 'r', 'p']], dead(2), by('p', 0, 0)],
  ['bounds', [['n > 5 && n < 3']], dead(0), ['n', [[0, 1, 13, 16], 0], [[2, 9], 0], [[10, 12], 0]]],
  [
    'a field, and what it does not decide',
    [[`${PATTERN} && !${PATTERN}`]],
    dead(0),
    [
      't',
      [[0, 1, 8, 8, 12, 12], 0],
      [[2, 5, 15, 15], 0],
      [[6, 7, 9, 9, 11, 11, 13, 14, 16, 16], outcomes(PATTERN)],
      [[10, 10], 0],
    ],
  ],
  ['a comparison of two fields', [['a > b && !(a > b)']], dead(0), outcomes('(a > b)')],
  ['an impossible claim', [['p']], dead(0), UNDECIDED],
  ['a claim about two fields that are not related', [['a != b && a == b']], dead(0), UNDECIDED],
  [
    'two versions in another order',
    [
      ['p', 'q'],
      ['q', 'p'],
    ],
    EQUIVALENT,
    by('p', by('q', 0, 0), 0),
  ],
  [
    'a condition that only one version has',
    [
      ['p', 'q && r'],
      ['p', 'r && q'],
    ],
    EQUIVALENT,
    by('q', 0, by('r', 0, 0)),
  ],
])('a cover splits by %s', (_title, rulesets, claim, cover, near) => {
  const [first, ...others] = rulesets.map((conditions) => rulesetOf(decisionOf(conditions, { targets: ['A'] })))
  if (first === undefined) throw new Error('no ruleset')
  const checker = new Checker([first, ...others])
  expect(findCover(checker, claim, near === undefined ? [] : [placeOf(near)])).toEqual(cover)
})

test('a proof of more than 3,000 parts is given up', () => {
  const conditions = Array.from({ length: 12 }, (_, index) => `p${index} == q${index}`)
  const checker = new Checker([rulesetOf(decisionOf([conditions.map((one) => `(${one} || !(${one}))`).join(' && ')]))])
  expect(findCover(checker, { kind: 'always_true', place: placeOf(0) }, [])).toBe(
    'the proof needs more than 3000 parts',
  )
})
