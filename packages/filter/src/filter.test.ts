import { DatabaseSync } from 'node:sqlite'
import type { Value } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { BadFilterRequest } from './columns.ts'
import { FilterError } from './path-search.ts'
import { createFilter, type FilterRequest } from './filter.ts'
import { decisionOn, rulesetOf } from './filter.testing.ts'

const ask = (ruleset: Parameters<typeof createFilter>[0], request: Partial<FilterRequest> = {}) =>
  createFilter(ruleset, { known_input: {}, target_results: ['YES'], ...request }, Date.UTC(2026, 0, 1))

/** The rows selected by a condition, as SQL. */
const sql = (condition: string, request: Partial<FilterRequest> = {}) => ask(decisionOn(condition), request).filter

describe('SQL forms', () => {
  test.each([
    ['status == "x"', `status = 'x'`],
    ['status == null', 'status IS NULL'],
    ['status != "x"', `status != 'x'`],
    ['status != null', 'status IS NOT NULL'],
    ['status in ["a", "b"]', `status IN ('a', 'b')`],
    ['status not in ["a", "b"]', `status NOT IN ('a', 'b')`],
    ['status in ["a", null]', `(status IN ('a') OR status IS NULL)`],
    ['status not in ["a", null]', `status NOT IN ('a')`],
    ['status in [null]', 'status IS NULL'],
    ['n in [1, 2.5, -3]', 'n IN (1, 2.5, -3)'],
    ['n > 1', 'n > 1'],
    ['n >= 1', 'n >= 1'],
    ['n < 1', 'n < 1'],
    ['n <= 1', 'n <= 1'],
    ['1 < n', 'n > 1'],
    ['"x" == status', `status = 'x'`],
    ['n == 9007199254740993', 'n = 9007199254740993'],
    ['ok == true', 'ok = TRUE'],
    ['ok', 'ok = TRUE'],
    ['!ok', 'ok != TRUE'],
    ['is_null(a)', 'a IS NULL'],
    ['!is_null(a)', 'a IS NOT NULL'],
    ['exists(a)', 'a IS NOT NULL'],
    ['contains(a, "x")', `a LIKE '%x%' ESCAPE '!'`],
    ['starts_with(a, "x")', `a LIKE 'x%' ESCAPE '!'`],
    ['ends_with(a, "x")', `a LIKE '%x' ESCAPE '!'`],
    ['a contains "x"', `a LIKE '%x%' ESCAPE '!'`],
    ['!contains(a, "x")', `a NOT LIKE '%x%' ESCAPE '!'`],
    ['contains(a, "")', 'a IS NOT NULL'],
    ['a == 1 && b == 2', '(a = 1 AND b = 2)'],
    ['a == 1 || b == 2', '(a = 1 OR b = 2)'],
    ['a == 1 && b == 2 && c == 3', '(a = 1 AND b = 2 AND c = 3)'],
    ['!(a == 1 && b > 2)', '(a != 1 OR b <= 2)'],
    ['!(a == 1 || b > 2)', '(a != 1 AND b <= 2)'],
    ['!!(a == 1)', 'a = 1'],
    ['if ok then a == 1 else a == 2', '((ok = TRUE AND a = 1) OR (ok != TRUE AND a = 2))'],
    ['a == b', 'a = b'],
    ['a < b', 'a < b'],
    ['(a > 1) == false', 'a <= 1'],
    ['order.total > 1', 'order_total > 1'],
    ['$["odd key"] == 1', '"odd key" = 1'],
    ['$["a\\"b"] == 1', '"a""b" = 1'],
    ['user == "alice"', `"user" = 'alice'`],
    ['$.order == 1', '"order" = 1'],
  ])('%s', (condition, expected) => expect(sql(condition)).toBe(expected))
})

