import { stringifyJson, type Value } from '@engine/expression'
import { createDecisionSql, FilterError } from '@engine/filter'
import { createProgram, type Decision, decodeRuleset, ExecutionError } from '@engine/ruleset'
import { DuckDBInstance } from '@duckdb/node-api'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seeded } from '../../packages/expression/src/random.testing.ts'
import { testHost } from '../../packages/ruleset/src/host.testing.ts'
import { casesOf, printSeed, SEED } from '../cases.testing.ts'
import { sharedPostgres } from '../postgres.testing.ts'

/** Functions of days, texts, lists and objects as SQL: each row has the result of its execution. */

type Random = ReturnType<typeof seeded>
type Dialect = 'postgres' | 'duckdb'
type Input = { readonly [field: string]: Value }
type Answers = readonly { readonly code: string | null; readonly message: string | null; readonly x: unknown }[]

interface Database {
  load(inputs: readonly Input[]): Promise<void>
  query(sql: string): Promise<Answers>
  close(): void | Promise<void>
}

const FIELDS = ['d', 'e', 't', 'list', 'n'] as const
const ROWS = 120
const EXPRESSIONS = casesOf(1500)

const databases = new Map<Dialect, Database>()
beforeAll(async () => {
  databases.set('postgres', await postgres())
  databases.set('duckdb', await duckdb())
})
afterAll(async () => {
  for (const database of databases.values()) await database.close()
})

const rowOf = (input: Input, id: number) => [
  id,
  ...FIELDS.map((field) => {
    const value = input[field] ?? null
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as string | number | null)
  }),
]
const inOrder = (sql: string) => `select code, message, x from (${sql}) as made order by id`

async function postgres(): Promise<Database> {
  const { host, port, user } = (await sharedPostgres()).client
  const client = new pg.Client({ host, port, user: user ?? 'postgres', database: 'postgres' })
  await client.connect()
  await client.query(
    'create temporary table input (id integer, d text, e text, t text, list jsonb, n double precision)',
  )
  return {
    async load(inputs) {
      await client.query('delete from input')
      for (const [id, input] of inputs.entries())
        await client.query('insert into input values ($1, $2, $3, $4, $5, $6)', rowOf(input, id))
    },
    query: async (sql) => (await client.query<Answers[number]>(inOrder(sql))).rows,
    close: () => client.end(),
  }
}

async function duckdb(): Promise<Database> {
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
  await connection.run('create table input (id integer, d varchar, e varchar, t varchar, list varchar, n double)')
  return {
    async load(inputs) {
      await connection.run('delete from input')
      for (const [id, input] of inputs.entries())
        await connection.run('insert into input values ($1, $2, $3, $4, $5, $6)', rowOf(input, id))
    },
    query: async (sql) => (await connection.runAndReadAll(inOrder(sql))).getRowObjectsJS() as unknown as Answers,
    close: () => connection.closeSync(),
  }
}

const pad = (value: number, width = 2) => String(value).padStart(width, '0')

/** A day, often at the end of a month; some that the calendar does not have. */
function day(random: Random): string {
  const year = random.pick([0, 4, 1900, 1970, 1999, 2000, 2008, 2023, 2024, 2026, 9999])
  const month = 1 + random.below(12)
  const date = random.pick([1, 2, 15, 27, 28, 28, 29, 29, 30, 31, 31])
  return `${pad(year, 4)}-${pad(month)}-${pad(date)}`
}

const ODD_DAYS = [
  '',
  '2024-13-01',
  '2024-00-10',
  '24-01-01',
  '2024-1-1',
  '2024-02-30',
  '2023-02-29',
  '2024-01-01 ',
  'x',
]
const TEXTS = ['', 'a', 'ab12', '4111111111111111', 'X-9', 'a.b', '💥', 'aé💥b', '\n', 'a\nb', 'Z', '$', 'a-b_c']
const ELEMENTS: readonly Value[] = [
  { c: 'gift', n: 1, ok: true },
  { c: 'book', n: 2, ok: false },
  { c: null, n: 1 },
  { n: 0.1 },
  {},
  'gift',
  5,
  null,
]

