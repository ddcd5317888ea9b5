import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fromCsv } from './csv/from-csv.ts'
import { decide } from './dmn/model.testing.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/platform/imports-tables.md'), 'utf8')

test('the table of docs/platform/imports-tables.md is read whole, and decides', () => {
  const [, table = ''] = /```csv\n([^`]*)```/.exec(page) ?? []
  const { rulesets, lost } = fromCsv(table)
  expect(lost).toEqual([])
  const run = decide(rulesets[0]?.ruleset ?? { config: { name: '' }, steps: [] })
  expect(run({ age: 20, address: { country: 'FR' }, factor: 2 })).toEqual({ limit: 2000 })
  expect(run({ age: 20, address: { country: 'US' } })).toEqual({ limit: 500 })
  expect(run({ age: 2 })).toEqual({ limit: null })
})
