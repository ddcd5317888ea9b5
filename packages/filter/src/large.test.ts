import { DatabaseSync } from 'node:sqlite'
import { Budget, BudgetError, type Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { createDecisionSql } from './decision-sql.ts'
import { FilterError } from './path-search.ts'
import { createFilter, type FilterRequest, filterInTurns } from './filter.ts'
import { type BranchOf, decisionOn, rulesetOf } from './filter.testing.ts'

type Asked = Parameters<typeof createFilter>[0]

const ask = (ruleset: Asked, request: Partial<FilterRequest> = {}) =>
  createFilter(ruleset, { known_input: {}, target_results: ['YES'], max_paths: 0, ...request }, 0)

const upTo = <Part>(count: number, part: (index: number) => Part): Part[] =>
  Array.from({ length: count }, (_, index) => part(index))

const always = () => 'yes'
const inTurns = (index: number) => (index % 2 === 0 ? 'yes' : 'no')

/** One decision with many branches. */
function branches(
  count: number,
  condition: (index: number) => string,
  next: (index: number) => string = always,
  config = {},
): Asked {
  const all = upTo(count, (index): BranchOf => [condition(index), next(index)])
  return rulesetOf({ first: { branches: all, next: 'no' }, yes: 'YES', no: 'NO' }, config)
}

/** Rows of an SQLite table that a filter selects. */
function selected(filter: unknown, columns: string, rows: readonly (readonly (number | string | null)[])[]): unknown[] {
  const database = new DatabaseSync(':memory:')
  database.exec(`create table r (${columns})`)
  for (const row of rows) database.prepare(`insert into r values (${row.map(() => '?').join(', ')})`).run(...row)
  return database
    .prepare(`select * from r where ${String(filter)}`)
    .all()
    .map((row) => Object.values(row))
}

const ROWS = [
  [7, 'g7'],
  [7, 'g8'],
  [4998, 'g4998'],
  [4999, 'g4999'],
  [null, 'g1'],
] as const

describe('thousands of alternatives are a text that SQLite runs', () => {
  test.each<[what: string, ruleset: Asked, rows: readonly unknown[]]>([
    ['5,000 branches', branches(5000, (index) => `a == ${index} && s == "g${index}"`), [ROWS[0], ROWS[2], ROWS[3]]],
    [
      '5,000 branches, in turns to a target and elsewhere',
      branches(5000, (index) => `a == ${index} && s == "g${index}"`, inTurns),
      [ROWS[2]],
    ],
    [
      'the same in mode strict',
      branches(5000, (index) => `a == ${index} && s == "g${index}"`, inTurns, { field_missing: 'strict' }),
      [ROWS[2]],
    ],
    ['one condition', decisionOn(upTo(4900, (index) => `a == ${index}`).join(' || ')), [ROWS[0], ROWS[1]]],
    [
      'one condition in mode strict',
      decisionOn(upTo(4900, (index) => `a == ${index}`).join(' || '), { field_missing: 'strict' }),
      [ROWS[0], ROWS[1]],
    ],
    ['a conjunction', decisionOn(upTo(4900, (index) => `a != ${index}`).join(' && ')), [ROWS[2], ROWS[3]]],
  ])('%s', (_what, ruleset, rows) => {
    const { filter, truncated } = ask(ruleset, { dialect: 'sqlite' })
    expect(truncated).toBe(false)
    expect(selected(filter, 'a real, s text', ROWS)).toEqual(rows)
  })
})

test.each<[what: string, ruleset: Asked]>([
  ['5,000 branches', branches(5000, (index) => `a == ${index} && s == "g${index}"`)],
  [
    'one condition',
    decisionOn(
      upTo(4900, (index) => `a == ${index} || b == ${index}`)
        .slice(0, 2400)
        .join(' || '),
    ),
  ],
  [
    'columns in mode strict',
    decisionOn(upTo(2500, (index) => `a${index} == ${index}`).join(' || '), { field_missing: 'strict' }),
  ],
])('MongoDB gets a form of at most 20 levels: %s', (_what, ruleset) => {
  const levels = (value: unknown): number =>
    typeof value !== 'object' || value === null
      ? 0
      : Math.max(0, ...Object.entries(value).map(([key, inner]) => Number(key.startsWith('$')) + levels(inner)))
  expect(levels(ask(ruleset, { format: 'mongo' }).filter)).toBeLessThanOrEqual(20)
})

describe('`max_paths` counts the paths, and each is a disjunct', () => {
  const three = rulesetOf({
    first: {
      branches: [
        ['a == "x"', 'yes'],
        ['b > 5', 'yes'],
        ['c == 1', 'other'],
      ],
      next: 'no',
    },
    yes: 'YES',
    other: 'YES',
    no: 'NO',
  })
  test.each([
    [3, false, `(a = 'x') OR (b > 5) OR (c = 1)`],
    [2, true, 'TRUE'],
    [1, true, 'TRUE'],
    [0, false, `(a = 'x') OR (b > 5) OR (c = 1)`],
  ])('%i', (max_paths, truncated, filter) =>
    expect(ask(three, { max_paths })).toMatchObject({ truncated, filter, always_matches: truncated }),
  )

  test('paths that no row can take are not counted', () => {
    const ruleset = branches(3, (index) => ['a == 1', 'a == 1 && a == 2', 'a == 3'][index] ?? '')
    expect(ask(ruleset, { max_paths: 2 })).toMatchObject({ truncated: false, filter: '(a = 1) OR (a = 3)' })
  })

  test('the default is 100', () => {
    const ruleset = (count: number) => branches(count, (index) => `a${index} == 1`)
    const given = { known_input: {}, target_results: ['YES'] }
    expect(createFilter(ruleset(100), given, 0).truncated).toBe(false)
    expect(createFilter(ruleset(101), given, 0)).toMatchObject({ truncated: true, filter: 'TRUE' })
  })
})

describe('work beyond a limit ends', () => {
  const doubling = (steps: number) =>
    rulesetOf({
      start: { set: { v: 'a' }, next: 's0' },
      ...Object.fromEntries(
        upTo(steps, (index) => [
          `s${index}`,
          { set: { v: '$v + $v' }, next: index < steps - 1 ? `s${index + 1}` : 'check' },
        ]),
      ),
      check: { branches: [['$v > 1', 'yes']], next: 'no' },
      yes: 'YES',
      no: 'NO',
    })

  test('a long value of a variable is written once, so that it does not double', () => {
    const { sql } = createDecisionSql(doubling(30), { dialect: 'duckdb' }, 0)
    expect(sql.length).toBeLessThan(20_000)
    expect(sql.match(/ AS engine_value_\d+/g)?.length).toBeGreaterThan(10)
  })

  test.each<[what: string, make: () => unknown, said: string]>([
    [
      'a query in which a value doubles where it has no column of its own',
      () => createDecisionSql(doubling(190), { dialect: 'duckdb' }, 0),
      'more than',
    ],
    [
      'n ways that each name all before them',
      () => ask(branches(3000, (index) => `a${index} == ${index}`, inTurns)),
      'longer than 2000000 characters',
    ],
    [
      'a condition that doubles with its depth',
      () =>
        ask(
          decisionOn(
            upTo(60, (index) => index).reduce((inner, index) => `(if ${inner} then b${index} else c${index})`, 'a'),
          ),
        ),
      'longer than 2000000 characters',
    ],
    [
      'a list of more than 100,000 values',
      () => ask(decisionOn('a in list'), { known_input: { list: upTo(100_001, (index) => index) } }),
      'more than 100000 values',
    ],
    [
      'a text of a million characters in many places',
      () =>
        ask(
          branches(9, (index) => `a${index} == t`),
          { known_input: { t: 'x'.repeat(1_000_000) } },
        ),
      'longer than 2000000 characters',
    ],
  ])('%s', (_what, make, said) => {
    expect(make).toThrow(FilterError)
    expect(make).toThrow(said)
  })

  test('more names of columns than a table has', () => {
    const names = upTo(10_001, (index) => `c${index}`)
    const mapping = Object.fromEntries(names.map((name) => [name, name]))
    for (const [request, path] of [
      [{ field_mapping: mapping }, '/field_mapping'],
      [{ not_null: names }, '/not_null'],
      [{ columns: Object.fromEntries(names.map((name) => [name, 'text'])) }, '/columns'],
    ] as const)
      expect(() => ask(decisionOn('a == 1'), request)).toThrow(expect.objectContaining({ path }))
  })

  test('a deep nest is as long as its text', () => {
    const nest = upTo(150, (index) => index).reduce(
      (inner, index) => (index % 2 === 0 ? `(a${index} && ${inner})` : `(b${index} || ${inner})`),
      'a',
    )
    expect(JSON.stringify(ask(decisionOn(nest)).filter).length).toBeLessThan(5000)
    expect(
      createDecisionSql(decisionOn(nest, { field_missing: 'strict' }), { dialect: 'duckdb' }, 0).sql.length,
    ).toBeLessThan(50_000)
  })
})

describe('a budget', () => {
  const large = branches(2000, (index) => `a < ${index}`, inTurns)

  /** A clock that advances by a millisecond at each reading. */
  const ticking = () => {
    let now = 0
    return { monotonic: () => now++, processor: () => now }
  }

  test('is charged in proportion: the work pauses, and a deadline ends it', () => {
    const known_input: { readonly [key: string]: Value } = {}
    const budget = new Budget(ticking(), { deadlineMs: 100 })
    let pauses = 0
    expect(() => {
      const work = filterInTurns(large, { known_input, target_results: ['YES'], max_paths: 0 }, 0, budget)
      for (let step = work.next(); step.done !== true; step = work.next()) {
        pauses++
        budget.resumed()
      }
    }).toThrow(BudgetError)
    expect(pauses).toBeGreaterThan(2)
  })

  test.each([
    ['5,000 alternatives', 5000, upTo(5000, (index) => `a == ${index}`).join(' || ')],
    ['a part with 4,000 alternatives', 4000, `b == 1 && (${upTo(4000, (index) => `a == ${index}`).join(' || ')})`],
    ['3,000 pairs', 3000, upTo(1500, (index) => `(a${index % 50} == ${index} && b == 1)`).join(' || ')],
  ])('lets one condition of %s pause within it', (_, parts, condition) => {
    class Eager extends Budget {
      override get wantsPause(): boolean {
        return true
      }
    }
    const budget = new Eager(ticking(), { deadlineMs: 0, turnMs: Infinity })
    const request = { known_input: {}, target_results: ['YES'], max_paths: 0 }
    const work = filterInTurns(
      branches(1, () => condition),
      request,
      0,
      budget,
    )
    expect([...work].length).toBeGreaterThan(parts)
  })

  test('ends work that does not pause', () => {
    const budget = new Budget(ticking(), { deadlineMs: 0, turnMs: 50 })
    expect(() => createFilter(large, { known_input: {}, target_results: ['YES'], max_paths: 0 }, 0, budget)).toThrow(
      expect.objectContaining({ reason: 'turn' }),
    )
  })
})