function inputOf(random: Random): Input {
  const date = () => (random.chance(0.08) ? random.pick(ODD_DAYS) : day(random))
  const list = random.chance(0.1) ? { c: 'gift' } : Array.from({ length: random.below(4) }, () => random.pick(ELEMENTS))
  const given: [string, Value][] = [
    ['d', date()],
    ['e', date()],
    ['t', random.pick(TEXTS)],
    ['list', list],
    ['n', random.pick([0, 1, 2, 16, 100, -1, 0.5])],
  ]
  return Object.fromEntries(given.filter(() => !random.chance(0.08)))
}

const UNITS = ['year', 'years', 'months', 'weeks', 'days', 'hours', 'seconds']
const PATTERNS = [
  '^[0-9]{12,19}$',
  '\\d+',
  '^[a-z]+$',
  '^\\w*$',
  '[^a-z]',
  '^(a|X)[-.]',
  'a.b',
  '^a?b*\\d{1,3}$',
  '\\$',
  '^$',
]
const TESTS = [
  'i.c == "gift"',
  'i.c != "gift"',
  'i.n == 1',
  'i.n in [1, 0.1]',
  'i.c == null',
  'i.ok == true && i.n != 2',
  '!(i.c == "book") || i.n == 2',
  'i.c not in ["gift", "book"]',
  'i == "gift"',
]

function expressionOf(random: Random, dialect: Dialect): string {
  const date = () => random.pick(['d', 'e', 'd', 'e', '"2024-02-29"', '"2008-11-20"'])
  const moment = () => random.pick(['d', 'e', '"2024-02-29T10:30:00.000Z"', '"2023-03-31T00:00:00.000Z"'])
  const list = () => random.pick(['list', 'coalesce(list, [])'])
  const lists = [
    () => `${random.pick(['any', 'all', 'none'])}(${list()}, i => ${random.pick(TESTS)})`,
    () => `count(${list()}, i => ${random.pick(TESTS)})`,
    () => `count(${list()})`,
    () => `count(coalesce(list, [])) * 2 > n`,
    () => `is_array(list)`,
    () => `is_object(list)`,
  ]
  return random.pick<() => string>([
    () => `date_diff(${date()}, ${date()}, "${random.pick(UNITS)}")`,
    () => `date_diff(${moment()}, ${date()}, "${random.pick(['years', 'months', 'weeks', 'days'])}")`,
    () => `date_diff(${date()}, ${moment()}, "${random.pick(['years', 'months', 'weeks', 'days'])}")`,
    () => `date_diff(d, e, "days") ${random.pick(['>=', '<', '=='])} ${random.pick(['n', '18', '0'])}`,
    () => `${random.pick(['year', 'month', 'day', 'day_of_week'])}(d)`,
    () => `matches(t, ${JSON.stringify(random.pick(PATTERNS))})`,
    () => `regex_match(${JSON.stringify(random.pick(PATTERNS))}, coalesce(t, "a"))`,
    () => `len(t)`,
    () => `sqrt(n)`,
    () => `sqrt(n * 2 - 1) < 3`,
    () => `contains_str(t, ${JSON.stringify(random.pick(['a', '1', '', '$', '💥']))})`,
    () => `len(t) + 1 > n`,
    () => `object_get({"a": 1, "Z": 2.5, "": 0}, t)`,
    () => `object_get({"a": 1, "Z": 2.5}, to_string(coalesce(t, "a")), n)`,
    () => `to_string(t)`,
    () => `if matches(t, "^a") then len(t) else year(d)`,
    ...(dialect === 'postgres' ? [...lists, ...lists] : []),
  ])()
}

function rulesetOf(expression: string, config: { readonly [key: string]: string }, message = '') {
  const { ruleset, problems } = decodeRuleset({
    config: { name: 'functions', entry_step: 'end', message_templates: true, ...config },
    steps: { end: { id: 'end', type: 'terminal', result: { code: 'A', message, output: [['x', expression]] } } },
  })
  if (ruleset === undefined) throw new Error(JSON.stringify(problems))
  return ruleset
}

function decided(program: ReturnType<typeof createProgram>, input: Value): Decision | undefined {
  try {
    return program.decide(input) as Decision
  } catch (error) {
    if (error instanceof ExecutionError) return undefined
    throw error
  }
}

const NUMBER = /^-?\d/
const shown = (value: unknown): string =>
  typeof value === 'string' && NUMBER.test(value) ? String(Number(value)) : JSON.stringify(value)

