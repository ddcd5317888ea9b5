import { describe, expect, test } from 'vitest'
import { Budget } from './budget.ts'
import { compile } from './compiler.ts'
import { interpret } from './interpreter.ts'
import { parse } from './parser.ts'
import { EvaluationError, type EvaluationPolicy } from './runtime.ts'
import type { Value } from './value.ts'

const MODES = ['lenient', 'strict', 'default'] as const
const INPUT: Value = {
  small: { a: 1 },
  more: { a: 1, b: 2 },
  turned: { b: 2, a: 1 },
  other: { a: 1, c: 2 },
  list: [{ a: 1 }, [1, 2], null, 10n ** 20n, 'x', 2.5],
  nothing: null,
  large: 2n ** 53n + 1n,
  double: 1e20,
  integer: 10n ** 20n,
  least: -(2n ** 53n) - 1n,
  limit: Number.MIN_SAFE_INTEGER,
  y: 7,
}

/** The value, or the error code, which must be the same in every mode and way of execution. */
function answer(text: string): Value {
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new Error(`${text}: ${parsed.problems[0]?.message ?? ''}`)
  const variables = new Map<string, Value>([['v', 3]])
  const answers = MODES.flatMap((mode) => {
    const policy: EvaluationPolicy = { mode, defaults: new Map(), numbers: 'double' }
    const runtime = () => ({ now: 0, budget: Budget.endless() })
    const compiled = compile(parsed.expression, { policy })
    return [
      () => interpret(parsed.expression, { input: INPUT, variables, policy, runtime: runtime() }),
      () => compiled(INPUT, variables, runtime()),
    ]
  }).map((run) => {
    try {
      return run()
    } catch (error) {
      if (error instanceof EvaluationError) return error.code
      throw error
    }
  })
  for (const each of answers) expect(each).toEqual(answers[0])
  return answers[0] as Value
}

describe('equality and membership, written from docs/semantics.md', () => {
  test.each<[string, Value]>([
    ['small == more', false],
    ['more == small', false],
    ['more == turned', true],
    ['more == other', false],
    ['{"a": 1} == small', true],
    ['[1, 2] == [1, 2, 3]', false],
    ['[] == {}', false],
    ['double == integer', true],
    ['integer == 100000000000000000000', true],
    ['double == 100000000000000000001', false],
    ['large == 9007199254740992', false],
    ['small in list', true],
    ['more in list', false],
    ['[1, 2] in list', true],
    ['[2, 1] in list', false],
    ['double in list', true],
    ['integer in list', true],
    ['nothing in list', true],
    ['nothing in [1, 2, 3, 4, 5, null]', true],
    ['nothing not in [1, 2, 3, 4, 5]', true],
    ['y in [1, 2, 3, 4, 5, 6, 7]', true],
    ['list contains {"a": 1}', true],
    ['list contains {"a": 1, "b": 2}', false],
    ['contains(list, 2.5)', true],
    ['index_of(list, [1, 2])', 1],
    ['index_of(list, {"a": 2})', -1],
  ])('%s', (text, value) => expect(answer(text)).toEqual(value))
})

describe('integers beyond 2^53', () => {
  test.each<[string, Value]>([
    ['9007199254740993 / 2', 4503599627370496],
    // Cut to an integer, it would be 4503599627370497.
    ['9007199254740995 / 2', 4503599627370498],
    ['-9007199254740995 / 2', -4503599627370498],
    ['9007199254740995 / 10', 900719925474099.6],
    ['9007199254740994 / 2', 4503599627370497],
    ['18014398509481986 / 2', 2n ** 53n + 1n],
    ['9007199254740993 % 2', 1],
    ['-9007199254740993 % 2', -1],
    ['large - 1', 2n ** 53n],
    ['limit - 2', -(2n ** 53n) - 1n],
    ['limit - 2 == least', true],
    ['least + 2', Number.MIN_SAFE_INTEGER],
    ['1.5 % 0', 'division-by-zero'],
    ['large % 0', 'division-by-zero'],
  ])('%s', (text, value) => expect(answer(text)).toEqual(value))
})

describe('parts nested too deeply for generated code are interpreted', () => {
  const deep = (inner: string) => `${'coalesce(nothing, '.repeat(60)}${inner}${')'.repeat(60)}`
  test.each<[string, Value]>([
    [deep('y + 1'), 8],
    [deep('$v + y'), 10],
    [`map([1, 2], x => ${deep('x + $v + y')})`, [11, 12]],
    [`map([1, 2], (x, i) => any([5], z => ${deep('x + i + z + $v == 9')}))`, [true, false]],
    [deep('1 / 0'), 'division-by-zero'],
  ])('%s', (text, value) => expect(answer(text)).toEqual(value))
})

describe('calendar and networks, written from docs/functions.md', () => {
  test.each<[string, Value]>([
    ['date_diff("2026-11-20", "2008-11-20", "years")', 18],
    ['date_diff("2026-11-19", "2008-11-20", "years")', 17],
    ['date_diff("2008-11-20", "2026-11-19", "years")', -17],
    ['date_diff("2026-03-31", "2026-02-28", "months")', 1],
    ['date_diff("2026-03-27", "2026-02-28", "months")', 0],
    ['date_diff("2026-01-15", "2026-01-01", "weeks")', 2],
    ['date_diff("2026-01-14", "2026-01-01", "weeks")', 1],
    ['date_diff("2026-01-01T23:59:59Z", "2026-01-01", "days")', 0],
    ['date_diff("2026-01-01T00:59:59Z", "2026-01-01", "hours")', 0],
    ['date_diff("2026-01-01", "2026-01-01T00:59:59Z", "minutes")', -59],
    ['cidr_contains("10.0.0.0/8", "10.255.0.0")', true],
    ['cidr_contains("::ffff:10.0.0.0/104", "10.1.2.3")', true],
    ['cidr_contains("::ffff:10.0.0.0/104", "11.1.2.3")', false],
    ['cidr_intersects("10.0.0.0/7", "11.0.0.0/8")', true],
  ])('%s', (text, value) => expect(answer(text)).toEqual(value))
})
