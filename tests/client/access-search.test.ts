import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import {
  ClientError,
  createClient,
  type EngineClient,
  type ResourceSearch,
  type SearchDialect,
  type SubjectSearch,
} from '@engine/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../http/server.testing.ts'
import { sharedMariaDb } from '../mariadb.testing.ts'
import { sharedPostgres } from '../postgres.testing.ts'

/** Runs one query with its parameters. */
type Query = (sql: string, parameters: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>

/** A document as the engine knows it: an entity of AuthZEN. */
interface Document {
  readonly type: 'document'
  readonly id: string
  readonly properties: {
    readonly owner?: string
    readonly level?: number
    readonly public?: boolean
    readonly price?: string
    readonly address?: { readonly city: string }
  }
}

const pick = <T>(values: readonly T[], index: number): T => values[index % values.length] as T

/** Rows with each combination of values and of nulls; ids in an order that differs by case and length. */
const DOCUMENTS: readonly Document[] = Array.from({ length: 240 }, (_, index) => {
  const owner = pick(['ada', 'bob', undefined, "o'neil"], index)
  const level = pick([1, 2, 2.5, undefined, 9], index)
  const isPublic = pick([true, false, undefined], index)
  const price = pick(['0.30', '19.99', undefined, '100.00', '0.10', '7.00', '8.00'], index)
  const city = pick(['Bern', undefined], index)
  return {
    type: 'document',
    id: `d${String((index * 7919) % 1000).padStart(3, '0')}`,
    properties: {
      ...(owner !== undefined && { owner }),
      ...(level !== undefined && { level }),
      ...(isPublic !== undefined && { public: isPublic }),
      ...(price !== undefined && { price }),
      ...(city !== undefined && { address: { city } }),
    },
  }
})

const COLUMNS = {
  owner: { type: 'text' },
  level: { type: 'number' },
  public: { column: 'Is public', type: 'boolean' },
  price: { type: 'decimal(8, 2)' },
  'address.city': { column: 'city', type: 'text' },
} as const

const TYPES = { text: 'varchar(40)', number: 'double precision', boolean: 'boolean', price: 'decimal(8, 2)' }

/** Creates and fills the table, with names of columns quoted by `mark`. */
async function fill(query: Query, mark: string, placeholder: (index: number) => string): Promise<void> {
  const name = (column: string) => `${mark}${column}${mark}`
  await query(
    `CREATE TABLE documents (${name('id')} ${TYPES.text} PRIMARY KEY, ${name('owner')} ${TYPES.text}, ${name('level')} ${TYPES.number}, ${name('Is public')} ${TYPES.boolean}, ${name('price')} ${TYPES.price}, ${name('city')} ${TYPES.text})`,
    [],
  )
  const marks = [1, 2, 3, 4, 5, 6].map(placeholder).join(', ')
  for (const { id, properties: row } of DOCUMENTS) {
    const values = [id, row.owner, row.level, row.public, row.price, row.address?.city]
    await query(
      `INSERT INTO documents VALUES (${marks})`,
      values.map((value) => value ?? null),
    )
  }
}

/** The databases, each with the rows in the table `documents`. */
const DATABASES: Readonly<Record<SearchDialect, () => Promise<Query>>> = {
  async sqlite() {
    const database = new DatabaseSync(':memory:')
    const query: Query = async (sql, parameters) =>
      database
        .prepare(sql)
        .all(...(parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value)) as []))
    await fill(query, '"', () => '?')
    return query
  },
  async duckdb() {
    const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
    const query: Query = async (sql, parameters) =>
      (await connection.runAndReadAll(sql, [...parameters] as [])).getRowObjectsJson()
    await fill(query, '"', () => '?')
    return query
  },
  async postgres() {
    const { client } = await sharedPostgres()
    const schema = `s${randomUUID().replaceAll('-', '')}`
    await client.query(`CREATE SCHEMA ${schema}`)
    await client.query(`SET search_path TO ${schema}`)
    const query: Query = async (sql, parameters) => (await client.query(sql, [...parameters])).rows
    await fill(query, '"', (index) => `$${index}`)
    return query
  },
  async mysql() {
    const server = await sharedMariaDb()
    const database = `d${randomUUID().replaceAll('-', '')}`
    const connection = await server.connect(database)
    afterAll(() => connection.end())
    const query: Query = async (sql, parameters) => {
      const [rows] = await connection.query(sql, [...parameters])
      return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []
    }
    await fill(query, '`', () => '?')
    return query
  },
}

