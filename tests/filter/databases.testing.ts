import { randomUUID } from 'node:crypto'
import { DuckDBInstance } from '@duckdb/node-api'
import { Query } from 'mingo'
import pg from 'pg'
import { DatabaseSync } from 'node:sqlite'
import type { Value } from '@engine/expression'
import type { RowDataPacket } from 'mysql2/promise'
import { expect } from 'vitest'
import type { MariaDb } from '../mariadb.testing.ts'
import type { Postgres } from '../postgres.testing.ts'
import { COLUMNS, type Row } from './rulesets.testing.ts'

/** A database with the rows; it returns the numbers of those that a condition selects. */
export interface Rows {
  load(rows: readonly Row[]): Promise<void>
  /** By the client library that programs use. */
  select(condition: string, params?: readonly Param[]): Promise<readonly number[]>
  /** The rows of a query, in the order of their numbers. */
  query(sql: string): Promise<readonly { readonly [column: string]: unknown }[]>
  close(): void | Promise<void>
}

/** A value of a placeholder as a program has it, which has read the answer as JSON. */
export type Param = string | number

const columns = (types: Readonly<Record<'text' | 'number' | 'integer' | 'boolean', string>>) =>
  COLUMNS.map(({ column, type }) => `"${column}" ${types[type]}`).join(', ')

const marks = (mark: (index: number) => string, before = 0) =>
  Array.from({ length: COLUMNS.length + 1 }, (_, index) => mark(before + index + 1)).join(', ')

const valuesOf = (row: Row, id: number) => [id, ...COLUMNS.map(({ column }) => row[column] ?? null)]

/** Rows per insert: one statement for each row would cost more than the tested query. */
const ROWS_AT_ONCE = 50

/** Statements that insert rows, with the values of their parameters. */
function insertions(
  rows: readonly Row[],
): readonly { readonly sql: string; readonly values: ReturnType<typeof valuesOf> }[] {
  const numbered = rows.map((row, id) => valuesOf(row, id))
  const count = Math.ceil(rows.length / ROWS_AT_ONCE)
  return Array.from({ length: count }, (_, index) => {
    const some = numbered.slice(index * ROWS_AT_ONCE, (index + 1) * ROWS_AT_ONCE)
    const tuples = some.map((values, place) => `(${marks((number) => `$${number}`, place * values.length)})`)
    return { sql: `insert into r values ${tuples.join(', ')}`, values: some.flat() }
  })
}

export function sqlite(): Rows {
  const database = new DatabaseSync(':memory:')
  database.exec(
    `create table r (id integer, ${columns({ text: 'text', number: 'real', boolean: 'integer', integer: 'integer' })})`,
  )
  const insert = database.prepare(`insert into r values (${marks(() => '?')})`)
  return {
    load(rows) {
      database.exec('delete from r')
      for (const [id, row] of rows.entries())
        insert.run(...valuesOf(row, id).map((value) => (typeof value === 'boolean' ? Number(value) : value)))
      return Promise.resolve()
    },
    select: (condition, params = []) =>
      Promise.resolve(
        database
          .prepare(`select id from r where ${condition} order by id`)
          .all(...params)
          .map(({ id }) => Number(id)),
      ),
    query: (sql) => Promise.resolve(database.prepare(`${sql} order by id`).all()),
    close: () => database.close(),
  }
}

/** With one thread: more wait for each other on tables as small as these. */
export async function duckdb(): Promise<Rows> {
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
  await connection.run(
    `create table r (id integer, ${columns({ text: 'varchar', number: 'double', boolean: 'boolean', integer: 'bigint' })})`,
  )
  return {
    async load(rows) {
      await connection.run('delete from r')
      for (const { sql, values } of insertions(rows))
        await connection.run(
          sql,
          // A number is taken for an integer when it has no fraction.
          values.map((value) => (typeof value === 'number' ? String(value) : value)),
        )
    },
    async select(condition, params = []) {
      const reader = await connection.runAndReadAll(`select id from r where ${condition} order by id`, [...params])
      return reader.getRows().map(([id]) => Number(id))
    },
    async query(sql) {
      return (await connection.runAndReadAll(`${sql} order by id`)).getRowObjectsJS()
    },
    close: () => connection.closeSync(),
  }
}

