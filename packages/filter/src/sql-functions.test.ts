import { readFileSync } from 'node:fs'
import { FUNCTIONS } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { createDecisionSql } from './decision-sql.ts'
import type { DecisionDialectName } from './dialect.ts'

const DIALECTS = ['postgres', 'duckdb', 'clickhouse', 'spark', 'trino'] as const
const ARGUMENTS = [
  'a',
  'a, b',
  'a, "x"',
  '"x", a',
  'a, 2',
  'a, 0',
  '[a, b]',
  'a, i => i.c == 1',
  'a, b, "days"',
  '{"x": 1}, a',
]

function translates(expression: string, numbers: string, dialect: DecisionDialectName): boolean {
  const steps = {
    first: { id: 'first', type: 'decision', branches: [{ condition: expression, next_step: 'end' }] },
    end: { id: 'end', type: 'terminal', result: { code: 'A', message: '', output: [['value', expression]] } },
  }
  const columns = numbers === 'decimal' ? { a: 'decimal(9, 2)', b: 'decimal(9, 2)' } : {}
  return ['first', 'end'].some((entry_step) => {
    const { ruleset } = decodeRuleset({ config: { name: 'calls', entry_step, numbers }, steps })
    try {
      return ruleset !== undefined && createDecisionSql(ruleset, { dialect, columns }, 0).sql !== ''
    } catch {
      return false
    }
  })
}

/** The dialects in which a function of columns has a form, as the page lists them. */
function dialectsOf(name: string): string {
  const found = DIALECTS.flatMap((dialect) => {
    const [doubles, decimals] = ['double', 'decimal'].map((numbers) =>
      ARGUMENTS.some((given) => translates(`${name}(${given})`, numbers, dialect)),
    )
    return doubles ? [dialect] : decimals ? [`${dialect} (decimals)`] : []
  })
  return found.length === DIALECTS.length ? 'all' : found.join(', ')
}

test('docs/functions.md names the dialects of /sql in which each function has a form', () => {
  const page = readFileSync(new URL('../../../docs/functions.md', import.meta.url), 'utf8')
  const documented = Array.from(
    page.matchAll(/^\| `(\w+)\(.*?\)` \| [^|]+ \| .* \| ([a-z, ()]*) \| `/gm),
    ([, name = '', dialects = '']) => [name, dialects.trim()],
  )
  expect(documented).toHaveLength(FUNCTIONS.size)
  expect(Object.fromEntries(documented)).toEqual(
    Object.fromEntries([...FUNCTIONS.keys()].map((name) => [name, dialectsOf(name)])),
  )
})
