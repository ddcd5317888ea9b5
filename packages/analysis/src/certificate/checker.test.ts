import { type ObjectValue, print, stringifyJson, type Value } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { Checker, Refused, resultOrRefusal } from './checker.ts'
import { Classes } from './classes.ts'
import type { Claim } from './claim.ts'
import { findCover } from './covers.ts'
import { decisionOf, type DecisionOptions, expressionOf, rulesetOf } from './rulesets.testing.ts'

const dead = (branch: number): Claim => ({ kind: 'dead_branch', place: `/steps/d/branches/${branch}` })
const EQUIVALENT: Claim = { kind: 'equivalent' }

function checkerOf(...documents: readonly [RulesetDocument, ...RulesetDocument[]]): Checker {
  const [first, ...others] = documents
  return new Checker([rulesetOf(first), ...others.map(rulesetOf)])
}

/** `accepted`, or the reason of the refusal. */
const outcomeOf = (work: () => void): string =>
  resultOrRefusal(() => {
    work()
    return 'accepted'
  })

test('an error that is no refusal stays one', () => {
  const fault = new TypeError('a defect')
  expect(() =>
    resultOrRefusal(() => {
      throw fault
    }),
  ).toThrow(fault)
  expect(
    resultOrRefusal(() => {
      throw new Refused('why')
    }),
  ).toBe('why')
  expect(resultOrRefusal(() => 7)).toBe(7)
})

const UNDECIDED = 'a part of the cover does not decide the claim'
const NO_COVER = 'not a cover'

/** A condition that no field alone decides, the name of its split, and a contradiction of it. */
const OPAQUE = 'matches(p, "x")'
const SPLIT = `?${OPAQUE}`
const IMPOSSIBLE = `${OPAQUE} && !${OPAQUE}`
const INCOMPLETE = `the cover leaves out values of \`${SPLIT}\``

/** Splits one after the other, each with the part of all its numbers. */
const nested = (count: number): unknown => (count === 0 ? 0 : [`?x${count}`, [[0, 2], nested(count - 1)]])

test.each<[title: string, conditions: readonly string[], cover: unknown, outcome: string]>([
  ['no split', [IMPOSSIBLE], 0, UNDECIDED],
  ['no split where none is needed', ['false'], 0, 'accepted'],
  ['a part for each outcome', [IMPOSSIBLE], [SPLIT, [[0, 0], 0], [[1, 1], 0], [[2, 2], 0]], 'accepted'],
  ['parts that decide it together', [IMPOSSIBLE], [SPLIT, [[0, 0], 0], [[1, 2], 0]], 'accepted'],
  [
    'a part of several ranges',
    [IMPOSSIBLE],
    [
      SPLIT,
      [[1, 1], 0],
      [
        [2, 2, 0, 0],
        [SPLIT, [[0, 0], 0], [[2, 2], 0]],
      ],
    ],
    'accepted',
  ],
  ['one part for true and false', [IMPOSSIBLE], [SPLIT, [[0, 2], 0]], UNDECIDED],
  ['no part for true', [IMPOSSIBLE], [SPLIT, [[1, 2], 0]], INCOMPLETE],
  ['no part for false', [IMPOSSIBLE], [SPLIT, [[0, 0, 2, 2], 0]], INCOMPLETE],
  ['no part for an error', [IMPOSSIBLE], [SPLIT, [[0, 0], 0], [[1, 1], 0]], INCOMPLETE],
  ['no part', [IMPOSSIBLE], [SPLIT], INCOMPLETE],
  ['a range without an end', [IMPOSSIBLE], [SPLIT, [[0], 0], [[1], 0], [[2], 0]], INCOMPLETE],
  ['a range from the last to the first', [IMPOSSIBLE], [SPLIT, [[2, 0], 0]], INCOMPLETE],
  ['a split of another expression', [IMPOSSIBLE], ['?q', [[0, 2], 0]], UNDECIDED],
  ['a part without numbers, whatever it has', ['false'], [SPLIT, [[0, 2], 0], [[7, 9], 'no cover']], 'accepted'],
  [
    'a split again, of the numbers that are left',
    [IMPOSSIBLE],
    [
      SPLIT,
      [
        [0, 0],
        [SPLIT, [[0, 0], 0]],
      ],
      [[1, 2], 0],
    ],
    'accepted',
  ],
  [
    'a split again that leaves out a number',
    [IMPOSSIBLE],
    [
      SPLIT,
      [
        [0, 1],
        [SPLIT, [[0, 0], 0]],
      ],
      [[2, 2], 0],
    ],
    INCOMPLETE,
  ],
  [
    'a split again that brings numbers back',
    [IMPOSSIBLE],
    [
      SPLIT,
      [
        [0, 0],
        [SPLIT, [[0, 1], 0]],
      ],
      [[1, 2], 0],
    ],
    'accepted',
  ],
  ['a text', ['false'], '0', NO_COVER],
  ['null', ['false'], null, NO_COVER],
  ['nothing', ['false'], undefined, NO_COVER],
  ['another number', ['false'], 1, NO_COVER],
  ['an empty list', ['false'], [], NO_COVER],
  ['an object', ['false'], { 0: SPLIT, length: 1 }, NO_COVER],
  ['a split that is no text', ['false'], [0, [[0, 2], 0]], NO_COVER],
  ['a cover inside that is none', ['false'], [SPLIT, [[0, 2], 2]], NO_COVER],
  ['a part that is no list', ['false'], [SPLIT, 0], 'not a part of a cover'],
  ['a part whose ranges are no list', ['false'], [SPLIT, [2, 0]], 'not a part of a cover'],
  ['201 splits, one in another', ['false'], nested(201), 'accepted'],
  ['202 splits, one in another', ['false'], nested(202), NO_COVER],
])('a cover with %s', (_title, conditions, cover, outcome) => {
  expect(outcomeOf(() => checkerOf(decisionOf(conditions)).check(dead(0), cover))).toBe(outcome)
})

