import { numberOfText, stringifyJson, type Value } from '@engine/expression'
import { createDecisionSql } from '@engine/filter'
import { createProgram, type Decision, decodeRuleset, ExecutionError } from '@engine/ruleset'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seeded } from '../../packages/expression/src/random.testing.ts'
import { testHost } from '../../packages/ruleset/src/host.testing.ts'
import { casesOf, printSeed, SEED } from '../cases.testing.ts'
import { sharedPostgres } from '../postgres.testing.ts'

/** Expressions of decimals as SQL: PostgreSQL gives every row the digits that the rules compute. */

type Random = ReturnType<typeof seeded>
const ROWS = 250
const PER_QUERY = 40
const EXPRESSIONS = casesOf(4000)

let client: pg.Client
beforeAll(async () => {
  const { host, port, user } = (await sharedPostgres()).client
  client = new pg.Client({ host, port, user: user ?? 'postgres', database: 'postgres' })
  await client.connect()
  await client.query(
    'create temporary table input (id integer, a double precision, b double precision, c numeric(12, 4), d bigint)',
  )
})
afterAll(() => client.end())

const FIELDS = ['a', 'b', 'c', 'd'] as const
const LITERALS = ['0.1', '2', '19.99', '-0.005', '3']

function numberText(random: Random, depth: number): string {
  if (depth === 0 || random.chance(0.2)) return random.pick([...FIELDS, ...FIELDS, ...LITERALS])
  const one = () => numberText(random, depth - 1)
  return random.pick<() => string>([
    () => `(${one()} + ${one()})`,
    () => `(${one()} - ${one()})`,
    () => `${one()} * ${random.pick([...FIELDS, ...LITERALS])}`,
    () => `(${one()} % ${random.pick([...FIELDS, '0.7'])})`,
    () => `round(${one()}, ${random.pick([0, 1, 2, 3, -1])})`,
    () => `round(${one()} / ${one()}, ${random.pick([0, 2, 4, 6])})`,
    () => `(${one()} / ${random.pick(['2', '-0.5', '1.25', '5000', '0.064'])})`,
    () => `(-${one()})`,
    () => `abs(${one()})`,
    () => `floor(${one()})`,
    () => `ceil(${one()})`,
    () => `min(${one()}, ${one()})`,
    () => `max(${one()}, ${one()}, ${one()})`,
    () => `(if ${one()} > ${one()} then ${one()} else ${one()})`,
    () => `coalesce(${random.pick([...FIELDS])}, ${one()})`,
  ])()
}

const textOf = (random: Random) =>
  random.chance(0.2)
    ? `${numberText(random, 2)} ${random.pick(['==', '!=', '<', '<='])} ${numberText(random, 2)}`
    : numberText(random, 3)

const cell = (random: Random): string | null =>
  random.chance(0.05)
    ? null
    : random
        .pick([() => (random.below(2_000_000) - 1_000_000) / 100, () => random.below(20) / 10, () => 0.3])()
        .toString()

function rulesetOf(expressions: readonly string[], numbers = 'decimal') {
  const output = expressions.map((text, index) => [`x${index}`, text])
  const { ruleset, problems } = decodeRuleset({
    config: { name: 'decimals', entry_step: 'end', numbers },
    steps: { end: { id: 'end', type: 'terminal', result: { code: 'A', message: '', output } } },
  })
  if (ruleset === undefined) throw new Error(JSON.stringify(problems))
  return ruleset
}

/** The text of a value of the database, each number in one form. */
function shown(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return String(value)
  return stringifyJson(numberOfText(String(value)) ?? null)
}

test(
  `${EXPRESSIONS} expressions of decimals give each row the digits of its execution`,
  async () => {
    printSeed(EXPRESSIONS)
    const random = seeded(SEED)
    const counts = { equal: 0, failing: 0, refused: 0 }
    for (let made = 0; made < EXPRESSIONS; made += PER_QUERY) {
      const rows = Array.from({ length: ROWS }, (_, id) => [
        id,
        cell(random),
        cell(random),
        cell(random),
        random.below(100),
      ])
      await client.query('delete from input')
      await client.query(
        'insert into input select * from json_to_recordset($1) as r (id integer, a double precision, b double precision, c numeric(12, 4), d bigint)',
        [JSON.stringify(rows.map(([id, a, b, c, d]) => ({ id, a, b, c, d })))],
      )
      const inputs = rows.map(([, a, b, c, d]): Value => {
        const given = { a, b, c, d } as { readonly [key: string]: string | number | null }
        return Object.fromEntries(
          Object.entries(given).flatMap(([key, value]) => (value === null ? [] : [[key, Number(value)]])),
        )
      })
      for (let index = 0; index < PER_QUERY; index++) {
        const text = textOf(random)
        const ruleset = rulesetOf([text])
        const program = createProgram(ruleset, testHost())
        let sql: string
        try {
          sql = createDecisionSql(ruleset, { dialect: 'postgres' }, 0).sql
        } catch (error) {
          // A bare column, or a quotient that constants make.
          counts.refused++
          expect((error as Error).name).toBe('FilterError')
          continue
        }
        const answers = (await client.query<{ x0: unknown; code: string | null }>(`${sql} order by id`)).rows
        for (const [id, input] of inputs.entries()) {
          const found = answers[id]?.code === null ? 'failed' : shown(answers[id]?.x0)
          const wanted = decided(program, input)
          counts[wanted === 'failed' ? 'failing' : 'equal']++
          if (found !== wanted) expect.fail(JSON.stringify({ text, input, wanted, found, sql }))
        }
      }
    }
    console.log(`checked: ${JSON.stringify(counts)}`)
    expect(counts.equal).toBeGreaterThan((EXPRESSIONS * ROWS) / 4)
    expect(counts.failing).toBeGreaterThan(0)
  },
  280_000 + EXPRESSIONS * 300,
)

function decided(program: ReturnType<typeof createProgram>, input: Value): string {
  try {
    const { output } = program.decide(input) as Decision
    return stringifyJson(output['x0'] ?? null)
  } catch (error) {
    if (error instanceof ExecutionError) return 'failed'
    throw error
  }
}

test.each([
  ['a / 3', 'postgres', '`(a / 3)` is computed in decimals'],
  ['round(a, 2, "half_even")', 'postgres', 'cannot be written in SQL'],
  ['pow(a, 2)', 'postgres', 'cannot be written in SQL'],
  ['a + 0.1', 'duckdb', '`(a + 0.1)` is computed in decimals'],
  ['round(a, 2)', 'trino', 'cannot be written in SQL'],
] as const)('%s is refused for %s', (text, dialect, said) => {
  expect(() => createDecisionSql(rulesetOf([text]), { dialect }, 0)).toThrow(said)
})
