import type { ObjectValue } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { needsFurtherSearch } from './needs-further-search.ts'

const CALL = { action: 'external_call', service: 's', method: 'get', params: [] }

test.each<[condition: string, actions: readonly ObjectValue[], needs: boolean]>([
  ['a == 1', [], false],
  ['a > 1 && !(b in [1, 2]) || starts_with(c, "x")', [], false],
  ['if a == 1 then b == 2 else c == 3', [], false],
  ['$v == 1', [{ action: 'set_variable', name: 'v', value: 'a' }], false],
  ['a == 1', [{ action: 'set_variable', name: 'v', value: 'a + b' }], true],
  ['a + b > 1', [], true],
  ['!(a + b > 1)', [], true],
  ['c == 1 && a + b > 1', [], true],
  ['a + b > 1 || c == 1', [], true],
  ['if a + b > 1 then b == 2 else c == 3', [], true],
  ['if a == 1 then a + b > 1 else c == 3', [], true],
  ['if a == 1 then b == 2 else a + b > 1', [], true],
  ['matches(a, "^x$")', [], true],
  ['a == 1', [CALL], false],
  ['a == 1', [{ ...CALL, result_variable: 'r' }], true],
])('whether %s after %j needs the further search: %s', (condition, actions, needs) => {
  const { ruleset, problems } = decodeRuleset({
    config: { name: 'r', entry_step: 'ask' },
    steps: {
      ask: { id: 'ask', type: 'action', actions, next_step: 'd' },
      d: { id: 'd', type: 'decision', branches: [{ condition, next_step: 'X' }], default_next: 'X' },
      X: { id: 'X', type: 'terminal', result: { code: 'X', message: '' } },
    },
  })
  if (ruleset === undefined) throw new Error(JSON.stringify(problems))
  expect(needsFurtherSearch(ruleset)).toBe(needs)
})
