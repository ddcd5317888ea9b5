import { FUNCTIONS } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { analyze } from './analyze.ts'
import { FUNCTION_TREATMENTS, type Treatment } from './constructs.ts'

test('every function has a row, and every row is a function', () => {
  expect(Object.keys(FUNCTION_TREATMENTS).sort()).toEqual([...FUNCTIONS.keys()].sort())
})

/** For each function that is not opaque, a condition that no input makes true. */
const CONTRADICTIONS: Readonly<Record<string, string>> = {
  coalesce: 'coalesce(a, 3) > 5 && coalesce(a, 3) < 4',
  contains: 'contains(a, "x") && contains(a, "xy") && a == "x"',
  contains_str: 'contains_str(a, "xy") && !contains_str(a, "x")',
  ends_with: 'ends_with(a, "xy") && ends_with(a, "z")',
  exists: 'exists(a) && !exists(a)',
  is_array: 'is_array(a) && is_string(a)',
  is_bool: 'is_bool(a) && is_null(a)',
  is_null: 'is_null(a) && a == 3',
  is_number: 'is_number(a) && is_string(a)',
  is_object: 'is_object(a) && is_array(a)',
  is_string: 'is_string(a) && a == 3',
  starts_with: 'starts_with(a, "ab") && a < "ab"',
  type: 'type(a) == "number" && is_string(a)',
  abs: 'abs(a) < 0',
  ceil: 'ceil(a) == 3 && a < 2',
  count: 'count(a) > 2 && count(a) < 3',
  floor: 'floor(a) == 3 && a > 4',
  len: 'len(a) < 0',
  max: 'max(a, 3) < 3',
  min: 'min(a, b) > 3 && b < 2',
  round: 'round(a, 1) == 0.3 && a > 0.36',
}

test('proofs about a function depend on its row', () => {
  const isProved = (condition: string): boolean => {
    const { ruleset } = decodeRuleset({
      config: { name: 'one', entry_step: 'd' },
      steps: {
        d: { id: 'd', type: 'decision', branches: [{ condition, next_step: 'yes' }], default_next: 'no' },
        yes: { id: 'yes', type: 'terminal', result: { code: 'YES', message: '' } },
        no: { id: 'no', type: 'terminal', result: { code: 'NO', message: '' } },
      },
    })
    return ruleset !== undefined && analyze(ruleset).findings.some(({ kind }) => kind === 'dead_branch')
  }
  const known = Object.entries(FUNCTION_TREATMENTS).filter(
    ([, treatment]) => treatment !== ('opaque' satisfies Treatment),
  )
  expect(Object.keys(CONTRADICTIONS).sort()).toEqual(known.map(([name]) => name).sort())
  for (const [name, condition] of Object.entries(CONTRADICTIONS)) expect(isProved(condition), name).toBe(true)
  // Equal texts have equal values, of any kind.
  expect(isProved('year(a) > 5 && year(a) < 3')).toBe(true)
})
