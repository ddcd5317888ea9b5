import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { type ResourceSearch, searchAccess, type SearchDialect, type SubjectSearch } from './access-search.ts'
import type { Filtered } from './transport.ts'

const FILTER: Filtered = {
  filter: '"owner" = $1 OR "public"',
  params: ['ada'],
  never_matches: false,
  unknown_fields: ['resource.id'],
  exactness: 'exact',
}

/** A table with these rows, and an engine that permits those whose level is 1. */
function searched(rows: readonly Record<string, unknown>[], filtered: Partial<Filtered> = {}) {
  const queries: (readonly [sql: string, parameters: readonly unknown[]])[] = []
  const asked: { filter?: object; inputs: Value[] } = { inputs: [] }
  const query: ResourceSearch['query'] = (sql, parameters) => {
    queries.push([sql, parameters])
    const after = / > (?:\$2|\?)/.test(sql) ? String(parameters.at(-1)) : ''
    const most = Number(/LIMIT (\d+)$/.exec(sql)?.[1])
    return rows.filter(({ id }) => String(id) > after).slice(0, most)
  }
  const engine = {
    filter: async (_ruleset: string, request: object) => {
      asked.filter = request
      return { ...FILTER, ...filtered }
    },
    batch: async (_ruleset: string, inputs: readonly Value[]) => {
      asked.inputs.push(...inputs)
      const results = inputs.map((input) => {
        const { level, fails } = (input as { resource: { properties: Record<string, unknown> } }).resource.properties
        const decided = { code: level === 1 ? 'PERMIT' : 'DENY', message: '', output: {}, duration_us: 1 }
        return fails === true ? { error: 'no branch fits' } : decided
      })
      return { results, summary: { total: 0, success: 0, failed: 0 } }
    },
  }
  const search: ResourceSearch = {
    ruleset: 'documents',
    subject: { type: 'user', id: 'ada' },
    action: { name: 'read' },
    resource: { type: 'document' },
    permit: ['PERMIT'],
    dialect: 'postgres',
    table: 'documents',
    id: 'id',
    columns: { owner: { type: 'text' } },
    query,
  }
  const find = async (more: Partial<ResourceSearch> = {}) => {
    const { results, next } = await searchAccess('resource', { ...search, ...more }, engine)
    return [results.map(({ id }) => id).join(''), next] as const
  }
  return { find, search, engine, queries, asked }
}

const rowsOf = (ids: string, more: (id: string) => object = () => ({})) => [...ids].map((id) => ({ id, ...more(id) }))

describe('a page of an exact filter', () => {
  test.each<[title: string, limit: number, after: string | undefined, ids: string, next: string | undefined]>([
    ['has all rows below its limit', 4, undefined, 'abc', undefined],
    ['has all rows at its limit, and no next one', 3, undefined, 'abc', undefined],
    ['has the first rows, and the last of them as the place of the next one', 2, undefined, 'ab', 'b'],
    ['begins behind its place', 2, 'b', 'c', undefined],
    ['behind the last row is empty', 2, 'c', '', undefined],
  ])('%s', async (_title, limit, after, ids, next) => {
    expect(await searched(rowsOf('abc')).find({ limit, after })).toEqual([ids, next])
  })

  test('is one query, in which the filter cannot change what comes behind it', async () => {
    const { find, queries, asked } = searched([])
    await find()
    await find({ after: 'b', table: 'shop.documents' })
    expect(queries).toEqual([
      [`SELECT "id" FROM "documents" WHERE ("owner" = $1 OR "public") ORDER BY "id" LIMIT 1001`, ['ada']],
      [
        `SELECT "id" FROM "shop"."documents" WHERE ("owner" = $1 OR "public") AND "id" > $2 ORDER BY "id" LIMIT 1001`,
        ['ada', 'b'],
      ],
    ])
    expect(asked.inputs).toEqual([])
  })

  test('of no row needs no query', async () => {
    const { find, queries } = searched(rowsOf('a'), { filter: null, never_matches: true })
    expect([await find(), queries]).toEqual([['', undefined], []])
  })
})

describe('rows that may be too many are decided one by one', () => {
  const level = (id: string) => ({ level: 'bd'.includes(id) ? 2 : 1, fails: id === 'e' })
  const columns = { level: { type: 'number' }, fails: { type: 'boolean' } } as const

  test.each<[title: string, limit: number, after: string | undefined, ids: string, next: string | undefined]>([
    ['denied and failed ones are left out', 9, undefined, 'acf', undefined],
    ['until the page is full', 2, undefined, 'ac', 'c'],
    ['behind the place of the page', 2, 'c', 'f', undefined],
  ])('%s', async (_title, limit, after, ids, next) => {
    const { find } = searched(rowsOf('abcdef', level), { exactness: 'superset' })
    expect(await find({ columns, limit, after })).toEqual([ids, next])
  })

  test('with the party that is searched, and the others as they were given', async () => {
    const rows = [{ id: 'a', level: 1, address_city: 'Bern', price: '12345678901234567.89', note: null }]
    const { find, asked, queries } = searched(rows, { exactness: 'superset' })
    const price = { type: 'decimal(19, 2)' } as const
    await find({
      columns: { level: { type: 'integer' }, 'address.city': { type: 'text' }, price, note: { type: 'text' } },
      context: { ip: '::1' },
    })
    expect(asked.inputs).toMatchObject([
      {
        subject: { type: 'user', id: 'ada', properties: {} },
        action: { name: 'read', properties: {} },
        context: { ip: '::1' },
        resource: { type: 'document', id: 'a', properties: { level: 1, address: { city: 'Bern' } } },
      },
    ])
    const [input] = asked.inputs as { resource: { properties: Record<string, unknown> } }[]
    expect(Object.keys(input?.resource.properties ?? {})).toEqual(['level', 'address', 'price'])
    expect(String(input?.resource.properties['price'])).toBe('12345678901234567.89')
    expect(queries[0]?.[0]).toContain('SELECT "id", "level", "address_city", "price", "note" FROM')
  })
})

