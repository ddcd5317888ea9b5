import { type Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { BadFilterRequest } from './columns.ts'
import { createDecisionSql } from './decision-sql.ts'
import { createFilter, type FilterRequest } from './filter.ts'
import { decisionOn, rulesetOf } from './filter.testing.ts'
import { numberLiteral } from './number-literal.ts'

const ask = (condition: string, request: Partial<FilterRequest> = {}, config = {}) =>
  createFilter(
    decisionOn(condition, config),
    { known_input: {}, target_results: ['YES'], nulls: 'match_rules', ...request },
    0,
  )

const COLUMNS = { s: 'text', t: 'text', n: 'number', m: 'number', i: 'integer', b: 'boolean', c: 'boolean' }

describe('with stated types values of another type mean what they mean in the rules', () => {
  test.each<[condition: string, filter: string | null]>([
    ['n == "1"', null],
    ['n != "1"', 'TRUE'],
    ['n == "1" || n > 5', 'n > 5'],
    ['b == 1', null],
    ['s in ["a", 1]', `s IN ('a')`],
    ['n in ["a"]', null],
    ['n not in ["a"]', 'TRUE'],
    ['n < "a"', null],
    ['!(n < "a")', 'n IS NULL'],
    ['contains(n, "1")', null],
    ['contains(n, "")', null],
    ['contains(s, "")', 's IS NOT NULL'],
    ['n', 'n != 0'],
    ['!n', '(n = 0 OR n IS NULL)'],
    ['s', `s != ''`],
    ['b', 'b = TRUE'],
    ['n == m', '(n = m OR (n IS NULL AND m IS NULL))'],
    ['n > 9007199254740993', 'n > 9.007199254740992e+15'],
    ['n >= 9007199254740995', 'n >= 9.007199254740996e+15'],
    ['n == 9007199254740993', null],
    ['n in [9007199254740993, 9007199254740992]', 'n IN (9.007199254740992e+15)'],
    ['i == 9007199254740993', 'i = 9007199254740993'],
    ['i < 9.1e15', 'i < 9100000000000000'],
    ['i < 2.5', 'i <= 2'],
    ['i >= -2.5', 'i >= -2'],
    ['i == 2.5', null],
    ['i != 2.5', 'TRUE'],
    ['i in [2.5, 3, 9223372036854775808]', 'i IN (3)'],
    ['i not in [2.5]', 'TRUE'],
    ['i < 9223372036854775808', 'i IS NOT NULL'],
    ['i > 1e300', null],
    ['!(i > 1e300)', 'TRUE'],
    ['i >= -9223372036854775808', 'i >= -9223372036854775808'],
  ])('%s', (condition, filter) =>
    expect(ask(condition, { columns: COLUMNS })).toMatchObject({ filter, exactness: 'exact' }),
  )

  test.each([
    ['s == n', 'a column of type `text` with one of type `number`'],
    ['b < c', 'the order of booleans'],
  ])('%s is refused', (condition, said) => expect(() => ask(condition, { columns: COLUMNS })).toThrow(said))

  test('an unknown type', () => {
    const make = () => ask('a == 1', { columns: { a: 'varchar' } })
    expect(make).toThrow(BadFilterRequest)
    expect(make).toThrow(
      'the column `a` can be `text`, `number`, `integer`, `boolean`, or `decimal(p, s)` with at most 34 digits, not `varchar`',
    )
  })

  test('types belong to columns, not to fields', () =>
    expect(
      ask('doc.size == "1"', { columns: { size: 'number' }, field_mapping: { 'doc.size': 'size' } }).filter,
    ).toBeNull())
})

describe('a dependency on more than the rules is named', () => {
  test.each<[condition: string, request: Partial<FilterRequest>, reason: string | undefined]>([
    ['a == "1" && a != 1', {}, '`a` is compared with number and text'],
    ['a == 1 || a == true', { format: 'mongo' }, '`a` is compared with boolean and number'],
    ['a == 1 || a == true', { columns: { a: 'number' } }, undefined],
    ['a < b', { dialect: 'postgres' }, '`a` and `b`, should they be texts'],
    ['a == b', { dialect: 'postgres' }, undefined],
    ['n < m', { dialect: 'postgres', columns: COLUMNS }, undefined],
    ['s < t', { dialect: 'postgres', columns: COLUMNS }, 'by code points'],
    ['i < n', { dialect: 'postgres', columns: COLUMNS }, 'compared as doubles'],
    ['a < "x"', {}, "the column's collation"],
    ['a < "x"', { dialect: 'mysql' }, "the column's collation"],
    ['a < "x"', { dialect: 'postgres' }, undefined],
    ['a < "x"', { dialect: 'sqlite' }, undefined],
    ['a < "\ue000"', { dialect: 'sqlite' }, 'by code points'],
    ['a < "\u{1f600}"', { format: 'mongo' }, 'by code points'],
    ['a < "\ue000"', { format: 'json' }, undefined],
    ['a == "\ue000"', { dialect: 'sqlite' }, undefined],
    ['a == 0', { dialect: 'mysql' }, "`'abc' = 0` is true"],
    ['a in ["x", "0"]', { dialect: 'mysql' }, 'the type of `a` is not stated'],
    ['starts_with(a, "1")', { dialect: 'mysql' }, 'the type of `a` is not stated'],
    ['a', { dialect: 'mysql' }, 'the type of `a` is not stated'],
    ['a == b', { dialect: 'mysql' }, 'the type of `a` and `b` is not stated'],
    ['a == "x"', { dialect: 'mysql' }, undefined],
    ['!contains(a, "1x")', { dialect: 'mysql' }, undefined],
    ['n == m', { dialect: 'mysql', columns: COLUMNS }, undefined],
    ['s == t', { dialect: 'mysql', columns: COLUMNS }, undefined],
    ['s == "0" && n in [0, 1]', { dialect: 'mysql', columns: COLUMNS }, undefined],
    ['a == 9007199254740993', {}, 'beyond 2^53'],
    ['a == 2.26797932753915e17', {}, 'beyond 2^53'],
    ['a == 9007199254740993', { columns: { a: 'integer' } }, undefined],
  ])('%s with %j', (condition, request, reason) => {
    const { exactness, reasons } = ask(condition, request)
    expect(exactness).toBe(reason === undefined ? 'exact' : 'approximate')
    if (reason === undefined) expect(reasons).toBeUndefined()
    else expect(reasons?.join('\n')).toContain(reason)
  })

  test('texts of two columns are ordered by their characters in PostgreSQL', () =>
    expect(ask('s < t', { dialect: 'postgres', columns: COLUMNS }).filter).toBe('s < t COLLATE "C"'))

  test('rows can be too many and missing at the same time', () => {
    const condition = 'a != 1 && $x > 1'
    const both = ask(condition, { nulls: 'sql' }, {})
    expect(both).toMatchObject({ never_matches: true })
    const ruleset = decisionOn('a != 1')
    const failing = rulesetOf({
      first: { branches: [['a != 1', 'yes']], next: 'no' },
      yes: { code: 'YES', output: { x: 'b + 1' } },
      no: 'NO',
    })
    const request = { known_input: {}, target_results: ['YES'] }
    expect(createFilter(failing, request, 0).exactness).toBe('approximate')
    expect(createFilter(failing, { ...request, nulls: 'match_rules' }, 0).exactness).toBe('superset')
    expect(createFilter(ruleset, request, 0).exactness).toBe('subset')
  })
})

test.each<[value: number | bigint, text: string]>([
  [1, '1'],
  [-0, '0'],
  [2.5, '2.5'],
  [0.1, '0.1'],
  [-1e-7, '-1e-7'],
  [0.30000000000000004, '3.0000000000000004e-1'],
  [0.0028984089210060526, '2.8984089210060526e-3'],
  [123456789012345.6, '1.234567890123456e+14'],
  [9007199254740991, '9007199254740991'],
  [2.26797932753915e17, '2.26797932753915e+17'],
  [1e300, '1e+300'],
  [9007199254740993n, '9007199254740993'],
])('the number %s is written %s', (value, text) => {
  expect(numberLiteral(value)).toBe(text)
  expect(Number(text)).toBe(Object.is(value, -0) ? 0 : Number(value))
})

describe('a field known to be missing is not a column', () => {
  test.each<[condition: string, known: { readonly [key: string]: Value }, mode: string, filter: string | null]>([
    ['owner == user.id', { user: null }, 'lenient', 'owner IS NULL'],
    ['owner == user.id', { user: 'bob' }, 'lenient', 'owner IS NULL'],
    ['owner == user.id', { user: [1] }, 'lenient', 'owner IS NULL'],
    ['owner == list[3]', { list: [1] }, 'lenient', 'owner IS NULL'],
    ['owner == user.id', { user: {} }, 'lenient', '(owner = user_id OR (owner IS NULL AND user_id IS NULL))'],
    ['owner == user.id', { user: null }, 'strict', null],
    ['owner == user.id', { user: null }, 'default', `owner = 'nobody'`],
    ['is_null(user.id) && a == 1', { user: null }, 'strict', 'a = 1'],
    ['exists(user.id) || a == 1', { user: null }, 'strict', 'a = 1'],
    ['coalesce(user.id, "x") == owner', { user: null }, 'strict', `owner = 'x'`],
    ['exists(user.id) || a == 1', { user: { id: null } }, 'strict', 'TRUE'],
  ])('%s, %j, %s', (condition, known_input, field_missing, filter) => {
    const defaults = field_missing === 'default' ? { defaults: { 'user.id': 'nobody' } } : {}
    expect(ask(condition, { known_input }, { field_missing, ...defaults }).filter).toBe(filter)
  })
})

describe('types in a whole decision', () => {
  const query = (condition: string, columns = {}) =>
    createDecisionSql(decisionOn(condition), { dialect: 'postgres', columns }, 0)

  test.each<[condition: string, columns: object, reason: string | undefined]>([
    ['a < b', {}, 'the order of the database'],
    ['n < m', COLUMNS, undefined],
    ['a + 1 > 2', {}, 'an integer beyond 2^53 loses digits'],
    ['n + 1 > 2', COLUMNS, undefined],
    ['i + 1 > 2', COLUMNS, 'an integer beyond 2^53 loses digits'],
    ['a == "1" && a == 1', {}, '`a` is used as number and text'],
    ['n == "1" && n == 1', COLUMNS, undefined],
    ['a == 9007199254740993', {}, 'beyond 2^53'],
    ['a < "\ue000"', {}, 'by code points'],
  ])('%s', (condition, columns, reason) => {
    const { reasons } = query(condition, columns)
    if (reason === undefined) expect(reasons).toBeUndefined()
    else expect(reasons?.join('\n')).toContain(reason)
  })

  test('an empty column has no name', () =>
    expect(() => createDecisionSql(decisionOn('a == 1'), { dialect: 'duckdb', field_mapping: { a: '' } }, 0)).toThrow(
      BadFilterRequest,
    ))
})
