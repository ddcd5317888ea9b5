import { numberOfText, stringifyJson, type Value } from '@engine/expression'
import { createDecisionSql, FilterError } from '@engine/filter'
import { createProgram, type Decision, decodeRuleset, ExecutionError } from '@engine/ruleset'
import { DuckDBInstance } from '@duckdb/node-api'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seeded } from '../../packages/expression/src/random.testing.ts'
import { testHost } from '../../packages/ruleset/src/host.testing.ts'
import { casesOf, printSeed, SEED } from '../cases.testing.ts'
import { sharedPostgres } from '../postgres.testing.ts'

/** Expressions of decimals as SQL: PostgreSQL and DuckDB give every row the digits that the rules compute. */

type Random = ReturnType<typeof seeded>
const PER_QUERY = 40
const EXPRESSIONS = casesOf(1500)
/** Rows that each expression decides: few where a run has many expressions, most of whose time is that of their queries. */
const ROWS = EXPRESSIONS > 10_000 ? 4 : 250

type Row = readonly (string | number | null)[]
type Answer = { readonly code: string | null; readonly x0: string | null }
type Dialect = 'postgres' | 'duckdb'

interface Database {
  /** Types of columns that a query needs. */
  readonly columns: { readonly [column: string]: string }
  load(rows: readonly Row[]): Promise<unknown>
  query(sql: string): Promise<readonly Answer[]>
  close(): void | Promise<void>
}

const databases = new Map<Dialect, Database>()
beforeAll(async () => {
  databases.set('postgres', await postgres())
  databases.set('duckdb', await duckdb())
})
afterAll(async () => {
  for (const database of databases.values()) await database.close()
})

const insertion = (rows: readonly Row[]) =>
  `insert into input values ${rows.map((row) => `(${row.map((value) => value ?? 'null').join(', ')})`).join(', ')}`
const asText = (sql: string) => `select code, cast(x0 as varchar) as x0 from (${sql}) as made order by id`

async function postgres(): Promise<Database> {
  const { host, port, user } = (await sharedPostgres()).client
  const client = new pg.Client({ host, port, user: user ?? 'postgres', database: 'postgres' })
  await client.connect()
  await client.query(
    'create temporary table input (id integer, a double precision, b double precision, c numeric(12, 4), d bigint)',
  )
  return {
    columns: {},
    load: async (rows) => client.query(`delete from input; ${insertion(rows)}`),
    query: async (sql) => (await client.query<Answer>(asText(sql))).rows,
    close: () => client.end(),
  }
}

async function duckdb(): Promise<Database> {
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
  await connection.run('create table input (id integer, a decimal(8, 2), b decimal(9, 3), c decimal(12, 4), d integer)')
  return {
    columns: { a: 'decimal(8, 2)', b: 'decimal(9,3)', c: 'decimal(12, 4)', d: 'decimal(3, 0)' },
    async load(rows) {
      await connection.run('delete from input')
      await connection.run(insertion(rows))
    },
    query: async (sql) => (await connection.runAndReadAll(asText(sql))).getRowObjectsJS() as unknown as Answer[],
    close: () => connection.closeSync(),
  }
}

const FIELDS = ['a', 'b', 'c', 'd'] as const
const LITERALS = ['0.1', '2', '19.99', '-0.005', '3']

const MODES = ['half_up', 'half_even', 'half_down', 'up', 'down', 'ceiling', 'floor']