describe('escapes', () => {
  test.each([
    ["status == 'o\\'x'", `status = 'o''x'`],
    ["status == '\\\\'", String.raw`status = '\'`],
    ["contains(a, '50%')", `a LIKE '%50!%%' ESCAPE '!'`],
    ["starts_with(a, 'a_b')", `a LIKE 'a!_b%' ESCAPE '!'`],
    ["ends_with(a, '!')", `a LIKE '%!!' ESCAPE '!'`],
    ["contains(a, 'o\\'x')", `a LIKE '%o''x%' ESCAPE '!'`],
  ])('%s', (condition, expected) => expect(sql(condition)).toBe(expected))

  test.each([
    ['; DROP TABLE r', '"; DROP TABLE r" = 1'],
    ['"; DROP', '"""; DROP" = 1'],
    ['t.n', 't.n = 1'],
    ['t.user', 't."user" = 1'],
    ['a.b.c.d', '"a.b.c.d" = 1'],
    ['1a', '"1a" = 1'],
    ['ünï', '"ünï" = 1'],
    ['__proto__', '__proto__ = 1'],
  ])('a column `%s`', (column, expected) => expect(sql('n == 1', { field_mapping: { n: column } })).toBe(expected))

  test.each([
    ['postgres', 'userName == "x"', `"userName" = 'x'`],
    ['postgres', 'a < "x"', `a < 'x' COLLATE "C"`],
    ['mysql', 'user > "a\\\\b"', String.raw`${'`user`'} > 'a\\b'`],
    ['mysql', 'a == "x"', `(a = 'x' AND CAST(CONVERT(a USING utf8mb4) AS BINARY) = 'x')`],
    ['mysql', 'a != "x"', `CAST(CONVERT(a USING utf8mb4) AS BINARY) != 'x'`],
    ['mysql', 'contains(a, "x")', `a LIKE BINARY '%x%' ESCAPE '!'`],
    ['sqlite', 'contains(a, "x")', `instr(a, 'x') > 0`],
    ['sqlite', 'starts_with(a, "💥b")', `substr(a, 1, 2) = '💥b'`],
    ['sqlite', '!ends_with(a, "x")', `substr(a, -1) != 'x'`],
    ['clickhouse', '!starts_with(a, "x")', `NOT startsWith(a, 'x')`],
    ['duckdb', 'contains(a, "x")', `a LIKE '%x%' ESCAPE '!'`],
  ] as const)('in %s: %s', (dialect, condition, expected) => expect(sql(condition, { dialect })).toBe(expected))

  test('placeholders instead of values', () => {
    const condition = 'a == "x" && b in [1, 2] && starts_with(c, "50%") && d != null'
    expect(ask(decisionOn(condition), { parameters: true, dialect: 'postgres' })).toMatchObject({
      filter: `(a = $1 AND b IN (CAST($2 AS bigint), CAST($3 AS bigint)) AND c LIKE $4 ESCAPE '!' AND d IS NOT NULL)`,
      params: ['x', 1, 2, '50!%%'],
    })
    expect(ask(decisionOn('a == "x"'), { parameters: true })).toMatchObject({ filter: 'a = ?', params: ['x'] })
  })

  describe.each(['ansi', 'mysql', 'sqlite', 'clickhouse', 'duckdb', 'postgres'] as const)('in %s', (dialect) => {
    test.each<[condition: string, params: readonly Value[]]>([
      ['n == 1 || n == 2', [1, 2]],
      ['n < 1 || n < 2.5 || m < 2', [1, 2.5, 2]],
      ['n != 1 || n in [2, 2] || n in [3, 4]', [1, 2, 2, 3, 4]],
      ['(n == 1 || n == 2 || n == null) && m == 3', [1, 2, 3]],
      [
        'starts_with(s, "a") || starts_with(s, "b")',
        dialect === 'sqlite' || dialect === 'clickhouse' ? ['a', 'b'] : ['a%', 'b%'],
      ],
    ])('each value of `%s` has a placeholder', (condition, expected) => {
      const { filter, params } = ask(decisionOn(condition), { parameters: true, dialect, nulls: 'match_rules' })
      expect(params).toEqual(expected)
      expect((filter as string).match(/\?|\$\d+/g)).toHaveLength(expected.length)
    })

    test('an integer beyond 2^53 is sent as a text, which JSON readers keep', () => {
      const request = { parameters: true, dialect, columns: { i: 'integer' } } as const
      const { filter, params, exactness } = ask(decisionOn('i == 9007199254740993'), request)
      expect({ params, exactness }).toEqual({ params: ['9007199254740993'], exactness: 'exact' })
      expect(filter).toMatch(/^i = CAST\((\?|\$1) AS \w+\)$/)
    })
  })
})

describe('known values are inserted, and conditions that follow from them are omitted', () => {
  const known = { user: { id: 'u1', level: 2, groups: ['a', 'b'], nick: null }, flag: true }
  test.each<[condition: string, filter: string | null]>([
    ['owner == user.id', `owner = 'u1'`],
    ['owner in user.groups', `owner IN ('a', 'b')`],
    ['user.level > 1', 'TRUE'],
    ['user.level > 2', null],
    ['user.level > 1 && n == 1', 'n = 1'],
    ['user.level > 1 || n == 1', 'TRUE'],
    ['flag && n > 1', 'n > 1'],
    ['n == user.level + 1', 'n = 3'],
    ['owner == user.nick', 'owner IS NULL'],
    ['exists(user.id) && n == 1', 'n = 1'],
    ['user.role == "x"', `user_role = 'x'`],
    ['until > now()', `until > '2026-01-01T00:00:00.000Z'`],
    ['upper(user.id) == owner', `owner = 'U1'`],
    ['"b" in user.groups && n == 1', 'n = 1'],
  ])('%s', (condition, expected) => expect(sql(condition, { known_input: known })).toBe(expected))
})

