import { diff, impact, type ImpactOptions } from '@engine/analysis'
import { decodeRuleset, type Ruleset } from '@engine/ruleset'
import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'

type Fields = { readonly [name: string]: Value }

function decoded(document: Fields): Ruleset {
  const { ruleset, problems } = decodeRuleset(document)
  if (ruleset === undefined) throw new Error(problems[0]?.message)
  return ruleset
}

const terminal = (code: string, more: Fields = {}) => ({
  id: code,
  type: 'terminal',
  result: { code, message: '', ...more },
})

/** One decision with rows `[condition, code]`, and the code N for all other inputs. */
function table(rows: readonly (readonly [string, string])[], config: Fields = {}, results: Fields = {}): Ruleset {
  const codes = [...new Set([...rows.map(([, code]) => code), 'N'])]
  return decoded({
    config: { name: 'table', entry_step: 'd', ...config },
    steps: {
      d: {
        id: 'd',
        type: 'decision',
        branches: rows.map(([condition, next_step]) => ({ condition, next_step })),
        default_next: 'N',
      },
      ...Object.fromEntries(codes.map((code) => [code, terminal(code)])),
      ...results,
    },
  })
}

/** A step of actions that set a variable, and a result with it. */
function computed(value: string, output: string, config: Fields = {}): Ruleset {
  return decoded({
    config: { name: 'computed', entry_step: 'a', ...config },
    steps: {
      a: { id: 'a', type: 'action', actions: [{ action: 'set_variable', name: 'v', value }], next_step: 'X' },
      X: terminal('X', { output: [['o', output]] }),
    },
  })
}

/** The regions as `condition: before > after`; `?` begins those that are not complete. */
function regionsOf(before: Ruleset, after: Ruleset): readonly string[] {
  return diff(before, after).regions.map(({ condition, complete, before: old, after: young }) => {
    const [from, to] = [old, young].map((side) => ('error' in side ? side.error.code : side.code))
    return `${complete ? '' : '? '}${condition}: ${from} > ${to}`
  })
}

describe('errors', () => {
  test.each([
    ['the same error of another expression', 'n + 1 > 5', 'n + 1 > 7', ['n > 4 && n < 6.000000000000001: X > N']],
    ['another error', 'n > 5', 'n + 1 > 6', ['n == null: N > null-operand']],
    [
      'a condition that fails no more',
      'starts_with(t, "a")',
      'false',
      ['t != null && !is_string(t): wrong-type > N', 'starts_with(t, "a"): X > N'],
    ],
  ])('%s', (_title, first, second, regions) => {
    expect(regionsOf(table([[first, 'X']]), table([[second, 'X']]))).toEqual(regions)
  })
})

describe('claims', () => {
  const CLAIMS = { no_new_failure: 'proved', only_adds: 'refuted', only_removes: 'refuted' } as const
  test.each([
    ['other codes', 'is_number(n) && n > 5', 'is_number(n) && n > 7', CLAIMS],
    ['a failure that is decided now', 'n > 5', 'is_number(n) && n > 5', { ...CLAIMS, only_adds: 'proved' }],
    [
      'decisions that fail now',
      'is_number(n) && n > 5',
      'n > 5',
      { no_new_failure: 'refuted', only_adds: 'refuted', only_removes: 'proved' },
    ],
    ['nothing', 'n > 5', '5 < n', { no_new_failure: 'proved', only_adds: 'proved', only_removes: 'proved' }],
    [
      'an opaque condition',
      `md5(t) == "${'b'.repeat(32)}"`,
      `md5(t) == "${'c'.repeat(32)}"`,
      { no_new_failure: 'proved', only_adds: 'unknown', only_removes: 'unknown' },
    ],
  ])('of %s', (_title, first, second, claims) => {
    expect(diff(table([[first, 'X']]), table([[second, 'X']]))).toMatchObject(claims)
  })
})

