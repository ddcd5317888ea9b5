import { diff } from '@engine/analysis'
import { isNumber, LENIENT, parse, print } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { Encoder } from '../formula/encoder.ts'
import { evaluate } from '../formula/evaluate.ts'
import { Solver } from '../search/solver.ts'
import { Steering } from './steering.ts'

/** One decision: X where the condition holds, else N. */
function ruleset(condition: string, config = {}) {
  const end = (code: string) => ({ id: code, type: 'terminal', result: { code, message: '' } })
  const { ruleset: found, problems } = decodeRuleset({
    config: { name: 'computed', entry_step: 'd', ...config },
    steps: {
      d: { id: 'd', type: 'decision', branches: [{ condition, next_step: 'X' }], default_next: 'N' },
      X: end('X'),
      N: end('N'),
    },
  })
  if (found === undefined) throw new Error(problems[0]?.message)
  return found
}

const DEFAULTS = { numbers: 'decimal', field_missing: 'default', defaults: { a: 0, b: 0, c: 0 } }

test.each([
  ['a product of three fields', 'a * b * c / 5000', 31.5, 31.75],
  ['a product of fields that begin at zero', 'a * b', 7, 8],
  ['the larger of a field and a product', 'max(a, b * c)', 40, 41],
  ['the smaller of two', 'min(a - b, c)', 12, 13],
  ['a difference', 'a - b - c', -3, -2],
  ['a divisor', '100 / (a + 3)', 4, 4.5],
  ['a rounded sum', 'round(a + b * 1.1, 2)', 19.98, 19.99],
  ['a distance', 'abs(a - b)', 1000, 1001],
  ['a negated quotient', '-(a / b)', 2.5, 2.6],
])('an input shows where %s is between two limits', (_name, computed, low, high) => {
  for (const config of [{}, DEFAULTS]) {
    const [before, after] = [`${computed} > ${low}`, `${computed} > ${high}`].map((one) => ruleset(one, config))
    if (before === undefined || after === undefined) throw new Error('two versions')
    const found = diff(before, after)
    expect(found.unknown).toEqual([])
    expect(
      found.regions.map((one) => ['code' in one.before && one.before.code, 'code' in one.after && one.after.code]),
    ).toEqual([['X', 'N']])
  }
})

test('a missing field with a default bounds what is computed of it', () => {
  // The default is 0, so a product beyond 0 needs the field.
  const [before, after] = ['true', 'exists(a) || a * b <= 0'].map((one) =>
    ruleset(`is_number(b) && (${one})`, DEFAULTS),
  )
  if (before === undefined || after === undefined) throw new Error('two versions')
  expect(diff(before, after)).toMatchObject({ unknown: [] })
})

test.each<[computation: string, low: number, high: number, start: Readonly<Record<string, number>>]>([
  ['a + b', 7, 8, { a: 0, b: 0 }],
  ['a - b', 7, 8, { a: 1, b: 90 }],
  ['b - a', 7, 8, { a: 90, b: 1 }],
  ['a * b', 7, 8, { a: 3, b: 2 }],
  ['a * b', 7, 8, { a: 3, b: -2 }],
  ['a * b', 7, 8, { a: 0, b: 2 }],
  ['a * b', 7, 8, { a: 2, b: 0 }],
  ['a * b', 7, 8, { a: 0, b: 0 }],
  ['a * b', -8, -7, { a: 0, b: 0 }],
  ['a / b', 7, 8, { a: 3, b: 2 }],
  ['a / b', 7, 8, { a: 0, b: 2 }],
  ['a / b', -8, -7, { a: 3, b: 2 }],
  ['100 / b', 7, 8, { b: 2 }],
  ['max(a, b)', 7, 8, { a: 50, b: 60 }],
  ['max(a, b)', 7, 8, { a: 1, b: 2 }],
  ['min(a, b)', 7, 8, { a: 1, b: 2 }],
  ['min(a, b)', 7, 8, { a: 50, b: 60 }],
  ['-(a + b)', 7, 8, { a: 1, b: 2 }],
  ['abs(a - b)', 7, 8, { a: 1, b: 2 }],
  ['floor(a + b)', 6, 8, { a: 1, b: 2 }],
  ['ceil(a - b)', 6, 8, { a: 1, b: 2 }],
  ['round(a + b, 1)', 7.1, 7.3, { a: 1, b: 2 }],
])('%s comes between %d and %d from %j', (computation, low, high, start) => {
  const solver = new Solver()
  const encoder = new Encoder(solver)
  const read = parse(`${computation} > ${low} && ${computation} < ${high}`)
  const own = parse(computation)
  if (read.kind === 'failed' || own.kind === 'failed') throw new Error('not an expression')
  const { holds } = encoder.truth(read.expression, LENIENT)
  const kinds = [...encoder.terms.values()].map((field) => field.is('number'))
  expect(solver.solve([holds, ...kinds], 10_000)).toBe('satisfiable')
  const valueOf = (expression: typeof own.expression, values: Readonly<Record<string, number>>) => {
    const found = evaluate(expression, LENIENT, { ...values })
    return 'value' in found && isNumber(found.value) ? Number(found.value) : undefined
  }
  const named = (chosen: Iterable<readonly [{ readonly expression: typeof own.expression }, unknown]>) =>
    Object.fromEntries([...chosen].map(([term, value]) => [print(term.expression), Number(value)]))
  const steering = new Steering(encoder, {
    of: (term, chosen) => valueOf(term.expression, named(chosen)),
    absent: () => undefined,
  })
  const term = [...encoder.computedBy.keys()].find((one) => print(one.expression) === print(own.expression))
  if (term === undefined) throw new Error(`${computation} is not computed`)
  const fields = [...encoder.terms.values()].filter((one) => one.field !== undefined)
  const chosen = new Map(fields.map((field) => [field, start[print(field.expression)] ?? 0]))
  const results = Array.from(steering.moves(term, chosen), (moved) => valueOf(own.expression, named(moved)))
  expect(results.length).toBeLessThanOrEqual(60)
  expect(results.filter((one) => one !== undefined && one > low && one < high)).not.toEqual([])
})