test('the request for the filter names the columns, their types, and those that hold no null', async () => {
  const { find, asked } = searched([])
  await find({
    columns: {
      owner: { type: 'text', nullable: false },
      level: { type: 'number', column: 'lvl', nullable: true },
      'address.city': { type: 'text' },
    },
    permit: ['PERMIT', 'OWNER'],
  })
  expect(asked.filter).toEqual({
    known_input: {
      subject: { type: 'user', id: 'ada', properties: {} },
      resource: { type: 'document' },
      action: { name: 'read', properties: {} },
      context: {},
    },
    unknown_input: ['resource.id', 'resource.properties'],
    target_results: ['PERMIT', 'OWNER'],
    dialect: 'postgres',
    parameters: true,
    nulls: 'match_rules',
    field_mapping: {
      'resource.id': 'id',
      'resource.properties.owner': 'owner',
      'resource.properties.level': 'lvl',
      'resource.properties.address.city': 'address_city',
    },
    not_null: ['id', 'owner'],
    columns: { id: 'text', owner: 'text', lvl: 'number', address_city: 'text' },
  })
})

test('a search for subjects knows the resource', async () => {
  const { search, engine, asked } = searched(rowsOf('a'), { unknown_fields: ['subject.id'] })
  const subjects: SubjectSearch = {
    ...search,
    subject: { type: 'user' },
    resource: { type: 'document', id: 'd', properties: { level: 1 } },
  }
  expect((await searchAccess('subject', subjects, engine)).results).toEqual([{ type: 'user', id: 'a' }])
  expect(asked.filter).toMatchObject({
    known_input: { subject: { type: 'user' }, resource: { type: 'document', id: 'd', properties: { level: 1 } } },
    unknown_input: ['subject.id', 'subject.properties'],
  })
})

test.each<[dialect: SearchDialect, sql: string]>([
  ['postgres', 'FROM "a""b" WHERE (TRUE) AND "i""d" > $1 ORDER BY "i""d"'],
  ['mysql', 'FROM `a"b` WHERE (TRUE) AND `i"d` > ? ORDER BY `i"d`'],
  ['sqlite', 'FROM "a""b" WHERE (TRUE) AND "i""d" > ? ORDER BY "i""d"'],
  ['duckdb', 'FROM "a""b" WHERE (TRUE) AND "i""d" > ? ORDER BY "i""d"'],
])('names are quoted for %s', async (dialect, sql) => {
  const { find, queries } = searched([], { filter: 'TRUE', params: [] })
  await find({ dialect, table: 'a"b', id: 'i"d', after: 'x' })
  expect(queries[0]?.[0]).toContain(sql)
})

describe('a search is refused', () => {
  test.each<[title: string, search: Partial<ResourceSearch>, filtered: Partial<Filtered>, message: string]>([
    ['with a limit of 0', { limit: 0 }, {}, '`limit` must be a whole number from 1 to 10000, found 0'],
    ['beyond the largest limit', { limit: 10_001 }, {}, '`limit` must be a whole number from 1 to 10000'],
    ['with a part of a row', { limit: 1.5 }, {}, '`limit` must be a whole number'],
    ['without a result that permits', { permit: [] }, {}, '`permit` must name at least one'],
    ['where rows could be missed', {}, { exactness: 'subset' }, 'could miss rows: subset'],
    ['where rows are a guess', {}, { exactness: 'approximate', reasons: ['a', 'b'] }, 'could miss rows: a; b'],
    [
      'where rules read another field',
      {},
      { unknown_fields: ['resource.properties.x'] },
      'read `resource.properties.x`',
    ],
    ['with an empty name', { table: '' }, {}, 'a name of SQL is empty'],
    ['with a zero character in a name', { id: 'a\0' }, {}, 'contains a zero character'],
  ])('%s', async (_title, search, filtered, message) => {
    await expect(searched(rowsOf('a'), filtered).find(search)).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining(message),
    })
  })

  test('up to the largest limit it is none', async () => {
    expect(await searched(rowsOf('a')).find({ limit: 10_000 })).toEqual(['a', undefined])
  })

  test.each<[title: string, row: object, message: string]>([
    ['whose id is a number', { id: 1 }, 'the column id must hold texts, found number'],
    ['whose text is a number', { id: 'a', owner: 1 }, 'the column owner must hold values of type text, found number'],
  ])('at a row %s', async (_title, row, message) => {
    const { find } = searched([], { exactness: 'superset' })
    await expect(find({ query: () => [{ ...row }] })).rejects.toThrow(message)
  })
})