function numberText(random: Random, depth: number, dialect: Dialect): string {
  if (depth === 0 || random.chance(0.2)) return random.pick([...FIELDS, ...FIELDS, ...LITERALS])
  const one = () => numberText(random, depth - 1, dialect)
  // In DuckDB a quotient is a double, and each result has proved digits.
  const others =
    dialect === 'postgres'
      ? [
          () => `(${one()} / ${one()})`,
          () => `round(${one()}, ${random.pick([0, 1, 2, -1])}, "${random.pick(MODES)}")`,
          () => `round(${one()} / ${one()}, ${random.pick([0, 2, 5])}, "${random.pick(MODES)}")`,
          () => `pow(${one()}, ${random.pick([0, 1, 2, 3, 7, -1, -4])})`,
          () => `pow(1 + abs(${random.pick(FIELDS)}) % 20 / 1200, ${random.pick(['12', '-36', '360'])})`,
          () => `object_get({"3": 0.25, "7": ${random.pick(LITERALS)}}, ${random.pick(['"3"', '"9"'])}, ${one()})`,
        ]
      : [
          () => `round(${one()}, ${random.pick([0, 1, 2, 3, -1, -2])}, "${random.pick(MODES)}")`,
          () => `pow(${random.pick([...FIELDS, ...LITERALS, 'a - b'])}, ${random.pick([1, 2, 2, 3])})`,
        ]
  return random.pick<() => string>([
    ...others,
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

const textOf = (random: Random, dialect: Dialect) =>
  random.chance(0.2)
    ? `${numberText(random, 2, dialect)} ${random.pick(['==', '!=', '<', '<='])} ${numberText(random, 2, dialect)}`
    : numberText(random, 3, dialect)

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
function shown(value: string | null): string {
  if (value === null || value === 'true' || value === 'false') return String(value)
  return stringifyJson(numberOfText(value) ?? null)
}

test.each(['postgres', 'duckdb'] as const)(
  `${EXPRESSIONS} expressions of decimals give each row the digits of its execution: %s`,
  async (dialect) => {
    printSeed(EXPRESSIONS)
    const database = databases.get(dialect) as Database
    const random = seeded(SEED)
    const counts = { equal: 0, failing: 0, refused: 0 }
    for (let made = 0; made < EXPRESSIONS; made += PER_QUERY) {
      const rows = Array.from({ length: ROWS }, (_, id): Row => [
        id,
        cell(random),
        cell(random),
        cell(random),
        random.below(100),
      ])
      await database.load(rows)
      const inputs = rows.map(([, a, b, c, d]): Value => {
        const given = { a, b, c, d } as { readonly [key: string]: string | number | null }
        return Object.fromEntries(
          Object.entries(given).flatMap(([key, value]) => (value === null ? [] : [[key, Number(value)]])),
        )
      })
      for (let index = 0; index < PER_QUERY; index++) {
        const text = textOf(random, dialect)
        const ruleset = rulesetOf([text])
        const program = createProgram(ruleset, testHost())
        let sql: string
        try {
          sql = createDecisionSql(ruleset, { dialect, columns: database.columns }, 0).sql
        } catch (error) {
          // A bare column, a quotient that constants make, or in DuckDB too many digits.
          counts.refused++
          if (!(error instanceof FilterError)) throw error
          continue
        }
        const answers = await database.query(sql)
        for (const [id, input] of inputs.entries()) {
          const found = answers[id]?.code === null ? 'failed' : shown(answers[id]?.x0 ?? null)
          const wanted = decided(program, input)
          counts[wanted === 'failed' ? 'failing' : 'equal']++
          if (found !== wanted) expect.fail(JSON.stringify({ text, input, wanted, found, sql }))
        }
      }
    }
    console.log(`checked: ${dialect} ${JSON.stringify(counts)}`)
    expect(counts.equal).toBeGreaterThan((EXPRESSIONS * ROWS) / (dialect === 'postgres' ? 4 : 8))
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
  ['sqrt(a)', 'postgres', '`sqrt(a)` is computed in decimals'],
  ['a / 3', 'trino', '`(a / 3)` is computed in decimals'],
  ['round(a, 2, "half_even")', 'duckdb', 'state in `columns` that `a` is `integer` or `decimal(p, s)`'],
  ['pow(a, 2)', 'duckdb', 'state in `columns` that `a` is `integer` or `decimal(p, s)`'],
  ['pow(2, a)', 'duckdb', 'the exponent must be a constant whole number from 1 on'],
  ['a + 0.1', 'duckdb', 'state in `columns` that `a` is `integer` or `decimal(p, s)`'],
  ['a / 3', 'duckdb', '`(a / 3)` is computed in decimals'],
  ['round(a / 3, 2)', 'duckdb', '`(a / 3)` is computed in decimals'],
  ['round(a, 2)', 'trino', 'cannot be written in SQL'],
] as const)('%s is refused for %s', (text, dialect, said) => {
  expect(() => createDecisionSql(rulesetOf([text]), { dialect }, 0)).toThrow(said)
})

test('DuckDB computes with decimals whose digits are proved to suffice', () => {
  const ruleset = rulesetOf(['a * b'])
  const ask = (type: string) => createDecisionSql(ruleset, { dialect: 'duckdb', columns: { a: type, b: type } }, 0).sql
  expect(ask('decimal(17, 2)')).toContain('(CAST(a AS DECIMAL(38, 2)) * CAST(b AS DECIMAL(38, 2)))')
  expect(() => ask('decimal(18, 2)')).toThrow('a result could have 36 digits, and decimals have 34')
  expect(() =>
    createDecisionSql(rulesetOf(['pow(a, 5)']), { dialect: 'duckdb', columns: { a: 'decimal(7, 2)' } }, 0),
  ).toThrow('a result could have 35 digits, and decimals have 34')
  for (const exponent of ['-1', '0', '0.5', 'a'])
    expect(() =>
      createDecisionSql(rulesetOf([`pow(a, ${exponent})`]), { dialect: 'duckdb', columns: { a: 'integer' } }, 0),
    ).toThrow('the exponent must be a constant whole number from 1 on')
  expect(() => ask('decimal(35, 2)')).toThrow('at most 34 digits')
  expect(() => ask('decimal(2, 3)')).toThrow('`decimal(p, s)`')
})

/** Nothing, halves, their neighbours, and numbers on either side of zero: a column of four places, rounded to fewer. */
const ROUNDED = [
  null,
  '0',
  '0.5',
  '1.5',
  '2.5',
  '-2.5',
  '-1.5',
  '-0.5',
  '0.0001',
  '-0.0001',
  '2.4999',
  '2.5001',
  '-2.4999',
  '-2.5001',
].concat([
  '0.25',
  '0.35',
  '-0.25',
  '-0.35',
  '5',
  '15',
  '25',
  '-15',
  '-25',
  '95',
  '14.9999',
  '15.0001',
  '99999999.9999',
  '-99999999.9999',
])

test.each([-2, -1, 0, 1, 2, 3, 4, 5].flatMap((places) => MODES.map((mode) => [places, mode] as const)))(
  'DuckDB rounds to %i places by %s',
  async (places, mode) => {
    const database = databases.get('duckdb') as Database
    await database.load(ROUNDED.map((c, id) => [id, null, null, c, 0]))
    const ruleset = rulesetOf([`round(c, ${places}, "${mode}")`])
    const { sql } = createDecisionSql(ruleset, { dialect: 'duckdb', columns: database.columns }, 0)
    const program = createProgram(ruleset, testHost())
    const found = (await database.query(sql)).map(({ code, x0 }) => (code === null ? 'failed' : shown(x0)))
    const inputs = ROUNDED.map((c) => (c === null ? {} : { c: Number(c) }))
    expect(found).toEqual(inputs.map((input) => decided(program, input)))
  },
)

const WHOLE = [
  'ceil(4 / -2) - (3 / 5000 + b)',
  'floor(if a > b then 2 else 3) + 0.1 + b',
  '(if a > b then 2 else 2000000000) * 3',
  '(if a > b then 2 else 2000000000) + (if b > a then 2000000000 else 2)',
  '-(if a > b then 2 else 9223372036854775807)',
  'abs(4 / -2) * 2000000000',
  'max(4 / 2, 6000000000 / 2) * max(4 / 2, 6000000000 / 2) * 4',
  'round(4 / 2, -1) + b / 3',
]

test.each(WHOLE)('PostgreSQL computes whole constants as decimals: %s', async (text) => {
  const database = databases.get('postgres') as Database
  await database.load([[0, '1.5', '2.7', '3', 4]])
  const ruleset = rulesetOf([text])
  const [answer] = await database.query(createDecisionSql(ruleset, { dialect: 'postgres', columns: {} }, 0).sql)
  expect(shown(answer?.x0 ?? null)).toBe(decided(createProgram(ruleset, testHost()), { a: 1.5, b: 2.7, c: 3, d: 4 }))
})

/** Quotients whose digits begin far behind the point, rounded ones of more than 34 digits before it, and a column among decimals. */
const LONG = [
  '1 / pow(b, 300)',
  'round(c / a, 6) / pow(pow(b, 7), 7)',
  '(a / pow(b, 99)) / pow(b, 99)',
  'pow(b, -300) / pow(b, 200)',
  '(b / 7) / 100000000000000000000000000000000000000000000000001',
  '-(b / 7) / pow(10, 200)',
  'c / pow(10, 99) / 8',
  'round(-a / pow(pow(b, -40), 3), 0)',
  'round(a / pow(pow(b, -40), 3), 2, "half_even")',
  'round(pow(10, 60) / 3)',
  'round(pow(10, 60) / -3, -2, "ceiling")',
  'if a > b then a else (if b > a then pow(b, 12) else b)',
]
test.each(LONG)('PostgreSQL keeps 34 digits, and all of whole quotients: %s', async (text) => {
  const database = databases.get('postgres') as Database
  await database.load([[0, '1.5', '2.7', '3', 4]])
  const [answer] = await database.query(
    createDecisionSql(rulesetOf([text]), { dialect: 'postgres', columns: {} }, 0).sql,
  )
  expect(shown(answer?.x0 ?? null)).toBe(
    decided(createProgram(rulesetOf([text]), testHost()), { a: 1.5, b: 2.7, c: 3, d: 4 }),
  )
})

test.each(['postgres', 'duckdb'] as const)('two signs are not a comment: %s', async (dialect) => {
  const database = databases.get(dialect) as Database
  await database.load([[0, '1.5', '2', '3', 4]])
  const signed = [
    '-(-a)',
    'a - -0.005',
    '-max(-0.005, -0.005)',
    '-(if 1 < 2 then -0.005 else a)',
    '- - -b',
    '-(19.99 / -0.5)',
  ]
  if (dialect === 'postgres') signed.push('-object_get({"3": 0.25, "7": -0.005}, "7", a)')
  for (const text of signed) {
    const ruleset = rulesetOf([text])
    const { sql } = createDecisionSql(ruleset, { dialect, columns: database.columns }, 0)
    expect(sql, text).not.toContain('--')
    const [answer] = await database.query(sql)
    const wanted = decided(createProgram(ruleset, testHost()), { a: 1.5, b: 2, c: 3, d: 4 })
    expect(shown(answer?.x0 ?? null), text).toBe(wanted)
  }
})