type Output = readonly (readonly [name: string, expression: string])[]

const ruleset = (name: string, condition: string, config: object = {}, output: Output = []) => ({
  config: { name, version: '1.0.0', entry_step: 'check', ...config },
  steps: {
    check: { id: 'check', type: 'decision', branches: [{ condition, next_step: 'yes' }], default_next: 'no' },
    yes: { id: 'yes', type: 'terminal', result: { code: 'PERMIT', message: '', output } },
    no: { id: 'no', type: 'terminal', result: { code: 'DENY', message: '' } },
  },
})

/** Rules by name. */
const RULES: Readonly<Record<string, readonly [condition: string, config?: object, output?: Output]>> = {
  owner: ['subject.id == resource.properties.owner'],
  'known-subject': ['subject.properties.clearance >= resource.properties.level'],
  'absent-subject': ['subject.properties.suspended != true && resource.properties.public'],
  'absent-context': ['context.floor == null && resource.properties.level > 2'],
  'absent-everywhere': ['resource.properties.level > context.least || exists(action.properties.force)'],
  nested: ['resource.properties.address.city == "Bern" || resource.properties.owner == "o\'neil"'],
  id: ['starts_with(resource.id, "d1") || resource.id == "d007"'],
  type: ['resource.type == "document" && !(resource.properties.public == false)'],
  'may-fail': ["resource.properties.owner == 'ada'", {}, [['least', '10 / resource.properties.level']]],
  strict: ['resource.properties.level < 3', { field_missing: 'strict' }],
  exact: ['resource.properties.price == 0.1 + 0.2', { numbers: 'decimal' }],
  never: ['subject.id == "nobody"'],
}

const search = (name: string): Omit<ResourceSearch, 'dialect' | 'query'> => ({
  ruleset: name,
  subject: { type: 'user', id: 'ada', properties: { clearance: 2 } },
  action: { name: 'read' },
  resource: { type: 'document' },
  permit: ['PERMIT'],
  table: 'documents',
  id: 'id',
  columns: COLUMNS,
})

let server: TestServer
let engine: EngineClient
const folder = mkdtempSync(join(tmpdir(), 'engine-access-search-'))
beforeAll(async () => {
  const entities = DOCUMENTS.map((document) => {
    const { price, ...others } = document.properties
    // A decimal is a number of JSON with its digits.
    const text = JSON.stringify({ ...document, properties: others })
    return price === undefined ? text : `${text.slice(0, -2)}${text.endsWith('{}}') ? '' : ','}"price":${price}}}`
  })
  writeFileSync(join(folder, 'entities.jsonl'), entities.join('\n'))
  const mapped = Object.keys(RULES).map((name) => ({ action: name, ruleset: name, permit: ['PERMIT'] }))
  const mapping = { rules: mapped, entities: 'entities.jsonl', unknown_subject: 'rules' }
  writeFileSync(join(folder, 'mapping.json'), JSON.stringify(mapping))
  server = await startServer('--authzen-config', join(folder, 'mapping.json'), '--grpc-addr', '127.0.0.1:0')
  for (const [name, rules] of Object.entries(RULES)) {
    const { status, text } = await server.post('/api/v1/rulesets', ruleset(name, ...rules))
    if (status !== 201) throw new Error(text)
  }
  engine = createClient({ url: server.url })
})
afterAll(async () => {
  await engine.close()
  await server.stop()
  rmSync(folder, { recursive: true })
})

/** The ids that the AuthZEN search of the engine finds, which executes each entity. */
async function foundByEngine(name: string): Promise<readonly string[]> {
  const { subject, resource } = search(name)
  const reply = await server.post('/access/v1/search/resource', { subject, resource, action: { name } })
  expect(reply.status, reply.text).toBe(200)
  return (reply.body as { readonly results: readonly { readonly id: string }[] }).results.map(({ id }) => id)
}

async function allPages(one: ResourceSearch): Promise<readonly string[]> {
  const ids: string[] = []
  for (let after: string | undefined; ;) {
    const page = await engine.searchResources({ ...one, after })
    expect(page.results.length).toBeLessThanOrEqual(one.limit ?? 1000)
    ids.push(...page.results.map(({ id }) => id))
    if (page.next === undefined) return ids
    after = page.next
  }
}

