import type { ObjectValue } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { whyNot } from './why-not.ts'

function ruleset(
  config: ObjectValue,
  decisions: readonly (readonly [condition: string, next: string, otherwise: string])[],
) {
  const end = (code: string) => ({ id: code, type: 'terminal', result: { code, message: '' } })
  const { ruleset: decoded, problems } = decodeRuleset({
    config: { name: 'r', entry_step: 'd0', ...config },
    steps: {
      ...Object.fromEntries(
        decisions.map(([condition, next_step, default_next], index) => [
          `d${index}`,
          { id: `d${index}`, type: 'decision', branches: [{ condition, next_step }], default_next },
        ]),
      ),
      X: end('X'),
      N: end('N'),
    },
  })
  if (decoded === undefined) throw new Error(JSON.stringify(problems))
  return decoded
}

test.each([
  [
    'by a branch',
    ruleset({ max_depth: 3 }, [
      ['a > 1', 'd1', 'N'],
      ['b > 1', 'X', 'd0'],
    ]),
  ],
  [
    'by defaults',
    ruleset({ max_depth: 3 }, [
      ['a <= 1', 'N', 'd1'],
      ['b <= 1', 'd0', 'X'],
    ]),
  ],
])('a result is reached %s in a loop by the last step that the depth allows', (_title, one) => {
  const found = whyNot(one, { a: 0, b: 0 }, { code: 'X' })
  expect(found).toMatchObject({ verdict: 'found', fewest: 'proved' })
  expect(found.changes.map(({ path }) => path).toSorted()).toEqual(['a', 'b'])
})

test('the search ends with its budget', () => {
  const one = ruleset({}, [['a > 1 && b > 1 && c > 1', 'X', 'N']])
  expect(whyNot(one, { a: 0, b: 0, c: 0 }, { code: 'X', budget: 1 })).toMatchObject({
    verdict: 'unknown',
    reason: 'the search took longer than its budget',
  })
})