/** The numbers of the classes whose values satisfy a condition. */
function classesOf(documents: readonly RulesetDocument[], isWanted: (value: Value | undefined) => boolean): number[] {
  const { list } = new Classes(documents.map(rulesetOf))
  return [...list.keys()].filter((index) => isWanted(list[index]?.value))
}

test('numbers of a field that a split leaves decide its conditions', () => {
  const document = decisionOf(['n > 5 && n < 3'])
  const above = classesOf([document], (value) => typeof value === 'number' && value > 5)
  const others = classesOf([document], (value) => typeof value !== 'number' || value <= 5)
  const rangesOf = (numbers: readonly number[]) => numbers.flatMap((one) => [one, one])
  const cover = (inner: unknown) => ['n', [rangesOf(above), inner], [rangesOf(others), 0]]
  const check = (claim: Claim, read: unknown) => outcomeOf(() => checkerOf(document).check(claim, read))
  expect(check(dead(0), cover(0))).toBe('accepted')
  expect(check(dead(0), ['n', [rangesOf([...above, ...others]), 0]])).toBe(UNDECIDED)
  expect(check(dead(0), cover(['n', [rangesOf(above.slice(1)), 0]]))).toBe('the cover leaves out values of `n`')
  expect(check(dead(0), ['n', [rangesOf(others), 0]])).toBe('the cover leaves out values of `n`')
})

test.each<[condition: string, outcomes: string, cell?: Record<string, readonly number[]>]>([
  ['p', '+-'],
  ['!p', '-+'],
  ['!!p', '+-'],
  ['true', '+'],
  ['1 == 2', '-'],
  ['!true', '-'],
  ['true && p', '+-'],
  ['false && p', '-'],
  ['p && false', '-'],
  ['p && true', '+-'],
  ['true || p', '+'],
  ['false || p', '+-'],
  ['p || true', '+'],
  ['p || false', '+-'],
  ['p || q', '+-'],
  ['if p then true else false', '+-'],
  ['if p then true else true', '+'],
  ['if p then false else true', '-+'],
  ['if true then q else false', '+-'],
  ['if false then q else false', '-'],
  ['p', '+', { '?p': [0] }],
  ['p', '-', { '?p': [1] }],
  ['!p', '-', { '?p': [0] }],
  ['p && q', '-', { '?p': [1] }],
  ['p && q', '+-', { '?p': [0] }],
  ['p || q', '+', { '?p': [0] }],
  ['p || q', '+-', { '?p': [1] }],
  ['if p then true else q', '+', { '?p': [0] }],
  ['if p then true else q', '+-', { '?p': [1] }],
  ['if p then q else false', '+', { '?p': [0], '?q': [0] }],
  ['abs(p) > 1', '+-!'],
  ['-p', '+-!'],
  ['!(abs(p) > 1)', '-+!'],
  ['abs(p) > 1', '+!', { [`?${print(expressionOf('abs(p) > 1'))}`]: [0, 2] }],
  ['abs(p) > 1 && false', '-!'],
  ['abs(p) > 1 || true', '+!'],
  ['if abs(p) > 1 then true else true', '+!'],
])('%s has the outcomes %s', (condition, outcomes, cell = {}) => {
  const found = checkerOf(decisionOf([condition])).outcomesOf(expressionOf(condition), new Map(Object.entries(cell)))
  expect(found.map((one) => one[0]).join('')).toBe(outcomes)
})