describe('conditions that follow from the rest are omitted', () => {
  test.each<[condition: string, filter: string | null]>([
    ['a == 1 && a != 2', 'a = 1'],
    ['a == 1 && a == 1', 'a = 1'],
    ['a == 1 && a == 2', null],
    ['a == 1 && a != 1', null],
    ['a in [1, 2, 3] && a > 1', 'a IN (2, 3)'],
    ['a in [1, 2] && a > 2', null],
    ['a > 1 && a > 5', 'a > 5'],
    ['a >= 5 && a > 5', 'a > 5'],
    ['a > 5 && a < 3', null],
    ['a > 5 && a <= 5', null],
    ['a > 5 && a != 3', 'a > 5'],
    ['a == null && a == 1', null],
    ['a != null && a == 1', 'a = 1'],
    ['a == 1 || a == 1', 'a = 1'],
    ['a in []', null],
    ['a == b && a != b', null],
    ['(a == 1 || b == 2) && !(a == 1 || b == 2)', null],
    ['a not in []', 'TRUE'],
    ['a == 1 && (a == 2 || b == 3)', '(a = 1 AND b = 3)'],
  ])('%s', (condition, expected) => expect(sql(condition)).toBe(expected))
})

describe('paths through the graph', () => {
  const graph = rulesetOf({
    first: {
      branches: [
        ['a == 1', 'yes'],
        ['b == 1', 'no'],
        ['c == 1', 'yes'],
      ],
      next: 'second',
    },
    second: { branches: [['d == 1', 'maybe']], next: 'yes' },
    yes: 'YES',
    no: 'NO',
    maybe: 'MAYBE',
  })

  test.each([
    [['YES'], '(a = 1) OR (b != 1 AND c = 1) OR (b != 1 AND d != 1)'],
    [['NO'], 'a != 1 AND b = 1'],
    [['MAYBE'], 'a != 1 AND b != 1 AND c != 1 AND d = 1'],
    [['YES', 'MAYBE'], '(a = 1) OR (b != 1)'],
    [['YES', 'NO', 'MAYBE'], 'TRUE'],
    [['NOBODY'], null],
  ])('to %j', (targets, expected) => expect(ask(graph, { target_results: targets }).filter).toBe(expected))

  test('in which null means what it means in the rules', () => {
    expect(ask(graph, { target_results: ['NO'], nulls: 'match_rules' })).toMatchObject({
      filter: '(a != 1 OR a IS NULL) AND b = 1',
      exactness: 'exact',
    })
    expect(ask(graph, { target_results: ['NO'], nulls: 'match_rules', not_null: ['a'] })).toMatchObject({
      filter: 'a != 1 AND b = 1',
    })
    expect(ask(graph, { target_results: ['NO'] })).toMatchObject({
      exactness: 'subset',
      reasons: [expect.stringContaining('`a`')],
    })
  })

  test.each([
    ['strict', {}, '(a != 1 AND b = 1)'],
    ['default', { defaults: { a: 1, b: 1 } }, '(a != 1 AND (b = 1 OR b IS NULL))'],
    ['lenient', {}, '((a != 1 OR a IS NULL) AND b = 1)'],
  ])('missing fields in mode %s', (field_missing, more, expected) => {
    const ruleset = decisionOn('a != 1 && b == 1', { field_missing, ...more })
    expect(ask(ruleset, { nulls: 'match_rules' })).toMatchObject({ filter: expected, exactness: 'exact' })
  })

  test.each([
    [
      'everything is unknown',
      undefined,
      'strict',
      '(r.a == 1 || u.b != 2)',
      '(r_a = 1 OR (r_a IS NOT NULL AND u_b != 2))',
    ],
    ['r', ['r'], 'lenient', 'r.a == 1 || u.b != 2', null],
    ['r', ['r'], 'strict', 'r.a == 1 || u.b != 2', 'r_a = 1'],
    ['r', ['r'], 'default', 'r.a == 1 && u.b == 5', 'r_a = 1'],
    ['a path that is given in another spelling', ['$.r["a"]'], 'lenient', 'r.a == 1 && r.c == null', 'r_a = 1'],
    ['a part of a field', ['r.a.x'], 'lenient', 'r.a == 1', 'r_a = 1'],
    ['a part of a field in a presence test', ['r.a'], 'lenient', 'exists(r.a) && !exists(u.b)', 'r_a IS NOT NULL'],
    ['a path in a presence test', ['r.a'], 'strict', 'exists("r.a") && !exists("u.b")', 'r_a IS NOT NULL'],
    ['all fields by an empty list', [], 'lenient', 'r.a == 1', 'r_a = 1'],
    ['a known value', ['r'], 'lenient', 'known == 7 && r.a == 1', 'r_a = 1'],
    ['a value, and no list', ['r'], 'lenient', 'items[1] == null && r.a == 1', 'r_a = 1'],
  ] as const)('unknown are %s: %s in mode %s', (_, unknown, field_missing, condition, expected) => {
    const ruleset = decisionOn(condition, {
      field_missing,
      ...(field_missing === 'default' && { defaults: { 'u.b': 5 } }),
    })
    const { filter, always_matches: always } = ask(ruleset, {
      nulls: 'match_rules',
      known_input: { known: 7 },
      ...(unknown && { unknown_input: [...unknown] }),
    })
    expect(always ? null : filter).toEqual(expected)
  })

  test('a negation is kept where an earlier condition can fail', () => {
    const steps = {
      first: {
        branches: [
          ['a == 1', 'yes'],
          ['b == 1', 'yes'],
        ],
        next: 'no',
      },
      yes: 'YES',
      no: 'NO',
    } as const
    expect(ask(rulesetOf(steps, { field_missing: 'strict' })).filter).toBe('(a = 1) OR (a != 1 AND b = 1)')
    expect(ask(rulesetOf(steps)).filter).toBe('(a = 1) OR (b = 1)')
  })

  test('a path that no row can take does not shorten another', () => {
    const steps = {
      first: { branches: [['a != b', 'second']], next: 'third' },
      second: { branches: [['a == b', 'yes']], next: 'no' },
      third: { branches: [['c == 1', 'yes']], next: 'no' },
      yes: 'YES',
      no: 'NO',
    } as const
    expect(ask(rulesetOf(steps)).filter).toBe('a = b AND c = 1')
  })

  test('a loop leads nowhere, but its steps can be reached on another path', () => {
    const steps = {
      first: { branches: [['a == 1', 'left']], next: 'right' },
      left: { branches: [['b == 1', 'yes']], next: 'right' },
      right: { branches: [['c == 1', 'left']], next: 'no' },
      yes: 'YES',
      no: 'NO',
    } as const
    expect(ask(rulesetOf(steps)).filter).toBe('(a = 1 AND b = 1) OR (a != 1 AND c = 1 AND b = 1)')
  })

  test('a loop that counts is followed to its end', () => {
    const steps = {
      start: { set: { n: 0 }, next: 'check' },
      check: {
        branches: [
          ['$n >= 3', 'yes'],
          ['a == 1', 'no'],
        ],
        next: 'count',
      },
      count: { set: { n: '$n + 1' }, next: 'check' },
      yes: 'YES',
      no: 'NO',
    } as const
    expect(ask(rulesetOf(steps))).toMatchObject({ filter: 'a != 1', truncated: false })
  })

  test('variables are followed', () => {
    const steps = {
      start: { branches: [['vip == true', 'high']], next: 'low' },
      high: { set: { limit: 100 }, next: 'check' },
      low: { set: { limit: 'base' }, next: 'check' },
      check: { branches: [['amount <= $limit', 'yes']], next: 'no' },
      yes: 'YES',
      no: 'NO',
    } as const
    expect(ask(rulesetOf(steps), { field_mapping: { base: 'base_limit' } })).toMatchObject({
      filter: '(vip = TRUE AND amount <= 100) OR (vip != TRUE AND amount <= base_limit)',
      unknown_fields: ['amount', 'base', 'vip'],
    })
  })

  test('a condition on a variable that cannot be followed lets rows pass, and is reported', () => {
    const steps = {
      set: { set: { x: 'len(name)' }, next: 'check' },
      check: { branches: [['$x > 3 && n == 1', 'yes']], next: 'no' },
      yes: 'YES',
      no: 'NO',
    } as const
    const { filter, exactness, reasons } = ask(rulesetOf(steps))
    expect({ filter, exactness }).toEqual({ filter: 'TRUE', exactness: 'superset' })
    expect(reasons?.join('\n')).toContain('the condition of branch 0 of step `check`')
  })

  test.each([
    ['a == 1', 'lenient', 'exact'],
    ['coalesce(b, 0)', 'lenient', 'exact'],
    ['coalesce(b, 0)', 'strict', 'exact'],
    ['!b', 'lenient', 'exact'],
    ['!b', 'strict', 'superset'],
    ['is_number(b)', 'lenient', 'exact'],
    ['if b then a else 2', 'lenient', 'exact'],
    ['a in [1, 2] || b == "x"', 'lenient', 'exact'],
    ['b + 1', 'lenient', 'superset'],
    ['b > 1', 'lenient', 'superset'],
    ['$x == 1', 'lenient', 'exact'],
    ['$x contains "a"', 'lenient', 'superset'],
    ['$never_set contains "a"', 'lenient', 'exact'],
  ])('an output %s in mode %s leaves the rows %s', (output, mode, expected) => {
    const steps = {
      set: { set: { x: 'coalesce(b, 0)' }, next: 'check' },
      check: { branches: [['exists(a)', 'yes']], next: 'no' },
      yes: { code: 'YES', output: { x: output } },
      no: 'NO',
    } as const
    const ruleset = rulesetOf(steps, { field_missing: mode })
    const request = { known_input: {}, target_results: ['YES'], nulls: 'match_rules' } as const
    expect(createFilter(ruleset, request, 0).exactness).toBe(expected)
  })

  const chain = (length: number) =>
    rulesetOf({
      ...Object.fromEntries(
        Array.from({ length }, (_, index) => [
          `s${index}`,
          { branches: [[`f${index} == 1`, index === length - 1 ? 'yes' : `s${index + 1}`] as const], next: 'no' },
        ]),
      ),
      yes: 'YES',
      no: 'NO',
    })

  test('at most 50 steps of one path are followed', () => {
    expect(ask(chain(49))).toMatchObject({ truncated: false, exactness: 'exact' })
    expect(ask(chain(50))).toMatchObject({
      truncated: true,
      always_matches: true,
      never_matches: false,
      filter: 'TRUE',
      unknown_fields: [],
      exactness: 'superset',
      reasons: ['the rules were not followed to their end: every row passes'],
    })
  })

  const wide = rulesetOf({
    ...Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [
        `s${index}`,
        {
          branches: [
            [`a${index} == 1`, `s${index + 1}`],
            [`b${index} == 1`, 'no'],
          ] as const,
          next: `t${index}`,
        },
      ]),
    ),
    ...Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [
        `t${index}`,
        { branches: [[`c${index} == 1`, 'no']] as const, next: `s${index + 1}` },
      ]),
    ),
    s12: { branches: [['z == 1', 'yes']], next: 'no' },
    yes: 'YES',
    no: 'NO',
  })

  test('the search ends at `max_paths`, and at its limit of work', () => {
    expect(ask(wide, { max_paths: 10 })).toMatchObject({ truncated: true, filter: 'TRUE', always_matches: true })
    expect(ask(wide)).toMatchObject({ truncated: true })
    expect(
      ask(
        rulesetOf({
          first: {
            branches: [
              ['a == 1', 'no'],
              ['b == 1', 'yes'],
            ],
            next: 'second',
          },
          second: { branches: [['c == 1', 'no']], next: 'yes' },
          yes: 'YES',
          no: 'NO',
        }),
        { max_paths: 2 },
      ),
    ).toMatchObject({ truncated: false })
  })

  test('SQLite accepts a row of more than a thousand alternatives', () => {
    const count = 1100
    const branches = Array.from(
      { length: count },
      (_, index) => [`a == ${index} && b == ${index}`, index % 2 === 0 ? 'yes' : 'no'] as const,
    )
    const { filter, truncated } = ask(rulesetOf({ first: { branches, next: 'no' }, yes: 'YES', no: 'NO' }), {
      max_paths: 0,
      dialect: 'sqlite',
    })
    expect(truncated).toBe(false)
    const database = new DatabaseSync(':memory:')
    database.exec('create table r (a real, b real)')
    database.exec('insert into r values (1098, 1098), (1099, 1099), (4, 5)')
    expect(database.prepare(`select a from r where ${filter as string}`).all()).toEqual([{ a: 1098 }])
  })

  test('paths that join again are merged', () => {
    const steps = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        [`s${index}`, { branches: [[`a${index} == 1`, `x${index}`]] as const, next: `y${index}` }],
        [`x${index}`, { set: { unread: 1 }, next: `s${index + 1}` }],
        [`y${index}`, { set: { unread: 2 }, next: `s${index + 1}` }],
      ]).flat() as never[],
    )
    const ruleset = rulesetOf(
      { ...steps, s20: { branches: [['z == 1', 'yes']], next: 'no' }, yes: 'YES', no: 'NO' },
      {},
    )
    expect(ask(ruleset)).toMatchObject({ filter: 'z = 1', truncated: false })
  })
})

