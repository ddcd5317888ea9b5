import type { ObjectValue } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { analyze } from './analyze.ts'
import { generateCases } from './generate-cases.ts'

const end = (code: string) => ({ id: code, type: 'terminal', result: { code, message: '' } })

function ruleset(steps: ObjectValue, config: ObjectValue = {}) {
  const { ruleset: decoded, problems } = decodeRuleset({
    config: { name: 'r', entry_step: 'd', ...config },
    steps: { ...steps, X: end('X'), Y: end('Y'), N: end('N') },
  })
  if (decoded === undefined) throw new Error(JSON.stringify(problems))
  return decoded
}

const decision = (
  id: string,
  branches: readonly (readonly [condition: string, next: string])[],
  otherwise?: string,
) => ({
  [id]: {
    id,
    type: 'decision',
    branches: branches.map(([condition, next_step]) => ({ condition, next_step })),
    ...(otherwise !== undefined && { default_next: otherwise }),
  },
})

const setting = (id: string, name: string, value: string, next_step: string) => ({
  [id]: { id, type: 'action', actions: [{ action: 'set_variable', name, value }], next_step },
})

test.each([
  [0, true],
  [1_000_000, false],
])('an analysis with the budget %d ends before steps without conditions: %s', (budget, truncated) => {
  expect(analyze(ruleset({ ...setting('d', 'v', '1', 'X') }), { budget }).truncated).toBe(truncated)
})

describe('a path into a variable', () => {
  const DEFAULTS = { field_missing: 'default', defaults: { f: { y: 1 } } }
  test.each([
    ['f', '$x.y == 1 && !exists(f)', DEFAULTS, 'possible'],
    // A default stands for the whole field.
    ['f', '$x.y == 2', DEFAULTS, 'unknown'],
    ['f', '$x.y == 2 && f.y != 2', {}, 'proved'],
    ['f', '$x.y == 2 && $x.y != 2', {}, 'proved'],
    ['if a > 1 then {"y": 1} else {"y": 2}', '$x.y == 1', {}, 'possible'],
    ['{"y": a}', '$x.y == 2 && a == 2', {}, 'possible'],
    ['g.h', '$x.y == 2 && g.h.y != 2', {}, 'proved'],
  ])('that is %s: %s, with %j, is %s', (value, condition, config, verdict) => {
    const { findings } = analyze(
      ruleset({ ...setting('d', 'x', value, 'e'), ...decision('e', [[condition, 'X']], 'N') }, config),
    )
    const dead = findings.find(({ place, kind }) => place === '/steps/e/branches/0' && kind !== 'can_fail')
    expect(dead?.verdict ?? 'possible').toBe(verdict)
  })
})

test('cases are named by what they are the first to take', () => {
  const cases = generateCases(
    ruleset(
      decision(
        'd',
        [
          ['a == 1', 'X'],
          ['a == 2', 'Y'],
        ],
        'N',
      ),
    ),
  )
  expect(cases.map(({ name }) => name).toSorted()).toEqual([
    'branch 0 of d, result X',
    'branch 1 of d, result Y',
    'default of d, result N',
  ])
  const open = generateCases(ruleset(decision('d', [['a == 1', 'X']])))
  expect(open.map(({ name }) => name).toSorted()).toEqual(['branch 0 of d, result X', 'no branch of d'])
})