/** A database in which texts are in the order of a dictionary: `a`, `A`, `b`. */
export async function postgres(server: Postgres): Promise<Rows> {
  const database = `icu_${randomUUID().replaceAll('-', '')}`
  await server.client.query(`create database ${database} locale_provider icu icu_locale 'en-US' template template0`)
  const { host, port, user } = server.client
  const client = new pg.Client({ host, port, user: user ?? 'postgres', database })
  await client.connect()
  await client.query(
    `create table r (id integer, ${columns({ text: 'text', number: 'double precision', boolean: 'boolean', integer: 'bigint' })})`,
  )
  return {
    async load(rows) {
      await client.query('delete from r')
      for (const { sql, values } of insertions(rows)) await client.query(sql, [...values])
    },
    async select(condition, params = []) {
      const sql = `select id from r where ${condition} order by id`
      const { rows } = await client.query<{ id: number }>(sql, [...params])
      return rows.map(({ id }) => id)
    },
    async query(sql) {
      return (await client.query<{ [column: string]: unknown }>(`${sql} order by id`)).rows
    },
    close: () => client.end(),
  }
}

/** Text comparison ignores case, accents and trailing blanks, the default of MySQL tables. */
export async function mariadb(server: MariaDb): Promise<Rows> {
  const connection = await server.connect(`rows_${randomUUID().replaceAll('-', '')}`)
  const types = { text: 'varchar(100)', number: 'double', boolean: 'boolean', integer: 'bigint' } as const
  const definitions = COLUMNS.map(({ column, type }) => `\`${column}\` ${types[type]}`).join(', ')
  await connection.query(`create table r (id integer, ${definitions})`)
  return {
    async load(rows) {
      await connection.query('delete from r')
      const values = rows.map((row, id) =>
        valuesOf(row, id).map((value) => (typeof value === 'bigint' ? String(value) : value)),
      )
      if (values.length > 0) await connection.query('insert into r values ?', [values])
    },
    async select(condition, params = []) {
      const sql = `select id from r where ${condition} order by id`
      // Once inserted into the text by the client, once sent separately.
      const answers = [await connection.query<RowDataPacket[]>(sql, [...params])]
      if (params.length > 0) answers.push(await connection.execute<RowDataPacket[]>(sql, [...params]))
      const [written = [], sent = written] = answers.map(([rows]) => rows.map(({ id }) => Number(id)))
      expect(sent, `query and execute: ${sql}`).toEqual(written)
      return sent
    },
    query: () => Promise.reject(new Error('no query for whole decisions is written for this database')),
    close: () => connection.end(),
  }
}

/** As documents, in which a null is a field that is not there. */
export function mongoSelect(rows: readonly Row[], filter: object): readonly number[] {
  const query = new Query(filter)
  return rows.flatMap((row, id) => {
    const document = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
    return query.test(document) ? [id] : []
  })
}

type Node = {
  readonly type: string
  readonly field: string
  readonly value: never
  readonly values: readonly Value[]
  readonly conditions: readonly Node[]
  readonly condition: Node
}

/** The tree of the format `json`, by its description in docs/filters.md. */
export function treeSelect(rows: readonly Row[], filter: object): readonly number[] {
  return rows.flatMap((row, id) => (holds(filter as Node, row) ? [id] : []))
}

function holds(node: Node, row: Row): boolean {
  switch (node.type) {
    case 'always':
      return true
    case 'never':
      return false
    case 'and':
      return node.conditions.every((part) => holds(part, row))
    case 'or':
      return node.conditions.some((part) => holds(part, row))
    case 'not':
      return !holds(node.condition, row)
    case 'is_null':
      return row[node.field] === null
    case 'not_null':
      return row[node.field] !== null
    default: {
      const value = row[node.field] as never
      return value !== null && TESTS[node.type]?.(value, node) === true
    }
  }
}

const isNumber = (value: unknown) => typeof value === 'number' || typeof value === 'bigint'

/** Numbers and integers beyond 2^53 are one type. */
const isSame = (one: unknown, other: unknown) =>
  // oxlint-disable-next-line eqeqeq -- a number and an integer of another representation
  one === other || (isNumber(one) && isNumber(other) && one == other)

const isOrdered = (one: unknown, other: unknown) => typeof one === typeof other || (isNumber(one) && isNumber(other))

const TESTS: Readonly<Record<string, (value: never, node: Node) => boolean>> = {
  eq: (value, node) => isSame(value, node.value),
  ne: (value, node) => !isSame(value, node.value),
  lt: (value, node) => isOrdered(value, node.value) && value < node.value,
  le: (value, node) => isOrdered(value, node.value) && value <= node.value,
  gt: (value, node) => isOrdered(value, node.value) && value > node.value,
  ge: (value, node) => isOrdered(value, node.value) && value >= node.value,
  in: (value, node) => node.values.some((other) => isSame(value, other)),
  not_in: (value, node) => !node.values.some((other) => isSame(value, other)),
  contains: (value: string, node) => value.includes(node.value),
  starts_with: (value: string, node) => value.startsWith(node.value),
  ends_with: (value: string, node) => value.endsWith(node.value),
}