test.each(['postgres', 'duckdb'] as const)(
  `${EXPRESSIONS} functions of days, texts and lists give each row the result of its execution: %s`,
  async (dialect) => {
    printSeed(EXPRESSIONS)
    const random = seeded(SEED)
    const database = databases.get(dialect) as Database
    const counts = { equal: 0, failing: 0, refused: 0 }
    let inputs: readonly Input[] = []
    for (let index = 0; index < EXPRESSIONS; index++) {
      if (index % 25 === 0) {
        inputs = Array.from({ length: ROWS }, () => inputOf(random))
        await database.load(inputs)
      }
      const text = expressionOf(random, dialect)
      const numbers = random.pick(['double', 'decimal'])
      const ruleset = rulesetOf(text, { field_missing: random.pick(['lenient', 'lenient', 'strict']), numbers })
      const columns = dialect === 'duckdb' ? { n: 'decimal(9, 2)' } : {}
      let sql: string
      try {
        sql = createDecisionSql(ruleset, { dialect, columns }, 0).sql
      } catch (error) {
        // In mode strict a test of elements could fail.
        if (!(error instanceof FilterError)) throw error
        counts.refused++
        continue
      }
      const answers = await database.query(sql)
      const program = createProgram(ruleset, testHost())
      for (const [id, input] of inputs.entries()) {
        const answer = answers[id]
        const decision = decided(program, input)
        const found = answer?.code === null ? 'failed' : shown(answer?.x)
        const wanted = decision === undefined ? 'failed' : shown(asPlain(decision.output['x'] ?? null))
        counts[wanted === 'failed' ? 'failing' : 'equal']++
        if (found !== wanted) expect.fail(JSON.stringify({ text, numbers, input, wanted, found, sql }))
      }
    }
    console.log(`checked: ${dialect} ${JSON.stringify(counts)}`)
    expect(counts.equal).toBeGreaterThan(EXPRESSIONS * ROWS * 0.5)
    expect(counts.refused).toBeLessThan(EXPRESSIONS / 4)
  },
  280_000 + EXPRESSIONS * 300,
)

/** Texts of digits are compared as numbers, as the database's answers are. */
const asPlain = (value: Value): unknown => JSON.parse(stringifyJson(value))

describe('messages', () => {
  test.each([
    ['{t} and {n * 2}', 'decimal'],
    ['{object_get({"a": 16}, "a")} years', 'double'],
    ['{round(n / 3, 2)}: {n > 1}', 'decimal'],
    ['{d}', 'double'],
  ])('%s', async (message, numbers) => {
    const database = databases.get('postgres') as Database
    const random = seeded(SEED)
    const inputs = Array.from({ length: ROWS }, () => inputOf(random))
    await database.load(inputs)
    const ruleset = rulesetOf('1', { numbers }, message)
    const columns = { t: 'text', d: 'text', n: 'number' }
    const answers = await database.query(createDecisionSql(ruleset, { dialect: 'postgres', columns }, 0).sql)
    const program = createProgram(ruleset, testHost())
    expect(answers.map((answer) => answer.message)).toEqual(
      inputs.map((input) => decided(program, input)?.message ?? null),
    )
  })
})

describe('what databases would decide otherwise is refused', () => {
  test.each([
    ['matches(t, "\\\\bx")', 'has a pattern that databases may read otherwise'],
    ['matches(t, "(?i)x")', 'has a pattern that databases may read otherwise'],
    ['matches(t, "é")', 'has a pattern that databases may read otherwise'],
    ['matches(t, "a{300}")', 'has a pattern that databases may read otherwise'],
    ['matches(t, e)', 'cannot be written in SQL'],
    ['date_diff(d, e, "days", "Europe/Berlin")', 'cannot be written in SQL'],
    ['date_diff(d, "2024-01-01T10:00:00+02:00", "days")', 'cannot be written in SQL'],
    ['any(list, i => i.n > 1)', 'cannot be written in SQL'],
    ['any(list, i => i.c == t)', 'cannot be written in SQL'],
    ['object_get(list, "a")', 'cannot be written in SQL'],
  ])('%s', (text, said) =>
    expect(() => createDecisionSql(rulesetOf(text, {}), { dialect: 'postgres' }, 0)).toThrow(said),
  )
})
