import { describe, expect, test } from 'vitest'
import { Budget, BudgetError } from './budget.ts'
import { CHARGED, type ChargedCase, type Measured, measureCase } from './charges.testing.ts'
import { compile } from './compiler.ts'
import { FUNCTIONS } from './functions/index.ts'
import { interpret } from './interpreter.ts'
import { parse } from './parser.ts'
import { LENIENT } from './runtime.ts'
import type { Value } from './value.ts'

test('every function is among the measured cases, and has a cost', () => {
  const measured = new Set(CHARGED.map(({ of }) => of))
  for (const { name, cost } of FUNCTIONS.values()) {
    expect(measured, `add a case for \`${name}\` to charges.testing.ts: its worst input`).toContain(name)
    expect(cost, name).toBeGreaterThan(0)
  }
})

/** Items and characters of the input: large enough that a forgotten charge shows in the time. */
const SIZE = 60_000
/** A unit costs some 25 ns on an idle machine; this one runs other tests at the same time. */
const NANOSECONDS = 400
/** Overhead of the measurement and of a first call. */
const SLACK = 1e6

describe('all work is charged: a unit takes a bounded number of nanoseconds', () => {
  test.each(CHARGED)('$of: $expression', (one: ChargedCase) => {
    const isCharged = ({ nanoseconds, units }: Measured) => nanoseconds < units * NANOSECONDS + SLACK
    const once = measureCase(one, SIZE, 1)
    // Take the best of several runs when the first one was disturbed.
    const shown = once.every(isCharged) ? once : measureCase(one, SIZE, 5)
    expect(shown.filter((each) => !isCharged(each))).toEqual([])
  })
})

describe('work ends where its budget does, whatever is computed', () => {
  const long = 'pad_left("", 1000000, "a")'
  test.each([
    'any([range(0, 1000000)], l => any(range(0, 1000000), i => -1 in l))',
    `any([${long}], s => any(range(0, 1000000), i => sha256(s) == ""))`,
    `len(regex_find_all("a.*b|a", ${long}))`,
    `len(regex_split("a.*b|a", ${long}))`,
    `regex_replace("a.*b|a", ${long}, "")`,
    `matches(${long}, "(a?){500}[bc]$")`,
    'any([pad_left("YYYY", 1000000, "a")], p => any(range(0, 1000000), i => format_date(now(), p) == ""))',
    'all(range(0, 1000000), i => t == v)',
    'any(range(0, 1000000), i => contains(t, u))',
    'any(range(0, 1000000), i => t < u && u < t)',
    'any(range(0, 1000000), i => len(sort(range(0, 1000000))) < 0)',
    'any(range(0, 1000000), i => !$) || any(range(0, 1000000), i => any(range(0, 1000000), j => i + j < 0))',
    'any(range(0, 1000000), i => matches("a", format("x{0}(a?)*b", i)))',
  ])('%s', (text) => {
    const parsed = parse(text)
    if (parsed.kind === 'failed') throw new Error(text)
    const input = { t: 'a'.repeat(200_000), u: `${'a'.repeat(100_000)}b`, v: 'a'.repeat(200_000) }
    const runs: ((budget: Budget) => Value)[] = [
      (budget) => compile(parsed.expression, { policy: LENIENT })(input, new Map(), { now: 0, budget }),
      (budget) =>
        interpret(parsed.expression, {
          input,
          variables: new Map(),
          policy: LENIENT,
          runtime: { now: 0, budget },
        }),
    ]
    // Three million units take some 75 ms.
    for (const run of runs) expect(() => run(Budget.ofThousands(3000, 192 * 2 ** 20))).toThrow(BudgetError)
  })
})
