import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createDecisionSql } from './decision-sql.ts'
import type { DecisionDialectName } from './dialect.ts'
import { decisionOn } from './filter.testing.ts'

const CALLS = {
  abs: 'abs(a)',
  min: 'min(a, b)',
  max: 'max(a, b)',
  floor: 'floor(a)',
  ceil: 'ceil(a)',
  round: 'round(a, 2)',
}
const DIALECTS = ['postgres', 'duckdb', 'clickhouse', 'spark', 'trino'] as const

function translates(expression: string, dialect: DecisionDialectName): boolean {
  try {
    createDecisionSql(decisionOn(`${expression} > 1`), { dialect }, 0)
    return true
  } catch {
    return false
  }
}

test('docs/filters.md names the functions of numbers that each dialect has', () => {
  const page = readFileSync(new URL('../../../docs/filters.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter((line) => /^\| `(?:abs|round)/.test(line))
  const documented = rows.flatMap((row) => {
    const [names = '', postgres = '', duckdb = '', others = ''] = row
      .split('|')
      .slice(1)
      .map((text) => text.trim())
    const given = [postgres, duckdb, others, others, others]
    return Array.from(names.matchAll(/`(\w+)/g), ([, name = '']) => [
      name,
      DIALECTS.filter((_, index) => given[index] === 'yes'),
    ])
  })
  const found = Object.entries(CALLS).map(([name, call]) => [
    name,
    DIALECTS.filter((dialect) => translates(call, dialect)),
  ])
  expect(documented).toEqual(found)
})
