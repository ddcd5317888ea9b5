import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { numberOfText, stringifyJson, type Value } from '@engine/expression'
import { createDecisionSql, type DecisionSql, FilterError } from '@engine/filter'
import { readRuleFile } from '@engine/rule-file'
import { createProgram, type Decision, decodeRuleset, ExecutionError, type Ruleset } from '@engine/ruleset'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testHost } from '../../packages/ruleset/src/host.testing.ts'
import { sharedPostgres } from '../postgres.testing.ts'

const EXAMPLES = join(import.meta.dirname, '../../examples')
const USER = {
  id: 'u7',
  suspended: false,
  employment: 'staff',
  clearance: 2,
  department: 'legal',
  groups: ['board'],
}

const examples = readdirSync(EXAMPLES)
  .flatMap((name) => ['ruleset.json', 'ruleset.yaml'].map((file) => ({ name, path: join(EXAMPLES, name, file) })))
  .filter(({ path }) => existsSync(path))
  .map(({ name, path }) => ({ name, ruleset: rulesetAt(path) }))

const knownOf = (name: string) => (name === 'document-access' ? { user: USER } : {})

function rulesetAt(path: string): Ruleset {
  const read = readRuleFile(path, readFileSync(path))
  if ('reason' in read) throw new Error(`${path}: ${read.reason}`)
  const { ruleset } = decodeRuleset(read.document, { text: read.text })
  if (ruleset === undefined) throw new Error(path)
  return ruleset
}

function queryOf({ name, ruleset }: (typeof examples)[number]): DecisionSql | undefined {
  try {
    return createDecisionSql(ruleset, { dialect: 'postgres', known_input: knownOf(name), table: 'rows' }, 0)
  } catch (error) {
    if (error instanceof FilterError) return undefined
    throw error
  }
}

const translated = examples.filter((example) => queryOf(example) !== undefined)

test('nine of the eleven examples have a query, as docs/filters.md states', () => {
  expect(examples).toHaveLength(11)
  expect(translated.map(({ name }) => name)).toEqual([
    'age-verification',
    'document-access',
    'flight-compensation',
    'income-tax',
    'income-tax-de',
    'insurance-premium',
    'loan-approval',
    'shipping-rates',
    'vip-discount',
  ])
})

let client: pg.Client
beforeAll(async () => {
  const { host, port, user } = (await sharedPostgres()).client
  client = new pg.Client({ host, port, user: user ?? 'postgres', database: 'postgres' })
  await client.connect()
})
afterAll(() => client.end())

/** The value of a field; undefined where it is missing. */
function at(input: Value, path: string): Value | undefined {
  return path
    .split('.')
    .reduce<Value | undefined>((value, key) => (value as { [key: string]: Value } | undefined)?.[key], input)
}

const sqlTypeOf = (values: readonly (Value | undefined)[]) => {
  const [value] = values.filter((one) => one !== undefined && one !== null)
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'number') return 'numeric'
  return typeof value === 'object' ? 'jsonb' : 'text'
}

function decided(program: ReturnType<typeof createProgram>, input: Value): Decision | undefined {
  try {
    return program.decide(input) as Decision
  } catch (error) {
    if (error instanceof ExecutionError) return undefined
    throw error
  }
}

/** A value of a text that the database shows, each number in one form. */
const shown = (value: string | null) => {
  if (value === null) return 'null'
  if (/^-?\d+(?:\.\d+)?$/.test(value)) return stringifyJson(numberOfText(value) ?? null)
  return stringifyJson(value === 'true' || value === 'false' ? value === 'true' : parsed(value))
}
const parsed = (text: string): Value => (/^[[{]/.test(text) ? (JSON.parse(text) as Value) : text)

test.each(translated)('PostgreSQL decides the cases of $name as the rules do', async (example) => {
  const { name, ruleset } = example
  const cases = JSON.parse(readFileSync(join(EXAMPLES, name, 'ruleset.cases.json'), 'utf8')) as { input: Value }[]
  const query = queryOf(example)
  expect.assert(query !== undefined)
  const { unknown_fields: fields, outputs } = query
  // A column has one type: cases with a value of another type are left out.
  const types = fields.map((path) => sqlTypeOf(cases.map(({ input }) => at(input, path))))
  const inputs = cases.flatMap(({ input }) => {
    const isStored = fields.every((path, index) => {
      const value = at(input, path)
      return value === undefined || value === null || sqlTypeOf([value]) === types[index]
    })
    return isStored ? [{ ...(input as { [key: string]: Value }), ...knownOf(name) }] : []
  })
  expect(inputs.length).toBeGreaterThan(3)
  const columns = fields.map((path) => path.replaceAll('.', '_'))
  await client.query(
    `create temporary table rows (row_number integer, ${columns.map((column, index) => `"${column}" ${types[index] ?? 'text'}`).join(', ')})`,
  )
  try {
    for (const [number, input] of inputs.entries()) {
      const values = fields.map((path, index) => {
        const value = at(input, path) ?? null
        return types[index] === 'jsonb' && value !== null ? JSON.stringify(value) : value
      })
      await client.query(`insert into rows values ($1${values.map((_, index) => `, $${index + 2}`).join('')})`, [
        number,
        ...values,
      ])
    }
    const shownOutputs = outputs.map((output) => `cast("${output}" as text) as "${output}"`)
    const { rows } = await client.query<{ [column: string]: string | null }>(
      `select ${['code', 'message', ...shownOutputs].join(', ')} from (${query.sql}) as made order by row_number`,
    )
    const program = createProgram(ruleset, testHost())
    for (const [number, input] of inputs.entries()) {
      const decision = decided(program, input)
      const found = rows[number] ?? {}
      expect(
        [found['code'], found['message'], ...outputs.map((output) => shown(found[output] ?? null))],
        stringifyJson(input),
      ).toEqual([
        decision?.code ?? null,
        decision?.message ?? null,
        ...outputs.map((output) => stringifyJson(decision?.output[output] ?? null)),
      ])
    }
  } finally {
    await client.query('drop table rows')
  }
})
