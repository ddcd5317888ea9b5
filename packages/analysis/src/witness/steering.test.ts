import { diff } from '@engine/analysis'
import { decodeRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'

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