describe('mongo', () => {
  test.each<[condition: string, filter: Value]>([
    ['a == "x"', { a: 'x' }],
    ['a == null', { a: null }],
    ['a != "x"', { a: { $ne: 'x' } }],
    ['a > 1', { a: { $gt: 1 } }],
    ['a >= 1', { a: { $gte: 1 } }],
    ['a < 1', { a: { $lt: 1 } }],
    ['a <= 1', { a: { $lte: 1 } }],
    ['a != null', { a: { $ne: null } }],
    [
      'a != null || is_null(a) && b == 1',
      { $or: [{ a: { $ne: null, $exists: true } }, { $and: [{ a: null }, { b: 1 }] }] },
    ],
    ['a in [1, 2]', { a: { $in: [1, 2] } }],
    ['a not in [1, 2]', { a: { $nin: [1, 2] } }],
    ['contains(a, "x.y*")', { a: { $regex: String.raw`x\.y\*` } }],
    ['starts_with(a, "x")', { a: { $regex: '^x' } }],
    ['ends_with(a, "x")', { a: { $regex: 'x$' } }],
    ['!contains(a, "x")', { a: { $not: { $regex: 'x' } } }],
    ['is_null(a)', { a: null }],
    ['!is_null(a)', { a: { $ne: null, $exists: true } }],
    ['a == 1 && b == 2', { $and: [{ a: 1 }, { b: 2 }] }],
    ['a == 1 || b == 2', { $or: [{ a: 1 }, { b: 2 }] }],
    ['true', {}],
    ['a.b == 1', { a_b: 1 }],
  ])('%s', (condition, expected) => expect(sql(condition, { format: 'mongo' })).toEqual(expected))

  test('a known value never becomes an operator', () => {
    const known_input = JSON.parse('{"id": {"$gt": ""}, "list": ["a"]}')
    expect(sql('owner == id', { format: 'mongo', known_input })).toEqual({ owner: { $eq: { $gt: '' } } })
    expect(sql('owner == list', { format: 'mongo', known_input })).toEqual({ owner: { $eq: ['a'] } })
  })

  test('a key `__proto__` is a key', () => {
    const filter = sql('$["__proto__"] == 1', { format: 'mongo' })
    expect(JSON.stringify(filter)).toBe('{"__proto__":1}')
    expect(sql('a == 1', { known_input: JSON.parse('{"__proto__": {"a": 1}}') })).toBe('a = 1')
  })

  test('nothing matches: null', () =>
    expect(ask(decisionOn('false'), { format: 'mongo' })).toMatchObject({ filter: null, never_matches: true }))
})

