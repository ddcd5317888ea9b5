import { decodeRuleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { BadFilterRequest } from './columns.ts'
import { createFilter } from './filter.ts'
import { createDecisionSql, type DecisionSqlRequest } from './decision-sql.ts'
import { FilterError } from './path-search.ts'
import { decisionOn, rulesetOf } from './filter.testing.ts'

const ask = (ruleset: Parameters<typeof createDecisionSql>[0], request: Partial<DecisionSqlRequest> = {}) =>
  createDecisionSql(ruleset, { dialect: 'duckdb', ...request }, 0)

/** The first condition of the query. */
function condition(text: string, request: Partial<DecisionSqlRequest> = {}, config = {}): string | undefined {
  return /CASE WHEN (.*) THEN 1 ELSE 2 END AS engine_end/.exec(ask(decisionOn(text, config), request).sql)?.[1]
}

test('a query has the columns of the table, the code, the message and the outputs', () =>
  expect(ask(decisionOn('a > 1'), { table: 'main.user' })).toEqual({
    dialect: 'duckdb',
    sql:
      "SELECT *, CASE engine_end WHEN 1 THEN 'YES' WHEN 2 THEN 'NO' END AS code, " +
      "CASE engine_end WHEN 1 THEN '' WHEN 2 THEN '' END AS message " +
      'FROM (SELECT *, CASE WHEN COALESCE(a > 1, FALSE) THEN 1 ELSE 2 END AS engine_end FROM main."user") AS decided',
    outputs: [],
    unknown_fields: ['a'],
  }))

describe('conditions are never unknown', () => {
  test.each([
    ['a == "x"', "COALESCE(a = 'x', FALSE)"],
    ['a != "x"', "(NOT COALESCE(a = 'x', FALSE))"],
    ['a == null', '(a IS NULL)'],
    ['a == b', '(COALESCE(a = b, FALSE) OR (a IS NULL AND b IS NULL))'],
    ['a in ["x", null]', "(a IS NULL OR a IN ('x'))"],
    ['is_number(a)', '(NOT (a IS NULL))'],
    ['a && b', '(COALESCE(a = TRUE, FALSE) AND COALESCE(b = TRUE, FALSE))'],
    ['starts_with(a, "x")', "COALESCE(starts_with(a, 'x'), FALSE)"],
    ['coalesce(a, 2) > 1', '(COALESCE(a, 2) > 1)'],
  ])('%s', (text, expected) => expect(condition(text)).toBe(expected))
})

test('a row for which a condition fails has no end', () => {
  expect(ask(decisionOn('a + 1 > 2')).sql).toContain(
    'CASE WHEN ((CAST(a AS DOUBLE) + CAST(1 AS DOUBLE)) > 2) THEN 1 ' +
      'WHEN ((CAST(a AS DOUBLE) + CAST(1 AS DOUBLE)) > 2) IS NULL THEN NULL ELSE 2 END AS engine_end',
  )
  expect(ask(decisionOn('a > 1', { field_missing: 'strict' })).sql).toContain('WHEN (a > 1) IS NULL THEN NULL')
})

describe('dialects', () => {
  test.each([
    ['postgres', 'contains(a, "x\'y")', "COALESCE(strpos(a, 'x''y') > 0, FALSE)"],
    ['postgres', 'userName < "x"', `COALESCE("userName" < 'x' COLLATE "C", FALSE)`],
    ['duckdb', 'ends_with(a, "x")', "COALESCE(ends_with(a, 'x'), FALSE)"],
    ['clickhouse', 'contains(a, "x\\\\")', String.raw`COALESCE(position(a, 'x\\') > 0, FALSE)`],
    ['clickhouse', 'user == 1', 'COALESCE(`user` = 1, FALSE)'],
    ['spark', 'a == "it\'s"', String.raw`COALESCE(a = 'it\'s', FALSE)`],
    ['spark', 'a == "\\\\"', String.raw`COALESCE(a = '\\', FALSE)`],
    ['trino', 'ends_with(a, "x")', "COALESCE(substr(a, -length('x')) = 'x', FALSE)"],
  ] as const)('%s: %s', (dialect, text, expected) => expect(condition(text, { dialect })).toBe(expected))
})

describe('a part without a form is refused, with its step', () => {
  const before = (value: unknown) =>
    rulesetOf({
      set: { set: { x: value as string }, next: 'check' },
      check: { branches: [['$x > 1', 'yes']], next: 'no' },
      yes: 'YES',
      no: 'NO',
    })

  test.each([
    [decisionOn('len(split(a, ",")) > 2'), 'step `first`: `split(a, ",")` cannot be written in SQL'],
    [decisionOn('any(a, x => x > 1)'), 'step `first`'],
    [decisionOn('a % 2 == 0'), 'step `first`'],
    [decisionOn('items[0] == 1'), 'step `first`: `items[0]` is not a column'],
    [decisionOn('a in b'), 'step `first`'],
    [decisionOn('contains("text", a)'), 'step `first`'],
    [before('upper(a)'), 'step `set`: `upper(a)` cannot be written in SQL'],
    [before('round(a, 2, "half_even")'), 'step `set`'],
    [before('map(a, x => x)'), 'step `set`'],
  ])('%#', (ruleset, said) => {
    expect(() => ask(ruleset)).toThrow(FilterError)
    expect(() => ask(ruleset)).toThrow(said)
  })

  test('an output that would be a number here and a text there', () => {
    const steps = { first: { branches: [['a > 1', 'yes'] as const], next: 'no' }, yes: 'YES', no: 'NO' }
    const ruleset = rulesetOf(steps)
    const ends = new Map(ruleset.steps)
    for (const [id, value] of [
      ['yes', 1],
      ['no', 'text'],
    ] as const) {
      const step = ends.get(id)
      if (step?.type === 'terminal') ends.set(id, { ...step, fields: new Map([['v', value]]) })
    }
    expect(() => ask({ ...ruleset, steps: ends })).toThrow('step `no`')
  })

  test('a loop leads nowhere; one that counts without end is refused', () => {
    const endless = rulesetOf({ first: { branches: [['a > 1', 'yes']], next: 'first' }, yes: 'YES' })
    expect(ask(endless).sql).toContain('CASE WHEN COALESCE(a > 1, FALSE) THEN 1 ELSE NULL END AS engine_end')
    const counting = rulesetOf({
      start: { set: { n: 0 }, next: 'first' },
      first: { branches: [['a > $n', 'yes']], next: 'count' },
      count: { set: { n: '$n + 1' }, next: 'first' },
      yes: 'YES',
    })
    expect(() => ask(counting)).toThrow('more than 200 steps follow each other')
  })

  test('two fields of one column, and a text with NUL', () => {
    expect(() => ask(decisionOn('a.b > 1 && a_b > 1'))).toThrow(BadFilterRequest)
    expect(() => ask(decisionOn('a == b'), { known_input: { b: 'x\0' } })).toThrow(BadFilterRequest)
  })
})

describe('a failure is never folded away', () => {
  test.each<[condition: string, mode: string, known: DecisionSqlRequest['known_input']]>([
    ['a in []', 'strict', {}],
    ['a in k.l', 'strict', { k: { l: [] } }],
    ['a < null', 'strict', {}],
    ['null > a', 'strict', {}],
    ['a >= k.none', 'strict', { k: { none: null } }],
    ['(a > 1) == null', 'strict', {}],
    ['a in null', 'strict', {}],
    ['a not in k.none', 'strict', { k: { none: null } }],
    ['a == user.id', 'strict', { user: null }],
    ['a + 1 > null', 'lenient', {}],
    ['a / b > null', 'lenient', {}],
  ])('%s in mode %s', (text, field_missing, known_input) => {
    const { sql } = ask(decisionOn(text, { field_missing }), { known_input: known_input ?? {} })
    expect(sql).toMatch(/ IS NULL THEN NULL ELSE 2 END AS engine_end/)
  })
})

test.each([
  ['is_null($never)', 'YES'],
  ['!is_null($never.a)', 'NO'],
  ['coalesce($never, true)', 'YES'],
  ['is_null($never) && coalesce($never, 3) == 3', 'YES'],
])('%s of a variable that nothing sets does not fail in mode strict', (text, code) => {
  const ruleset = decisionOn(text, { field_missing: 'strict' })
  expect(ask(ruleset).sql).toMatch(new RegExp(`^SELECT \\*, CASE engine_end WHEN 1 THEN '${code}' END AS code,`))
  const request = { known_input: {}, target_results: ['YES'] }
  expect(createFilter(ruleset, request, 0)).toMatchObject({ always_matches: code === 'YES', exactness: 'exact' })
})

describe('arithmetic that leaves the range of doubles fails', () => {
  test.each<[text: string, dialect: DecisionSqlRequest['dialect'], part: string]>([
    [
      'a * 1e308 > 0',
      'duckdb',
      `NULLIF(NULLIF((CAST(a AS DOUBLE) * CAST(1e+308 AS DOUBLE)), CAST('Infinity' AS DOUBLE))`,
    ],
    ['a * 1e308 > 0', 'postgres', '> 709.782712893384 THEN NULL'],
    ['a + b > 0', 'duckdb', 'NULLIF(NULLIF('],
    ['a / b > 0', 'trino', 'NULLIF(CAST(b AS DOUBLE), 0)'],
    ['a * b * a > 0', 'postgres', 'AS operands)'],
  ])('%s in %s', (text, dialect, part) => expect(ask(decisionOn(text), { dialect }).sql).toContain(part))

  test('arithmetic that cannot leave it is written unchanged', () =>
    expect(ask(decisionOn('a * 0.5 + 1 > 0')).sql).not.toContain('Infinity'))
})

describe('an output of two types', () => {
  const withOutputs = (yes: string, no: string) => {
    const outputs = (text: string) => [['r', text]]
    const { ruleset } = decodeRuleset({
      config: { name: 'r', entry_step: 'first' },
      steps: {
        first: {
          id: 'first',
          type: 'decision',
          branches: [{ condition: 'x > 1', next_step: 'yes' }],
          default_next: 'no',
        },
        yes: { id: 'yes', type: 'terminal', result: { code: 'YES', message: '', output: outputs(yes) } },
        no: { id: 'no', type: 'terminal', result: { code: 'NO', message: '', output: outputs(no) } },
      },
    })
    expect.assert(ruleset !== undefined)
    return ruleset
  }

  test('is named where the type of a column is not stated', () => {
    expect(ask(withOutputs('"1.0"', 'a')).reasons?.join()).toContain('the output `r` has values of several sources')
    expect(ask(withOutputs('"1.0"', 'a'), { columns: { a: 'text', x: 'number' } }).reasons).toBeUndefined()
    expect(ask(withOutputs('a', 'a'), { columns: { x: 'number' } }).reasons).toBeUndefined()
  })

  test('is refused where it is', () =>
    expect(() => ask(withOutputs('"1.0"', 'a'), { columns: { a: 'number' } })).toThrow('step `no`'))
})