describe('changes of code', () => {
  const old = [
    ['n == 1', 'A'],
    ['n == 2', 'B'],
  ] as const
  const young = [
    ['n == 1', 'B'],
    ['n == 2', 'B'],
    ['n == 3', 'A'],
  ] as const
  test.each([
    ['A', 'B', 'refuted', { n: 1 }],
    ['N', 'A', 'refuted', { n: 3 }],
    ['*', 'A', 'refuted', { n: 3 }],
    ['A', '*', 'refuted', { n: 1 }],
    ['B', 'A', 'proved', undefined],
    ['B', '*', 'proved', undefined],
    ['B', 'B', 'proved', undefined],
  ])('%s to %s: %s', (from, to, verdict, input) => {
    const { gates } = impact(table(old), table(young), { forbid: [{ from, to }] })
    const witness = input === undefined ? {} : { witness: { input } }
    expect(gates).toEqual([{ gate: `${from}->${to}`, verdict, ...witness }])
  })

  test('are unknown where an opaque condition decides, or where nothing is compared', () => {
    const gatesOf = (before: Ruleset, after: Ruleset, options: ImpactOptions = {}) =>
      impact(before, after, {
        ...options,
        forbid: [
          { from: 'N', to: 'X' },
          { from: 'X', to: 'Y' },
        ],
      }).gates.map(({ verdict }) => verdict)
    const opaque = (letter: string) => table([[`is_string(t) && md5(t) == "${letter.repeat(32)}"`, 'X']])
    expect(gatesOf(opaque('b'), opaque('c'))).toEqual(['unknown', 'proved'])
    expect(gatesOf(table([['n == 1', 'X']]), table([['n == 1', 'X']], { numbers: 'decimal' }))).toEqual([
      'unknown',
      'unknown',
    ])
    expect(gatesOf(table([['n == 1', 'X']]), table([['n == 2', 'X']]), { budget: 1 })).toEqual(['unknown', 'unknown'])
  })
})

describe('variables and results', () => {
  test.each([
    ['the same', computed('n + 1', '$v'), computed('n + 1', '$v'), 'equivalent'],
    ['set in another way', computed('n + 1', '$v'), computed('n', '$v + 1'), 'equivalent'],
    ['a constant', computed('1', '$v'), computed('2', '$v - 1'), 'equivalent'],
    ['another constant', computed('1', '$v'), computed('2', '$v'), 'different'],
    ['a field and its neighbour', computed('n', '$v'), computed('m', '$v'), 'different'],
    [
      'another mode of missing fields',
      computed('n', '$v'),
      computed('n', '$v', { field_missing: 'strict' }),
      'different',
    ],
  ])('%s', (_title, before, after, verdict) => {
    expect(diff(before, after)).toMatchObject({ verdict })
  })

  test('an action that fails', () => {
    expect(regionsOf(computed('n + 1', '1'), computed('1', '1'))).toEqual([
      'n == null: null-operand > X',
      'n != null && !is_number(n): wrong-type > X',
    ])
  })

  test('results of different steps are equal', () => {
    const output = { output: [['o', '1']] }
    const renamed = { Y: { id: 'Y', type: 'terminal', result: { code: 'X', message: '', ...output } } }
    expect(
      diff(table([['n == 1', 'X']], {}, { X: terminal('X', output) }), table([['n == 1', 'Y']], {}, renamed)).verdict,
    ).toBe('equivalent')
  })
})

test('a loop that ends by the limit of its steps', () => {
  const loop = (otherwise: string) =>
    decoded({
      config: { name: 'loop', entry_step: 'd', max_depth: 5 },
      steps: {
        d: { id: 'd', type: 'decision', branches: [{ condition: 'n == 1', next_step: 'X' }], default_next: otherwise },
        again: { id: 'again', type: 'action', actions: [], next_step: 'd' },
        X: terminal('X'),
        N: terminal('N'),
      },
    })
  expect(regionsOf(loop('again'), loop('N'))).toEqual(['n != 1: max-depth > N'])
})