describe('json', () => {
  test.each<[condition: string, filter: Value]>([
    ['a == "x"', { type: 'eq', field: 'a', value: 'x' }],
    ['a != "x"', { type: 'ne', field: 'a', value: 'x' }],
    ['a < 1', { type: 'lt', field: 'a', value: 1 }],
    ['a <= 1', { type: 'le', field: 'a', value: 1 }],
    ['a > 1', { type: 'gt', field: 'a', value: 1 }],
    ['a >= 1', { type: 'ge', field: 'a', value: 1 }],
    ['a in [1]', { type: 'in', field: 'a', values: [1] }],
    ['a not in [1]', { type: 'not_in', field: 'a', values: [1] }],
    ['contains(a, "x")', { type: 'contains', field: 'a', value: 'x' }],
    ['starts_with(a, "x")', { type: 'starts_with', field: 'a', value: 'x' }],
    ['ends_with(a, "x")', { type: 'ends_with', field: 'a', value: 'x' }],
    ['!contains(a, "x")', { type: 'not', condition: { type: 'contains', field: 'a', value: 'x' } }],
    ['is_null(a)', { type: 'is_null', field: 'a' }],
    ['!is_null(a)', { type: 'not_null', field: 'a' }],
    [
      'a == 1 && b == 2',
      {
        type: 'and',
        conditions: [
          { type: 'eq', field: 'a', value: 1 },
          { type: 'eq', field: 'b', value: 2 },
        ],
      },
    ],
    [
      'a == 1 || b == 2',
      {
        type: 'or',
        conditions: [
          { type: 'eq', field: 'a', value: 1 },
          { type: 'eq', field: 'b', value: 2 },
        ],
      },
    ],
    ['true', { type: 'always' }],
  ])('%s', (condition, expected) => expect(sql(condition, { format: 'json' })).toEqual(expected))
})