const contractOf = (fields: readonly Value[], mode = 'enforce'): DecisionOptions => ({
  config: { contract: { mode, contract: { name: 'c', version: '1.0.0', input: { fields } } } },
})

/** How the tables write a value of a class. */
function nameOf(value: Value | undefined): Value {
  if (value === undefined) return 'missing'
  return typeof value === 'object' && value !== null ? stringifyJson(value) : value
}

const CONTAINERS = ['[]', '{}', '["another value"]', '{"another":1}']

test.each<[title: string, split: string, kept: readonly unknown[], options?: DecisionOptions]>([
  ['a field without a contract', 'n', ['missing', null, false, true, ...CONTAINERS, '', 'text', -1, 0, 1, 5, 6]],
  [
    'a required whole number of at least 1',
    'n',
    [...CONTAINERS, 1, 2, 5, 6],
    contractOf([{ name: 'n', type: 'integer', required: true, minimum: 1 }]),
  ],
  [
    'a number that may be missing, of at most 3',
    'n',
    ['missing', null, ...CONTAINERS, -1, 0, 1, 3],
    contractOf([{ name: 'n', type: 'number', required: false, maximum: 3 }]),
  ],
  [
    'one of two texts',
    'n',
    [...CONTAINERS, 'a', 'b'],
    contractOf([{ name: 'n', type: 'string', required: true, enum: ['b', 'a'] }]),
  ],
  [
    'a field that the contract does not name',
    'n',
    ['missing', null, false, true, ...CONTAINERS, '', 'text', -1, 0, 1, 5, 6],
    contractOf([{ name: 'm', type: 'boolean', required: true }]),
  ],
  [
    'a field whose contract only warns',
    'n',
    ['missing', null, false, true, ...CONTAINERS, '', 'text', -1, 0, 1, 5, 6],
    contractOf([{ name: 'n', type: 'boolean', required: true }], 'warn'),
  ],
])('the classes of %s', (_title, split, kept, options = {}) => {
  const document = decisionOf(['n > 5'], options)
  const { list } = new Classes([rulesetOf(document)])
  expect(
    checkerOf(document)
      .partsOf(split)
      .map((one) => nameOf(list[one]?.value)),
  ).toEqual(kept)
})

test('an expression is true, false or an error', () => {
  expect(checkerOf(decisionOf(['n > 5'])).partsOf('?n > 5')).toEqual([0, 1, 2])
})

const COMPARISONS: readonly Claim[] = [
  EQUIVALENT,
  { kind: 'no_new_failure' },
  { kind: 'only_adds' },
  { kind: 'only_removes' },
  { kind: 'forbid', from: 'A', to: 'B' },
  { kind: 'forbid', from: '*', to: 'C' },
  { kind: 'forbid', from: 'C', to: '*' },
  { kind: 'forbid', from: '*', to: '*' },
]

const claimText = (claim: Claim) => (claim.kind === 'forbid' ? `${claim.from}->${claim.to}` : claim.kind)
const decision = (targets: readonly string[], ...conditions: readonly string[]) => decisionOf(conditions, { targets })
const strict = (targets: readonly string[], ...conditions: readonly string[]) =>
  decisionOf(conditions, { targets, config: { field_missing: 'strict' } })
const without = (rest: string | null, ...conditions: readonly string[]) =>
  decisionOf(conditions, { targets: ['A'], rest })