describe.each(Object.keys(DATABASES) as SearchDialect[])('%s', (dialect) => {
  let query: Query
  beforeAll(async () => {
    query = await DATABASES[dialect]()
  })

  test.each(Object.keys(RULES))('the rows that %s permits are those that an AuthZEN search finds', async (name) => {
    // The name of an action selects the ruleset in the mapping of the engine.
    const one = { ...search(name), action: { name }, dialect, query }
    const expected = await foundByEngine(name)
    expect((await engine.searchResources(one)).results).toEqual(expected.map((id) => ({ type: 'document', id })))
    expect(await allPages({ ...one, limit: 7 })).toEqual(expected)
  })

  test('subjects are found in the same way', async () => {
    const { subject: _subject, resource: _resource, ...common } = search('subjects')
    const rules = ruleset('subjects', 'subject.properties.owner == resource.id && subject.properties.level > 1')
    await server.post('/api/v1/rulesets', rules)
    const one: SubjectSearch = {
      ...common,
      subject: { type: 'group' },
      resource: { type: 'user', id: 'ada' },
      dialect,
      query,
    }
    const expected = DOCUMENTS.filter(({ properties: { owner, level = 0 } }) => owner === 'ada' && level > 1)
    const { results, next } = await engine.searchSubjects(one)
    expect([results.map(({ id }) => id), next]).toEqual([expected.map(({ id }) => id).toSorted(), undefined])
    expect(results.every(({ type }) => type === 'group')).toBe(true)
  })
})

describe('refusals', () => {
  const queries: string[] = []
  const query = async (sql: string) => {
    queries.push(sql)
    return []
  }
  const one: ResourceSearch = { ...search('owner'), dialect: 'postgres', query }
  const failure = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(ClientError)
    const { kind, message } = error as ClientError
    return [kind, message]
  }

  test.each<readonly [title: string, change: Partial<ResourceSearch>, message: string]>([
    [
      'a property without a column',
      { columns: { level: { type: 'number' } } },
      'the rules of owner read `resource.properties.owner`, and `columns` has no column for it',
    ],
    ['no code', { permit: [] }, '`permit` must name at least one result code'],
    ['a limit of 0', { limit: 0 }, '`limit` must be a whole number from 1 to 10000, found 0'],
    ['a limit of 10,001', { limit: 10_001 }, '`limit` must be a whole number from 1 to 10000, found 10001'],
    ['an empty name', { table: 'a..b' }, 'a name of SQL is empty or contains a zero character'],
    ['ids that are numbers', { query: () => [{ id: 7 }] }, 'the column id must hold texts, found number'],
    [
      'values of another type',
      { ruleset: 'may-fail', query: () => [{ id: 'a', level: {}, owner: null }] },
      'the column level must hold values of type number, found object',
    ],
    [
      'a property and a part of it',
      {
        ruleset: 'may-fail',
        columns: { level: { type: 'number' }, owner: { type: 'text' }, 'owner.name': { type: 'text' } },
        query: () => [{ id: 'a', level: 1, owner: 'ada', owner_name: 'Ada' }],
      },
      '`columns` has the property `owner` and a part of it, `owner.name`',
    ],
  ])('%s', async (...row) => {
    const [, change, message] = row
    expect(await failure(engine.searchResources({ ...one, ...change }))).toEqual(['invalid', message])
    expect(queries).toEqual([])
  })

  test('a ruleset that does not exist', async () => {
    expect(await failure(engine.searchResources({ ...one, ruleset: 'missing' }))).toEqual([
      'not-found',
      expect.stringContaining('missing'),
    ])
  })

  test('gRPC', async () => {
    const grpc = createClient({ url: `grpc://${server.grpc}` })
    expect(await failure(grpc.searchResources(one))).toEqual([
      'invalid',
      'searches need HTTP: gRPC has no call for filters',
    ])
    await grpc.close()
  })

  test('a table and a column whose names contain quotes are names, not SQL', async () => {
    const table = 'd"; DROP TABLE documents; --'
    await engine.searchResources({ ...one, table, id: 'i"d' })
    expect(queries.splice(0)).toEqual([
      expect.stringMatching(
        /^SELECT "i""d" FROM "d""; DROP TABLE documents; --" WHERE \(.*\) ORDER BY "i""d" LIMIT 1001$/,
      ),
    ])
  })
})