describe('a condition without a form is refused at its place', () => {
  test.each<[condition: string, request: Partial<FilterRequest>, said: string]>([
    ['a + 1 > 2', {}, 'arithmetic'],
    ['-a > 2', {}, 'arithmetic'],
    ['a * b == 2', {}, 'arithmetic'],
    ['len(a) > 2', {}, 'the function `len`'],
    ['upper(a) == "X"', {}, 'the function `upper`'],
    ['any(a, x => x > 1)', {}, 'the function `any`'],
    ['coalesce(a, 1) == 1', {}, 'the function `coalesce`'],
    ['items[0] == 1', {}, 'reads an element of a list'],
    ['items.*.x == 1', {}, 'reads an element of a list'],
    ['a in "text"', {}, 'these operands'],
    ['contains("text", a)', {}, 'the function `contains`'],
    ['a == b', { format: 'mongo' }, 'two fields'],
    ['a == b', { format: 'json' }, 'two fields'],
    ['a == [1]', {}, 'cannot be the value of an SQL column'],
    ['a == b', { known_input: { b: { $gt: '' } } }, 'cannot be the value of an SQL column'],
  ])('%s with %j', (condition, request, said) => {
    const make = () => ask(decisionOn(condition), request)
    expect(make).toThrow(FilterError)
    expect(make).toThrow(said)
    expect(make).toThrow('the condition of branch 0 of step `first`')
  })

  test.each<[what: string, condition: string, request: Partial<FilterRequest>, said: string]>([
    ['no targets', 'a == 1', { target_results: [] }, '`target_results` must name at least one'],
    ['two fields of one column', 'a.b == 1 && a_b == 2', {}, 'both map to the column `a_b`'],
    [
      'two fields mapped to one',
      'a == 1 && b == 2',
      { field_mapping: { a: 'x', b: 'x' } },
      'both map to the column `x`',
    ],
    ['a mapping of no path', 'a == 1', { field_mapping: { 'a +': 'x' } }, 'is not a field path'],
    ['a column without a name', 'a == 1', { field_mapping: { a: '' } }, 'does not give a valid column name'],
    ['NUL in a column', 'a == 1', { field_mapping: { a: 'a\0b' } }, 'does not give a valid column name'],
    ['NUL in a value', 'a == b', { known_input: { b: 'a\0b' } }, 'NUL'],
    ['an operator as column', 'a == 1', { format: 'mongo', field_mapping: { a: '$where' } }, '`$where` cannot be'],
    ['a dialect of json', 'a == 1', { format: 'json', dialect: 'duckdb' }, '`dialect` requires'],
    ['a dialect of mongo', 'a == 1', { format: 'mongo', dialect: 'postgres' }, '`dialect` requires'],
    ['parameters of json', 'a == 1', { format: 'json', parameters: true }, '`parameters` requires'],
  ])('%s', (_what, condition, request, said) => {
    const make = () => ask(decisionOn(condition), request)
    expect(make).toThrow(BadFilterRequest)
    expect(make).toThrow(said)
  })
})