test.each<[title: string, before: RulesetDocument, after: RulesetDocument, refuted: string, split?: string]>([
  ['a ruleset and itself', decision(['A'], 'n > 1'), decision(['A'], 'n > 1'), ''],
  [
    'a branch that another one shadows',
    decision(['A', 'B'], 'n > 1'),
    decision(['A', 'B'], 'n > 1', 'n > 3'),
    '',
    'equivalent,no_new_failure,only_adds,only_removes,C->*,*->*',
  ],
  [
    'a branch that is a part of another',
    decision(['A'], 'n > 1'),
    decision(['A'], 'n > 3', 'n > 1'),
    '',
    'equivalent,no_new_failure,only_adds,only_removes,C->*,*->*',
  ],
  [
    'another code, A and then B',
    decision(['A'], 'n > 1'),
    decision(['B'], 'n > 1'),
    'equivalent,only_adds,only_removes,A->B,*->*',
  ],
  [
    'another code, B and then A',
    decision(['B'], 'n > 1'),
    decision(['A'], 'n > 1'),
    'equivalent,only_adds,only_removes,*->*',
  ],
  [
    'another code, A and then C',
    decision(['A'], 'n > 1'),
    decision(['C'], 'n > 1'),
    'equivalent,only_adds,only_removes,*->C,*->*',
  ],
  [
    'another code, C and then A',
    decision(['C'], 'n > 1'),
    decision(['A'], 'n > 1'),
    'equivalent,only_adds,only_removes,C->*,*->*',
  ],
  [
    'another code behind a pattern',
    decision(['A'], 'matches(n, "x")'),
    decision(['C'], 'matches(n, "x")'),
    'equivalent,only_adds,only_removes,*->C,*->*',
  ],
  [
    'a shadowed branch behind a pattern',
    decision(['A'], 'matches(n, "x")', 'm > 1'),
    decision(['A'], 'matches(n, "x")', 'm > 1', 'm > 2'),
    '',
    'equivalent,no_new_failure,only_adds,only_removes,C->*,*->*',
  ],
  [
    'two branches in the other order',
    decision(['A'], 'n > 1', 'm == 2'),
    decision(['A'], 'm == 2', 'n > 1'),
    'equivalent,only_removes',
    'equivalent,no_new_failure,only_adds,only_removes,*->C,C->*,*->*',
  ],
  [
    'two branches in the other order, which end with other codes',
    decision(['A', 'B'], 'n > 1', 'm == 2'),
    decision(['A', 'B'], 'm == 2', 'n > 1'),
    'equivalent,only_adds,only_removes,A->B,*->*',
    'equivalent,no_new_failure,only_adds,only_removes,A->B,*->C,C->*,*->*',
  ],
  [
    'two patterns in the other order, which may fail',
    decision(['A'], 'matches(n, "x")', 'matches(n, "y")'),
    decision(['A'], 'matches(n, "y")', 'matches(n, "x")'),
    'equivalent,no_new_failure,only_adds,only_removes',
    'equivalent,no_new_failure,only_adds,only_removes,*->C,C->*,*->*',
  ],
  [
    'two fields in the other order, which must exist',
    strict(['A'], 'n > 1', 'm > 2'),
    strict(['A'], 'm > 2', 'n > 1'),
    'equivalent,no_new_failure,only_adds,only_removes',
    'equivalent,no_new_failure,only_adds,only_removes,*->C,C->*,*->*',
  ],
  [
    'a branch more, whose field must exist',
    strict(['A', 'C'], 'n > 1'),
    strict(['A', 'C'], 'n > 1', 'm > 1'),
    'equivalent,no_new_failure,only_adds',
  ],
  [
    'a branch less, whose field must exist',
    strict(['A', 'C'], 'n > 1', 'm > 1'),
    strict(['A', 'C'], 'n > 1'),
    'equivalent,only_removes',
  ],
  ['a default more', without(null, 'n > 1'), without('A', 'n > 1'), 'equivalent,only_removes'],
  ['a default less', without('A', 'n > 1'), without(null, 'n > 1'), 'equivalent,no_new_failure,only_adds'],
  [
    'a shadowed branch, without a default',
    without(null, 'n > 0'),
    without(null, 'n > 0', 'n > 1'),
    '',
    'equivalent,only_removes',
  ],
  [
    'a larger branch, without a default',
    without(null, 'n > 1'),
    without(null, 'n > 1', 'n > 0'),
    'equivalent,only_removes',
  ],
  [
    'a smaller branch, without a default',
    without(null, 'n > 0'),
    without(null, 'n > 1'),
    'equivalent,no_new_failure,only_adds',
    'equivalent,no_new_failure,only_adds,only_removes',
  ],
  [
    'a negation twice',
    decision(['A'], 'n > 1'),
    decision(['A'], '!!(n > 1)'),
    '',
    'equivalent,no_new_failure,only_adds,only_removes,*->C,C->*,*->*',
  ],
  [
    'a condition that cannot fail, and the same negated twice',
    decision(['A'], 'l[-1] == 1'),
    decision(['A'], '!!(l[-1] == 1)'),
    '',
    'equivalent,only_adds,only_removes,*->C,C->*,*->*',
  ],
  [
    'a negation',
    decision(['A', 'C'], 'n > 1'),
    decision(['A', 'C'], '!(n > 1)'),
    'equivalent,only_adds,only_removes,*->C,C->*,*->*',
    'equivalent,no_new_failure,only_adds,only_removes,*->C,C->*,*->*',
  ],
  [
    'a negation with the other code',
    decision(['A'], 'n > 1'),
    decisionOf(['!(n > 1)'], { targets: ['C'], rest: 'A' }),
    '',
    'equivalent,no_new_failure,only_adds,only_removes,*->C,C->*,*->*',
  ],
  [
    'a choice',
    decision(['A'], 'n > 1 && m == 2'),
    decision(['A'], 'if n > 1 then m == 2 else false'),
    '',
    'equivalent,no_new_failure,only_adds,only_removes,*->C,C->*,*->*',
  ],
  [
    'a bound that differs by one number',
    decision(['A'], 'n > 1'),
    decision(['A'], 'n >= 1'),
    'equivalent,only_adds,only_removes,C->*,*->*',
    'equivalent,no_new_failure,only_adds,only_removes,*->C,C->*,*->*',
  ],
  [
    'a condition that comes later in the other version',
    decision(['A', 'B'], 'n > 1', 'm == 2'),
    decision(['B', 'A', 'B'], 'k == 1', 'n > 1', 'm == 2'),
    'equivalent,only_adds,only_removes,A->B,C->*,*->*',
  ],
])(
  'versions with %s: claims that no cover proves, and those that need one',
  (_title, before, after, refuted, undecided = refuted) => {
    const checker = checkerOf(before, after)
    const textsOf = (isRefused: (claim: Claim) => boolean) => COMPARISONS.filter(isRefused).map(claimText).join()
    expect(textsOf((claim) => typeof findCover(checker, claim, []) === 'string')).toBe(refuted)
    expect(textsOf((claim) => outcomeOf(() => checker.check(claim, 0)) !== 'accepted')).toBe(undecided)
  },
)

