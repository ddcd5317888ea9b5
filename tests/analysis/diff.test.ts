import { diff, type Diff } from '@engine/analysis'
import { stringifyJson } from '@engine/expression'
import type { Ruleset, RulesetDocument } from '@engine/ruleset'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { areSame, Follower } from '../../packages/analysis/src/witness/trail.ts'
import { seededRandom } from '../../packages/ruleset/src/random.testing.ts'
import { casesOf, limitOf, printSeed, SEED } from '../cases.testing.ts'
import { mutatedRuleset, rewrittenRuleset } from './pairs.testing.ts'
import { combination, decoded, SMALL_VALUES, smallRuleset } from './soundness.testing.ts'

const COMBINATIONS = Object.values(SMALL_VALUES).reduce((product, { length }) => product * length, 1)
const PAIRS = casesOf(200)

describe.each([
  ['rewritten to an equal form', rewrittenRuleset],
  ['mutated in one place', mutatedRuleset],
])('pairs %s', (name, change) => {
  test(`no verdict about ${PAIRS} pairs is contradicted`, { timeout: limitOf(PAIRS, 4000) }, () => {
    printSeed(PAIRS)
    const random = seededRandom(SEED)
    const verdicts = { equivalent: 0, different: 0, unknown: 0 }
    for (let count = 0; count < PAIRS; count++) {
      const before = smallRuleset(random)
      const after = change(random, before)
      const found = diff(decoded(before), decoded(after))
      verdicts[found.verdict]++
      const inputs = Array.from({ length: 400 }, () => combination(Math.floor(random() * COMBINATIONS)))
      const wrong = contradicted(found, decoded(before), decoded(after), inputs)
      if (wrong !== undefined) expect.fail(`${wrong}: ${stringifyJson({ before, after })}`)
    }
    console.log(name, verdicts)
    if (name.startsWith('rewritten')) expect(verdicts.different).toBe(0)
    else if (PAIRS >= 20) expect(verdicts.different).toBeGreaterThan(0)
  })
})

/** Which verdict an input contradicts. */
function contradicted(found: Diff, before: Ruleset, after: Ruleset, inputs: readonly object[]): string | undefined {
  const [old, young] = [new Follower(before), new Follower(after)]
  for (const { witness, ...region } of found.regions) {
    const [first, second] = [old.follow(witness.input, witness.now), young.follow(witness.input, witness.now)]
    if (first.side === undefined || !areSame(first.side, region.before))
      return 'the witness does not show what was before'
    if (second.side === undefined || !areSame(second.side, region.after))
      return 'the witness does not show what is after'
    if (areSame(region.before, region.after)) return 'a region without a difference'
  }
  for (const input of inputs as { readonly [key: string]: never }[]) {
    const [first, second] = [old.follow(input).side, young.follow(input).side]
    if (first === undefined || second === undefined || areSame(first, second)) continue
    const shown = `${stringifyJson(input)} gives ${inspect(first, { depth: null })} and ${inspect(second, { depth: null })}`
    if (found.verdict === 'equivalent') return shown
    if (found.only_adds === 'proved' && !('error' in first)) return `only adds, but ${shown}`
    if (found.only_removes === 'proved' && !('error' in second)) return `only removes, but ${shown}`
    if (found.no_new_failure === 'proved' && !('error' in first) && 'error' in second)
      return `no new failure, but ${shown}`
  }
  return undefined
}

/** One decision with branches `[condition, code]`, followed by further steps. */
function table(rows: readonly (readonly [string, string])[], rest: string, config = {}): RulesetDocument {
  const codes = [...new Set([...rows.map(([, code]) => code), rest])]
  const terminals = codes.map(
    (code) => [code, { id: code, type: 'terminal', result: { code, message: code } }] as const,
  )
  const branches = rows.map(([condition, code]) => ({ condition, next_step: code }))
  return {
    config: { name: 'table', entry_step: 'd', ...config },
    steps: { d: { id: 'd', type: 'decision', branches, default_next: rest }, ...Object.fromEntries(terminals) },
  }
}

test('the only difference is a single double', () => {
  const before = table([['price * 1.1 < 110', 'LOW']], 'HIGH')
  const after = table([['price * 1.1 <= 110', 'LOW']], 'HIGH')
  const found = diff(decoded(before), decoded(after))
  const edges = found.regions.map(({ witness }) => Number(witness.input['price']) * 1.1)
  expect(edges).toEqual(found.verdict === 'different' ? [110] : [])
  const exact = diff(
    decoded(table([['x < 0.3', 'LOW']], 'HIGH')),
    decoded(table([['x < 0.30000000000000004', 'LOW']], 'HIGH')),
  )
  expect(exact.regions.map(({ witness, condition }) => [witness.input, condition])).toEqual([[{ x: 0.3 }, 'x == 0.3']])
})

test('regions are merged by what they change, and say where', () => {
  const before = table(
    [
      ['score >= 700', 'APPROVE'],
      ['score >= 600', 'REVIEW'],
    ],
    'DENY',
  )
  const after = table(
    [
      ['score >= 700', 'APPROVE'],
      ['score >= 620', 'REVIEW'],
    ],
    'DENY',
  )
  const { verdict, regions, no_new_failure, only_adds } = diff(decoded(before), decoded(after))
  expect({ verdict, no_new_failure, only_adds }).toEqual({
    verdict: 'different',
    no_new_failure: 'proved',
    only_adds: 'refuted',
  })
  expect(
    regions.map(({ condition, before: old, after: young }) => [
      condition,
      'code' in old && old.code,
      'code' in young && young.code,
    ]),
  ).toEqual([['score >= 600 && score < 620', 'REVIEW', 'DENY']])
})