test.each(['mongo', 'json'] as const)('a documented default may be sent with the format %s', (format) => {
  const request = { format, dialect: 'ansi', parameters: false, max_paths: 100, nulls: 'sql' } as const
  expect(ask(decisionOn('a == 1'), request)).toEqual(ask(decisionOn('a == 1'), { format }))
})

describe('nulls on a path', () => {
  const rules = (condition: string, request: Partial<FilterRequest> = {}) =>
    sql(condition, { nulls: 'match_rules', ...request })

  test.each<[condition: string, filter: string | null]>([
    ['a != 1 && a != null', 'a != 1'],
    ['a not in [1, 2] && a in [1, 3]', 'a IN (3)'],
    ['a != 1 && a not in [2]', '((a != 1 OR a IS NULL) AND (a NOT IN (2) OR a IS NULL))'],
    ['a not in [1] && !(a in [2])', '((a NOT IN (1) OR a IS NULL) AND (a NOT IN (2) OR a IS NULL))'],
    ['(a == 1 || a == null) && a != 1', '(a IS NULL AND (a != 1 OR a IS NULL))'],
    ['a == null && (a != 1 || b == 2)', 'a IS NULL'],
    ['a != null && (a == null || b == 2)', '(a IS NOT NULL AND b = 2)'],
    ['a == 1 && (a != 2 || b == 2)', 'a = 1'],
    ['a in [1, 2] && (a == 3 || b == 2)', '(a IN (1, 2) AND b = 2)'],
    ['a > 1 && (a != 1 || b == 2)', '(a > 1 AND (a != 1 OR b = 2))'],
  ])('%s', (condition, filter) => expect(rules(condition)).toBe(filter))

  test('ClickHouse treats a null as not in a list', () => {
    expect(rules('a not in [1, null]', { dialect: 'clickhouse' })).toBe('(a NOT IN (1) AND a IS NOT NULL)')
    expect(rules('a not in [1]', { dialect: 'clickhouse' })).toBe('((a NOT IN (1) AND a IS NOT NULL) OR a IS NULL)')
  })
})