/** A step that sets a variable to an expression, and then decides. */
const setsFirst = (value: string, ...conditions: readonly string[]) =>
  decisionOf(conditions, {
    targets: ['A'],
    config: { entry_step: 'set' },
    steps: {
      set: { id: 'set', type: 'action', actions: [{ action: 'set_variable', name: 'v', value }], next_step: 'd' },
    },
  })

/** A decision whose only branch sets a variable to an expression. */
function setsWhenTaken(value: string, condition: string, next: string): RulesetDocument {
  const actions = [{ action: 'set_variable', name: 'v', value }]
  const branches = [{ condition, actions, next_step: 'e' }]
  const e = { id: 'e', type: 'decision', branches: [{ condition: next, next_step: 'A' }], default_next: 'B' }
  return decisionOf([], { steps: { d: { id: 'd', type: 'decision', branches, default_next: 'C' }, e } })
}

test.each<[title: string, before: RulesetDocument, after: RulesetDocument, refuted: string]>([
  ['the same error at the start', setsFirst('abs(k)', 'n > 1'), setsFirst('abs(k)', '!!(n > 1)'), ''],
  [
    'another error at the start',
    setsFirst('abs(k)', 'n > 1'),
    setsFirst('floor(k)', 'n > 1'),
    'equivalent,no_new_failure,only_adds,only_removes',
  ],
  [
    'an error more at the start',
    setsFirst('1', 'n > 1'),
    setsFirst('abs(k)', 'n > 1'),
    'equivalent,no_new_failure,only_adds',
  ],
  ['an error less at the start', setsFirst('abs(k)', 'n > 1'), setsFirst('1', 'n > 1'), 'equivalent,only_removes'],
  ['the same error of a branch', setsWhenTaken('abs(k)', 'm', 'n > 1'), setsWhenTaken('abs(k)', 'm', '!!(n > 1)'), ''],
  [
    'another error of a branch',
    setsWhenTaken('abs(k)', 'm', 'n > 1'),
    setsWhenTaken('floor(k)', 'm', 'n > 1'),
    'equivalent,no_new_failure,only_adds,only_removes',
  ],
  [
    'the same error behind another condition',
    setsWhenTaken('abs(k)', 'm', 'n > 1'),
    setsWhenTaken('abs(k)', '!!m', 'n > 1'),
    'equivalent,no_new_failure,only_adds,only_removes',
  ],
  [
    'a variable with another value',
    setsFirst('n', '$v > 1'),
    setsFirst('m', '$v > 1'),
    'equivalent,no_new_failure,only_adds,only_removes,*->C,C->*,*->*',
  ],
  ['a variable that is not read', setsFirst('n', 'n > 1'), setsFirst('m', 'n > 1'), ''],
])('versions with %s: claims that no cover proves', (_title, before, after, refuted) => {
  const checker = checkerOf(before, after)
  const isRefuted = (claim: Claim) => typeof findCover(checker, claim, []) === 'string'
  expect(COMPARISONS.filter(isRefuted).map(claimText).join()).toBe(refuted)
})