test.each([
  [
    'rows in another order that do not overlap',
    [
      ['a == 1', 'X'],
      ['a == 2', 'Y'],
    ],
    [
      ['a == 2', 'Y'],
      ['a == 1', 'X'],
    ],
  ],
  [
    'two rows in one',
    [
      ['t == "DE"', 'X'],
      ['t == "FR"', 'X'],
    ],
    [['t in ["FR", "DE"]', 'X']],
  ],
  [
    'a range in two parts',
    [['a >= 1 && a < 9', 'X']],
    [
      ['a >= 1 && a < 5', 'X'],
      ['a >= 5 && a < 9', 'X'],
    ],
  ],
  [
    'a prefix and its implication',
    [['starts_with(t, "ab")', 'X']],
    [['starts_with(t, "ab") && starts_with(t, "a")', 'X']],
  ],
  ['a constant on the other side of a product', [['a * 2 > 10', 'X']], [['a > 5', 'X']]],
] as const)('proved equivalent: %s', (_name, first, second) => {
  // A text, for example, fails in both versions with the same error.
  const { verdict, regions, unknown } = diff(decoded(table(first, 'N')), decoded(table(second, 'N')))
  if (first[0]?.[0] === 'a * 2 > 10') expect(regions.every(({ before }) => 'error' in before)).toBe(true)
  else expect({ verdict, regions, unknown }).toEqual({ verdict: 'equivalent', regions: [], unknown: [] })
})

test('many branches that set a variable to different constants stay apart', () => {
  const steps = (bound: string) => ({
    d: {
      id: 'd',
      type: 'decision',
      branches: Array.from({ length: 120 }, (_, index) => ({
        condition: index === 60 ? bound : `kg <= ${index}`,
        next_step: 'quoted',
        actions: [{ action: 'set_variable', name: 'price', value: index }],
      })),
      default_next: 'heavy',
    },
    quoted: { id: 'quoted', type: 'terminal', result: { code: 'QUOTED', message: '', output: [['price', '$price']] } },
    heavy: { id: 'heavy', type: 'terminal', result: { code: 'HEAVY', message: '' } },
  })
  const config = { name: 'rates', entry_step: 'd' }
  const found = diff(decoded({ config, steps: steps('kg <= 60') }), decoded({ config, steps: steps('kg < 60') }))
  expect(found.regions.map(({ condition, witness }) => [condition, witness.input])).toEqual([['kg == 60', { kg: 60 }]])
})

test('an unknown value of one round of a loop is not that of the next', () => {
  const config = { name: 'loop', entry_step: 'ask', max_depth: 12 }
  const steps = (limit: number) => ({
    ask: {
      id: 'ask',
      type: 'action',
      actions: [{ action: 'set_variable', name: 'n', value: 'coalesce($n, 0) + step' }],
      next_step: 'd',
    },
    d: {
      id: 'd',
      type: 'decision',
      branches: [{ condition: `$n >= ${limit}`, next_step: 'done' }],
      default_next: 'ask',
    },
    done: { id: 'done', type: 'terminal', result: { code: 'DONE', message: '', output: [['n', '$n']] } },
  })
  const found = diff(decoded({ config, steps: steps(3) }), decoded({ config, steps: steps(2) }))
  expect(found.verdict).toBe('different')
  const [region] = found.regions
  expect(region === undefined || areSame(region.before, region.after)).toBe(false)
})

test.each([
  ['a constant of its own', 'n > 1', 'n >= 1', 'n == 1', 1],
  ['a digit that no double shows', 'n > 1', 'n > 1.000000000000000000001', undefined, undefined],
  ['the tax of a sum', 'net * 1.19 > 119', 'net > 100', undefined, undefined],
] as const)('decimals differ by %s', (_name, first, second, condition, value) => {
  const versions = [first, second].map((text) => decoded(table([[text, 'X']], 'N', { numbers: 'decimal' })))
  const [before, after] = versions
  if (before === undefined || after === undefined) throw new Error('two versions')
  expect(diff(before, before)).toMatchObject({ verdict: 'equivalent', unknown: [] })
  const found = diff(before, after)
  expect(found).toMatchObject({ verdict: 'different', truncated: false, unknown: [] })
  const region = found.regions.find((one) => !('error' in one.before))
  if (condition !== undefined) expect(region).toMatchObject({ condition, witness: { input: { n: value } } })
})

test('decimal quotients are compared before they are rounded', () => {
  const decimals = (text: string) => decoded(table([[text, 'X']], 'N', { numbers: 'decimal' }))
  expect(diff(decimals('n / 3 * 3 < 1'), decimals('n < 1')).verdict).toBe('different')
  const { verdict, unknown } = diff(decimals('is_number(n) && n / 4 < 1'), decimals('is_number(n) && n < 4'))
  expect({ verdict, unknown }).toEqual({ verdict: 'equivalent', unknown: [] })
})

test('versions with different kinds of numbers are unknown unless an input differs', () => {
  const [before, after] = (['double', 'decimal'] as const).map((numbers) =>
    decoded(table([['n > 1', 'X']], 'N', { numbers })),
  )
  if (before === undefined || after === undefined) throw new Error('two versions')
  expect(diff(before, after)).toMatchObject({
    verdict: 'unknown',
    unknown: [{ place: '/config/numbers', reason: 'one version computes with doubles, the other with decimals' }],
  })
})