describe('functions without a form in any database', () => {
  test.each([
    ['base64url_encode(s) == "YQ"', { s: 'a' }],
    ['sprintf("%s!", [s]) == "a!"', { s: 'a' }],
    ['parse_time(s, "%F %R") == 1795169100', { s: '2026-11-20 10:05' }],
    ['format_time(n, "%F") == "2026-11-20"', { n: 1_795_169_100 }],
    ['time_diff(n, 0, "d") == 20777', { n: 1_795_169_100 }],
    ['time_of_day(n) == "10:05:00"', { n: 1_795_169_100 }],
    ['jwt_verify(jwt_encode({"a": s}, s), s)', { s: 'a' }],
    ['jwt_decode(s) == {"a": 1}', { s: 'e30.eyJhIjoxfQ.x' }],
    ['"b" in graph_reachable(o, ["a"])', { o: { a: ['b'] } }],
  ] satisfies [string, { [key: string]: Value }][])(
    '%s is computed of known values, and refused of columns',
    (condition, known) => {
      expect(ask(decisionOn(condition), { known_input: known }).always_matches).toBe(true)
      expect(() => ask(decisionOn(condition))).toThrow(FilterError)
    },
  )
})

test('sub-rules are followed: an input bound to a path is its column', () => {
  const { ruleset } = decodeRuleset({
    config: { name: 'r', entry_step: 'use' },
    steps: {
      use: {
        id: 'use',
        type: 'sub_rule',
        ref_name: 'grade',
        bindings: [
          ['score', 'maths.points'],
          ['limit', 'known + 10'],
        ],
        outputs: [['grade', 'grade']],
        next_step: 'first',
      },
      first: {
        id: 'first',
        type: 'decision',
        branches: [{ condition: '$grade == "A"', next_step: 'yes' }],
        default_next: 'no',
      },
      yes: { id: 'yes', type: 'terminal', result: { code: 'YES', message: '' } },
      no: { id: 'no', type: 'terminal', result: { code: 'NO', message: '' } },
    },
    sub_rules: {
      grade: {
        entry_step: 'check',
        steps: {
          check: {
            id: 'check',
            type: 'decision',
            branches: [{ condition: 'score >= limit', next_step: 'good' }],
            default_next: 'end',
          },
          good: {
            id: 'good',
            type: 'action',
            actions: [{ action: 'set_variable', name: 'grade', value: '"A"' }],
            next_step: 'end',
          },
          end: { id: 'end', type: 'terminal', result: { code: '', message: '' } },
        },
      },
    },
  })
  if (ruleset === undefined) throw new Error('a ruleset was expected')
  const filter = ask(ruleset, { known_input: { known: 50 } })
  expect(filter).toMatchObject({ filter: 'maths_points >= 60', exactness: 'exact' })
})

test.each<[member: 'unknown_input' | 'not_null' | 'field_mapping' | 'columns', most: number]>([
  ['unknown_input', 100],
  ['not_null', 10_000],
  ['field_mapping', 10_000],
  ['columns', 10_000],
])('`%s` names at most %i', (member, most) => {
  const named = (count: number): Partial<FilterRequest> => {
    const names = Array.from({ length: count }, (_, index) => `n${index}`)
    if (member === 'unknown_input' || member === 'not_null') return { [member]: names }
    return { [member]: Object.fromEntries(names.map((name) => [name, member === 'columns' ? 'text' : `c${name}`])) }
  }
  expect(() => ask(decisionOn('n1 == "x"'), named(most))).not.toThrow()
  expect(() => ask(decisionOn('n1 == "x"'), named(most + 1))).toThrow(`names ${most + 1} `)
})