/** A step that leads back to itself while a condition holds, and makes a call on the way if there is one. */
function loopOf(condition: string, action?: ObjectValue): RulesetDocument {
  const again = { id: 'again', type: 'action', actions: action === undefined ? [] : [action], next_step: 'd' }
  return decisionOf([condition], { targets: ['again'], steps: { again } })
}

const CALL: ObjectValue = { action: 'external_call', service: 's', method: 'm', params: [], result_variable: 'r' }
const configured = (config: ObjectValue) => decisionOf(['n > 1'], { config })
const PLAIN = decisionOf(['n > 1'])
const DIFFERENT = 'the `config` of the versions differs'
const contracted = (mode: string, type: string) => decisionOf(['n > 1'], contractOf([{ name: 'n', type }], mode))

test.each<[title: string, documents: readonly [RulesetDocument, ...RulesetDocument[]], outcome: string]>([
  ['one ruleset', [PLAIN], 'accepted'],
  ['two', [PLAIN, PLAIN], 'accepted'],
  ['two of other names', [PLAIN, configured({ name: 'other' })], 'accepted'],
  ['another `max_depth`', [PLAIN, configured({ max_depth: 7 })], DIFFERENT],
  ['another `field_missing`', [PLAIN, configured({ field_missing: 'strict' })], DIFFERENT],
  ['other numbers', [PLAIN, configured({ numbers: 'decimal' })], DIFFERENT],
  [
    'other defaults',
    [
      configured({ field_missing: 'default', defaults: { n: 1 } }),
      configured({ field_missing: 'default', defaults: { n: 2 } }),
    ],
    DIFFERENT,
  ],
  [
    'the same defaults in another order',
    [
      configured({ field_missing: 'default', defaults: { n: 1, m: 2 } }),
      configured({ field_missing: 'default', defaults: { m: 2, n: 1 } }),
    ],
    'accepted',
  ],
  ['another contract', [contracted('enforce', 'number'), contracted('enforce', 'integer')], DIFFERENT],
  ['another contract that only warns', [contracted('warn', 'number'), contracted('warn', 'integer')], 'accepted'],
  ['a loop', [loopOf('n > 1')], 'accepted'],
  ['a loop in one of two', [PLAIN, loopOf('n > 1')], 'an execution may enter more than `max_depth` steps'],
  ['a loop in both', [loopOf('n > 1'), loopOf('n > 1')], 'an execution may enter more than `max_depth` steps'],
  ['calls in a loop', [loopOf('n > 1', CALL)], 'there are calls in a loop'],
  ['a path that is too long', [configured({ max_depth: 1 })], 'accepted'],
  [
    'two paths that are too long',
    [configured({ max_depth: 1 }), configured({ max_depth: 1 })],
    'an execution may enter more than `max_depth` steps',
  ],
])('a checker of %s', (_title, documents, outcome) => {
  expect(outcomeOf(() => checkerOf(...documents))).toBe(outcome)
})

test.each<[claim: Claim, documents: readonly [RulesetDocument, ...RulesetDocument[]], outcome: string]>([
  [EQUIVALENT, [PLAIN], '`equivalent` needs two'],
  [{ kind: 'forbid', from: 'A', to: 'B' }, [PLAIN], '`forbid` needs two'],
  [dead(0), [PLAIN, PLAIN], '`dead_branch` needs one ruleset'],
  [EQUIVALENT, [PLAIN, PLAIN], 'accepted'],
  [{ kind: 'unreachable_code', code: 'B' }, [PLAIN], 'accepted'],
])('the claim %j', (claim, documents, outcome) => {
  expect(outcomeOf(() => checkerOf(...documents).check(claim, 0))).toBe(outcome)
})

const at = (place: string) => ({ place: `/steps/${place}` })