describe('regions of the same codes', () => {
  const result = (id: string, code: string, message: string, o: string) => ({
    [id]: { id, type: 'terminal', result: { code, message, output: [['o', o]] } },
  })
  /** Rows to X with a constant, to X with a computed output, and to Y. */
  const mixed = (first: string, second: string, third: string) =>
    table(
      [
        [first, 'X'],
        [second, 'V'],
        [third, 'Y'],
      ],
      {},
      { ...result('X', 'X', '', '3'), ...result('V', 'X', '', 'n + 1'), ...result('Y', 'Y', '', '0') },
    )

  test('are not complete where one has a constant and one a computed result: both may be equal', () => {
    const regions = regionsOf(mixed('n == 1', 'n in [2, 5]', 'n == 9'), mixed('false', 'false', 'n in [1, 2, 5, 9]'))
    expect(regions).toEqual(['? n == 1: X > Y', '? n in [2, 5]: X > Y'])
    expect(regionsOf(mixed('n == 1', 'n in [2, 5]', 'n == 9'), mixed('false', 'n in [2, 5]', 'n in [1, 9]'))).toEqual([
      'n == 1: X > Y',
    ])
  })

  test('are one where the message differs whatever the output is', () => {
    const withMessage = (message: string, o: string) => table([['n in [1, 2]', 'X']], {}, result('X', 'X', message, o))
    expect(regionsOf(withMessage('old', 'n + 1'), withMessage('new', 'n * 2'))).toEqual(['n in [1, 2]: X > X'])
    expect(regionsOf(withMessage('old', 'n + 1'), withMessage('old', 'n * 2'))).toEqual(['? n == 2: X > X'])
  })

  test('are not complete where contracts with defaults are not compared', () => {
    const contractOf = (fields: readonly Fields[]) => ({
      contract: { mode: 'enforce', contract: { name: 'c', version: '1.0.0', input: { fields }, outputs: [] } },
    })
    const before = table([['n == 1', 'X']], contractOf([{ name: 'n', type: 'number', default: 1 }]))
    const after = table([['n == 2', 'X']], contractOf([{ name: 'n', type: 'number' }]))
    const regions = regionsOf(before, after)
    expect(regions.length).toBeGreaterThan(0)
    expect(regions.filter((region) => !region.startsWith('?'))).toEqual([])
  })
})

test('a complete region has the same condition whatever the budget', () => {
  const [before, after] = [table([['n > 5 && m != 3', 'X']]), table([['n > 7 && m != 4', 'X']])]
  const whole = diff(before, after).regions.map(({ condition }) => condition)
  const counts = Array.from({ length: 40 }, (_, index) => {
    const { regions, truncated } = diff(before, after, { budget: index * 200 })
    const complete = regions.filter((region) => region.complete).map(({ condition }) => condition)
    expect(whole).toEqual(expect.arrayContaining(complete))
    if (truncated) expect(complete).toEqual([])
    return complete.length
  })
  expect(counts[0]).toBe(0)
  expect(new Set(counts).size).toBeGreaterThan(1)
})

describe('a large table', () => {
  const rows = (count: number, edited?: string): readonly (readonly [string, string])[] =>
    Array.from({ length: count }, (_, index) => [
      index === 3 && edited !== undefined ? edited : `n >= ${1000 - index}`,
      index % 2 === 0 ? 'A' : 'B',
    ])

  test('has one region for an edited row', () => {
    expect(regionsOf(table(rows(200)), table(rows(200, 'n >= 997.5')))).toEqual(['n >= 997 && n < 997.5: B > A'])
  })

  test('is truncated when the budget ends', () => {
    const found = diff(table(rows(200)), table(rows(200, 'n >= 997.5')), { budget: 1, seeds: [{ n: 997 }] })
    expect(found).toMatchObject({
      verdict: 'different',
      truncated: true,
      no_new_failure: 'unknown',
      only_adds: 'refuted',
    })
    expect(found.regions).toMatchObject([{ condition: 'n == 997', complete: false }])
  })
})
