import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { DuckDBInstance } from '@duckdb/node-api'
import { createFilter, type DialectName } from '@engine/filter'
import { createProgram, type Decision } from '@engine/ruleset'
import type { RowDataPacket } from 'mysql2/promise'
import pg from 'pg'
import { expect, test } from 'vitest'
import { seeded } from '../../packages/expression/src/random.testing.ts'
import { decisionOn } from '../../packages/filter/src/filter.testing.ts'
import { testHost } from '../../packages/ruleset/src/host.testing.ts'
import { casesOf, printSeed, SEED } from '../cases.testing.ts'
import { sharedMariaDb } from '../mariadb.testing.ts'
import { sharedPostgres } from '../postgres.testing.ts'

/** Filters on a column of decimals select the rows that the rules select, in four databases. */

const VALUES = Array.from({ length: 401 }, (_, index) => (index - 200) / 100)
const TABLE = `decimals_${randomUUID().replaceAll('-', '')}`
const CREATE = `create table ${TABLE} (a decimal(9, 2))`
const INSERT = `insert into ${TABLE} values ${VALUES.map((value) => `(${value})`).join(', ')}`

type Select = (condition: string) => Promise<readonly number[]>

const DATABASES: Readonly<Record<string, () => Promise<readonly [Select, () => Promise<void> | void]>>> = {
  async postgres() {
    const { host, port, user } = (await sharedPostgres()).client
    const client = new pg.Client({ host, port, user: user ?? 'postgres', database: 'postgres' })
    await client.connect()
    await client.query(`${CREATE.replace('table', 'temporary table')}; ${INSERT}`)
    const select: Select = async (condition) =>
      (await client.query<{ a: string }>(`select a from ${TABLE} where ${condition}`)).rows.map(({ a }) => Number(a))
    return [select, () => client.end()]
  },
  async duckdb() {
    const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
    await connection.run(CREATE)
    await connection.run(INSERT)
    const select: Select = async (condition) =>
      (await connection.runAndReadAll(`select cast(a as varchar) from ${TABLE} where ${condition}`))
        .getRows()
        .map(([a]) => Number(a))
    return [select, () => connection.closeSync()]
  },
  sqlite() {
    const database = new DatabaseSync(':memory:')
    database.exec(`${CREATE}; ${INSERT}`)
    const select: Select = (condition) =>
      Promise.resolve(
        database
          .prepare(`select a from ${TABLE} where ${condition}`)
          .all()
          .map(({ a }) => Number(a)),
      )
    return Promise.resolve([select, () => database.close()])
  },
  async mysql() {
    const connection = await (await sharedMariaDb()).connect(TABLE)
    await connection.query(CREATE)
    await connection.query(INSERT)
    const select: Select = async (condition) =>
      (await connection.query<RowDataPacket[]>(`select a from ${TABLE} where ${condition}`))[0].map(({ a }) =>
        Number(a),
      )
    return [select, () => connection.end()]
  },
}

const CONDITIONS = casesOf(1000)

test.each(Object.keys(DATABASES))('%s', { timeout: 120_000 }, async (dialect) => {
  printSeed(CONDITIONS)
  const random = seeded(SEED)
  const [select, close] = await (DATABASES[dialect] as (typeof DATABASES)[string])()
  const constant = () => String((random.below(5000) - 2500) / random.pick([1, 10, 100, 1000, 100_000]))
  for (let index = 0; index < CONDITIONS; index++) {
    const condition = random.chance(0.2)
      ? `a ${random.pick(['in', 'not in'])} [${constant()}, ${constant()}, 0.3]`
      : `a ${random.pick(['==', '!=', '<', '<=', '>', '>='])} ${constant()}`
    const ruleset = decisionOn(condition, { numbers: 'decimal' })
    const { filter, never_matches: never } = createFilter(
      ruleset,
      {
        known_input: {},
        target_results: ['YES'],
        dialect: dialect as DialectName,
        columns: { a: 'decimal(9, 2)' },
      },
      0,
    )
    const program = createProgram(ruleset, testHost())
    const wanted = VALUES.filter((a) => (program.decide({ a }) as Decision).code === 'YES')
    const found = never ? [] : await select(filter as string)
    expect(
      found.toSorted((one, other) => one - other),
      `${condition}: ${JSON.stringify(filter)}`,
    ).toEqual(wanted)
  }
  await close()
})