test.each<[title: string, document: RulesetDocument, proved: readonly Claim[], refuted: readonly Claim[]]>([
  [
    'branches that exclude each other',
    decisionOf(['n == 1', 'n == 1', 'true', 'n == 2']),
    [
      { kind: 'shadowed', ...at('d/branches/1') },
      dead(3),
      { kind: 'always_true', ...at('d/branches/2') },
      { kind: 'unreachable_step', ...at('C') },
      { kind: 'unreachable_code', code: 'C' },
      { kind: 'gap', ...at('d') },
    ],
    [
      dead(0),
      { kind: 'shadowed', ...at('d/branches/2') },
      { kind: 'always_true', ...at('d/branches/0') },
      dead(2),
      { kind: 'unreachable_step', ...at('d') },
      { kind: 'unreachable_step', ...at('A') },
      { kind: 'unreachable_code', code: 'A' },
    ],
  ],
  [
    'a decision without a default',
    decisionOf(['n == 1'], { rest: null }),
    [{ kind: 'unreachable_code', code: 'B' }],
    [{ kind: 'gap', ...at('d') }],
  ],
  ['all inputs, without a default', decisionOf(['true'], { rest: null }), [{ kind: 'gap', ...at('d') }], [dead(0)]],
  [
    'a loop',
    loopOf('n > 1'),
    [{ kind: 'unreachable_code', code: 'A' }],
    [dead(0), { kind: 'unreachable_code', code: 'C' }],
  ],
  [
    'actions that lead back to themselves',
    decisionOf(['n > 1'], {
      targets: ['again'],
      steps: {
        again: { id: 'again', type: 'action', actions: [], next_step: 'more' },
        more: { id: 'more', type: 'action', actions: [], next_step: 'again' },
      },
    }),
    [{ kind: 'unreachable_code', code: 'A' }],
    [dead(0), { kind: 'unreachable_step', ...at('more') }, { kind: 'unreachable_code', code: 'C' }],
  ],
  ['a variable', setsFirst('n', '$v > 1', '$v > 2'), [dead(1)], [dead(0)]],
  ['a variable that is not set', decisionOf(['$v > 1']), [], [dead(0)]],
  ['the clock, which stands still', decisionOf(['now() == "x"', 'now() == "x"']), [dead(1)], [dead(0)]],
  ['two fields', decisionOf(['n > m', 'n > m']), [dead(1)], [dead(0)]],
  ['a field and a computation from it', decisionOf(['n != round(n)']), [], [dead(0)]],
  ['a list that is an item of a field', decisionOf(['[] in n']), [], [dead(0)]],
  ['a field and another one inside', decisionOf(['o.n > 1', 'o.n > 2', 'o == null']), [dead(1)], [dead(0), dead(2)]],
  ['all items of a list', decisionOf(['len(l.*.n) > 1']), [], [dead(0)]],
  ['the last item of a list', decisionOf(['l[-1] == 1', 'l[-1] == 2', 'l[-1] == 1']), [dead(2)], [dead(0), dead(1)]],
  ['an item of a list', decisionOf(['l[0] == 1', 'l[0] > 0 && l[0] < 2 && l[0] == 1']), [dead(1)], [dead(0)]],
  ['the whole input', decisionOf(['$ == null', 'len($) > 1']), [], [dead(0)]],
  ['types that exclude each other', decisionOf(['is_number(n) && is_string(n)']), [dead(0)], []],
])('claims about %s', (_title, document, proved, refuted) => {
  const checker = checkerOf(document)
  const textsOf = (claims: readonly Claim[]) => claims.map((claim) => stringifyJson({ ...claim }))
  const found = [...proved, ...refuted].filter((claim) => typeof findCover(checker, claim, []) !== 'string')
  expect(textsOf(found)).toEqual(textsOf(proved))
})

test.each<[condition: string, fields: readonly string[]]>([
  ['n > m', ['n', 'm']],
  ['n > m', ['m', 'n']],
  ['n != round(n)', ['n']],
  ['[] in n', ['n']],
  ['l[-1] == 1', ['l[-1]']],
  ['l[-2] == 1', ['l[-2]']],
  ['l[-1].a == 1', ['l[-1].a']],
  ['len(l.*.n) > 1', ['l.*.n']],
  ['len($) > 1', ['$']],
  ['now() == "x"', ['n']],
  ['n == $v', ['n']],
  ['n > 1.5 && n < 1.6', ['n']],
  ['matches(n, "x")', ['n']],
  ['ends_with(n, "x")', ['n']],
  ['n + 1 == 3', ['n']],
  ['o.n > 1 && o == null', ['o']],
])('no single values prove that %s never holds', (condition, fields) => {
  const document = decisionOf([condition])
  const checker = checkerOf(document)
  // The finest cover: a part for each class of each field.
  const cover = fields.reduceRight<unknown>(
    (inner, field) => [field, ...checker.partsOf(field).map((one) => [[one, one], inner])],
    0,
  )
  expect(outcomeOf(() => checker.check(dead(0), cover))).toBe(UNDECIDED)
})

