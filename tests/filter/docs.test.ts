import type { Value } from '@engine/expression'
import { createFilter, type FilterRequest } from '@engine/filter'
import { createProgram, decodeRuleset, type Decision, type Ruleset } from '@engine/ruleset'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { testHost } from '../../packages/ruleset/src/host.testing.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = readFileSync(join(ROOT, 'docs/filters.md'), 'utf8')

/** The first block of a language behind a heading. */
function block(heading: string, language: string): string {
  const part = PAGE.slice(PAGE.indexOf(`## ${heading}`))
  const found = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(part)?.[1]
  expect.assert(found !== undefined)
  return found
}

function rulesetOf(text: string): Ruleset {
  const { ruleset } = decodeRuleset(JSON.parse(text))
  expect.assert(ruleset !== undefined)
  return ruleset
}

const inOneLine = (sql: string) => sql.replaceAll(/\s+/g, ' ').trim()

/** The rows of a table in SQLite that a filter selects, by number. */
function selected(filter: string, fields: readonly string[], inputs: readonly Value[]): readonly number[] {
  const database = new DatabaseSync(':memory:')
  database.exec(`create table r (${['number', ...fields.map((path) => path.replaceAll('.', '_'))].join(', ')})`)
  for (const [number, input] of inputs.entries()) {
    const values = fields.map((path) => path.split('.').reduce<unknown>((value, key) => (value as never)?.[key], input))
    database
      .prepare(`insert into r values (?${', ?'.repeat(fields.length)})`)
      .run(number, ...(values.map((value) => value ?? null) as []))
  }
  return database
    .prepare(`select number from r where ${filter} order by number`)
    .all()
    .map(({ number }) => Number(number))
}

function decided(ruleset: Ruleset, targets: readonly string[], inputs: readonly Value[]): readonly number[] {
  const program = createProgram(ruleset, testHost())
  return inputs.flatMap((input, number) => (targets.includes((program.decide(input) as Decision).code) ? [number] : []))
}

test('which documents a user may see: the answer is the one of the page, and SQLite selects what the rules allow', () => {
  const ruleset = rulesetOf(readFileSync(join(ROOT, 'examples/document-access/ruleset.json'), 'utf8'))
  const call = block('Which documents may this user see?', 'sh')
  const request = JSON.parse(call.slice(call.indexOf("'{") + 1, call.lastIndexOf("'"))) as FilterRequest
  const shown = inOneLine(block('Which documents may this user see?', 'sql').replace('OR …', ''))
  const answer = createFilter(ruleset, request, 0)
  expect(answer.exactness).toBe('exact')
  expect((answer.filter as string).startsWith(shown)).toBe(true)

  const { filter, unknown_fields: fields } = createFilter(
    ruleset,
    { ...request, dialect: 'sqlite', parameters: false },
    0,
  )
  expect(fields.filter((path) => !path.startsWith('document.'))).toEqual([])
  const cases = JSON.parse(readFileSync(join(ROOT, 'examples/document-access/ruleset.cases.json'), 'utf8')) as {
    input: { document?: Value }
  }[]
  const inputs = cases.map(({ input }) => ({ ...request.known_input, document: input.document ?? {} }))
  const allowed = decided(ruleset, request.target_results, inputs)
  expect(allowed.length).toBeGreaterThan(2)
  expect(selected(filter as string, fields, inputs)).toEqual(allowed)
})

test('which loans need a review: likewise', () => {
  const heading = 'Which loans have to be looked at again?'
  const ruleset = rulesetOf(block(heading, 'json'))
  const { filter, unknown_fields: fields } = createFilter(ruleset, { known_input: {}, target_results: ['REVIEW'] }, 0)
  expect(filter).toBe(inOneLine(block(heading, 'sql')))
  const inputs = [
    { status: 'active', days_overdue: 31, score: 700, sector: 'steel', amount: 1 },
    { status: 'closed', days_overdue: 31, score: 100, sector: 'travel', amount: 99_000 },
    { status: 'active', days_overdue: 0, sector: 'steel', amount: 1 },
    { status: 'active', days_overdue: 0, score: 700, sector: 'retail', amount: 60_000 },
    { status: 'active', days_overdue: 0, score: 700, sector: 'retail', amount: 50_000 },
  ]
  expect(selected(filter as string, fields, inputs)).toEqual(decided(ruleset, ['REVIEW'], inputs))
})
