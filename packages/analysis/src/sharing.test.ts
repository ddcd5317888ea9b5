import type { Value } from '@engine/expression'
import { decodeRuleset, type Ruleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { isEqual, sharing } from './sharing.ts'

const terminal = (id: string, output: Value = []) => ({
  id,
  type: 'terminal',
  result: { code: id, message: '', output },
})

/** A table whose rows lead to results of their own, or set a variable before. */
function table(conditions: readonly string[], { output = '1', value = '2', name = 'table' } = {}): Ruleset {
  const branches = conditions.map((condition, index): Value => ({
    condition,
    next_step: index % 2 === 0 ? 'a' : 'b',
    actions: index % 3 === 0 ? [{ action: 'set_variable', name: 'v', value }] : [],
  }))
  const { ruleset, problems } = decodeRuleset({
    config: { name, entry_step: 'd' },
    steps: {
      d: { id: 'd', type: 'decision', branches, default_next: 'a' },
      a: terminal('a', [['o', output]]),
      b: terminal('b'),
    },
  })
  if (ruleset === undefined) throw new Error(problems[0]?.message)
  return ruleset
}

const ROWS = ['x == 1', 'x == 2 && y > 3', 'len(z) < 4', 'x == 5', 'x == 6']

/** For each branch of the later version: whether its condition, and whether all of it, is an object of the earlier one. */
function sharedRows(before: Ruleset, after: Ruleset) {
  const branchesOf = ({ steps }: Ruleset) => {
    const step = steps.get('d')
    return step?.type === 'decision' ? step.branches : []
  }
  const old = branchesOf(before)
  return branchesOf(sharing(before, after)).map((branch) =>
    old.includes(branch) ? 'all' : old.some(({ condition }) => condition === branch.condition) ? 'condition' : 'new',
  )
}

test.each<[what: string, after: Ruleset, rows: readonly string[]]>([
  ['the same rows', table(ROWS), ['all', 'all', 'all', 'all', 'all']],
  ['an edited row', table(ROWS.with(1, 'x == 2 && y > 4')), ['all', 'new', 'all', 'all', 'all']],
  ['a space more in a row', table(ROWS.with(3, 'x  == 5')), ['all', 'all', 'all', 'new', 'all']],
  ['a further row at the end', table([...ROWS, 'q']), ['all', 'all', 'all', 'all', 'all', 'new']],
  // The targets and actions of the rows after it are others.
  ['a new row before', table(['q', ...ROWS]), ['new', 'condition', 'condition', 'condition', 'condition', 'condition']],
  ['a removed row', table(ROWS.toSpliced(1, 1)), ['all', 'condition', 'condition', 'condition']],
  ['an edited action', table(ROWS, { value: '3' }), ['condition', 'all', 'all', 'condition', 'all']],
])('with %s the parts that are equal are shared', (_what, after, rows) => {
  const before = table(ROWS)
  expect(sharedRows(before, after)).toEqual(rows)
  expect(sharing(before, after)).toEqual(after)
})

test('equal steps and settings are shared, and no others', () => {
  const before = table(ROWS)
  const sharedOf = (after: Ruleset) => {
    const { config, steps } = sharing(before, after)
    return [config === before.config, ...[...steps].map(([id, step]) => step === before.steps.get(id))]
  }
  expect(sharedOf(table(ROWS))).toEqual([true, true, true, true])
  expect(sharedOf(table(ROWS, { output: '2' }))).toEqual([true, true, false, true])
  expect(sharedOf(table(ROWS.with(0, 'x == 9')))).toEqual([true, false, true, true])
  expect(sharedOf(table(ROWS, { name: 'other' }))).toEqual([false, true, true, true])
})

test.each<[left: unknown, right: unknown, equal: boolean]>([
  [1, 1, true],
  [1, '1', false],
  [0, -0, false],
  [Number.NaN, Number.NaN, true],
  [10n, 10n, true],
  [10n, 10, false],
  [null, undefined, false],
  [null, {}, false],
  [{}, null, false],
  [[], {}, false],
  [[1, [2]], [1, [2]], true],
  [[1, [2]], [1, [3]], false],
  [[1], [1, 2], false],
  [[1, 2], [1], false],
  [{ a: 1, b: 2 }, { a: 1, b: 2 }, true],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: 1, b: 2 }, { a: 1 }, false],
  [{ a: undefined }, {}, false],
  [new Map([['a', 1]]), new Map([['a', 1]]), true],
  [new Map([['a', 1]]), new Map([['a', 2]]), false],
  [new Map([['a', 1]]), new Map([['b', 1]]), false],
  [new Map(), {}, false],
  [{}, new Map(), false],
  [new Map(), [], false],
])('%o and %o are equal: %s', (left, right, equal) => {
  expect(isEqual(left, right)).toBe(equal)
})

test('decimals are equal by their digits', () => {
  const decimal = (text: string) => decimalsOf(`x == ${text}`)
  expect(isEqual(decimal('0.12345678901234567890'), decimal('0.12345678901234567890'))).toBe(true)
  expect(isEqual(decimal('0.12345678901234567890'), decimal('0.12345678901234567891'))).toBe(false)
  expect(isEqual(decimal('0.12345678901234567890'), decimal('0.5'))).toBe(false)
  expect(isEqual(decimal('0.5'), decimal('0.12345678901234567890'))).toBe(false)
})

/** The right side of a comparison in a decimal ruleset. */
function decimalsOf(condition: string): unknown {
  const { ruleset } = decodeRuleset({
    config: { name: 'decimals', entry_step: 'd', numbers: 'decimal' },
    steps: {
      d: { id: 'd', type: 'decision', branches: [{ condition, next_step: 'a' }], default_next: 'a' },
      a: terminal('a'),
    },
  })
  const step = ruleset?.steps.get('d')
  const found = step?.type === 'decision' ? step.branches[0]?.condition : undefined
  if (found?.kind !== 'binary' || found.right.kind !== 'literal') throw new Error('no comparison with a constant')
  return found.right.value
}

test('a chain of 50,000 operators is compared', () => {
  const chainTo = (last: unknown) => {
    let chain = last
    for (let index = 0; index < 50_000; index++) chain = { left: chain, index }
    return chain
  }
  expect(isEqual(chainTo(1), chainTo(1))).toBe(true)
  expect(isEqual(chainTo(1), chainTo(2))).toBe(false)
})