/** An end with a message and outputs. */
const endsWith = (
  message: string,
  output: Readonly<Record<string, string>>,
  code = 'A',
  actions: readonly ObjectValue[] = [],
) =>
  decisionOf(['n > 1'], {
    targets: ['A'],
    config: { entry_step: 'first', message_templates: true },
    steps: {
      first: { id: 'first', type: 'action', actions, next_step: 'd' },
      A: { id: 'A', type: 'terminal', result: { code, message, output: Object.entries(output) } },
    },
  })

const sets = (value: string): ObjectValue => ({ action: 'set_variable', name: 'v', value })
const calls = (change: ObjectValue = {}): ObjectValue => ({ ...CALL, params: [['k', 'n']], ...change })
const asks = (...actions: readonly ObjectValue[]) => endsWith('', { r: '$r' }, 'A', actions)
const CALLEE: ObjectValue = { action: 'call_ruleset', ruleset_name: 'callee', result_variable: 'r' }

test.each<[title: string, before: RulesetDocument, after: RulesetDocument, isEquivalent: boolean]>([
  ['the same result', endsWith('m', { x: 'n' }), endsWith('m', { x: 'n' }), true],
  ['another message', endsWith('m', { x: 'n' }), endsWith('k', { x: 'n' }), false],
  ['the same value in the message', endsWith('n is {n}', {}), endsWith('n is {n}', {}), true],
  ['another value in the message', endsWith('n is {n}', {}), endsWith('n is {m}', {}), false],
  ['another output', endsWith('m', { x: 'n' }), endsWith('m', { x: 'n + 1' }), false],
  ['an output of another name', endsWith('m', { x: 'n' }), endsWith('m', { y: 'n' }), false],
  ['an output more', endsWith('m', { x: 'n' }), endsWith('m', { x: 'n', y: 'n' }), false],
  ['another code', endsWith('m', { x: 'n' }), endsWith('m', { x: 'n' }, 'B'), false],
  [
    'a variable in place of its value',
    endsWith('m', { x: '$v' }, 'A', [sets('n')]),
    endsWith('m', { x: 'n' }, 'A', [sets('m')]),
    true,
  ],
  [
    'a variable with another value',
    endsWith('m', { x: '$v' }, 'A', [sets('n')]),
    endsWith('m', { x: '$v' }, 'A', [sets('m')]),
    false,
  ],
  [
    'a variable that is set twice',
    endsWith('m', { x: '$v' }, 'A', [sets('m'), sets('n')]),
    endsWith('m', { x: 'n' }),
    true,
  ],
  [
    'names that move from one output to the next',
    endsWith('m', { x: 'n', y: 'nn' }),
    endsWith('m', { x: 'nn', y: 'n' }),
    false,
  ],
  [
    'a metric with the name of a variable',
    endsWith('m', { x: '$v' }, 'A', [sets('n'), { action: 'metric', name: 'v', value: 'm' }]),
    endsWith('m', { x: 'n' }),
    true,
  ],
  ['a log', endsWith('m', {}, 'A', [{ action: 'log', level: 'info', message: 'x' }]), endsWith('m', {}), true],
  ['the same call', asks(calls()), asks(calls()), true],
  ['a call of another service', asks(calls()), asks(calls({ service: 't' })), false],
  ['a call of another method', asks(calls()), asks(calls({ method: 'k' })), false],
  ['a call with other parameters', asks(calls()), asks(calls({ params: [['k', 'n + 1']] })), false],
  ['the second of two equal calls', asks(calls()), asks(calls(), calls()), false],
  ['a call after another one', asks(calls()), asks(calls({ method: 'k', result_variable: 'q' }), calls()), false],
  ['a called ruleset', asks(CALLEE), asks(CALLEE), true],
  ['another called ruleset', asks(CALLEE), asks({ ...CALLEE, ruleset_name: 'other' }), false],
  ['a call that no one awaits', asks(calls(), calls({ method: 'tell', result_variable: null })), asks(calls()), false],
])('versions with %s', (_title, before, after, isEquivalent) => {
  const checker = checkerOf(before, after)
  expect(outcomeOf(() => checker.check(EQUIVALENT, 0)) === 'accepted').toBe(isEquivalent)
})
