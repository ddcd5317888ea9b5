import { stringifyJson, type Value } from '@engine/expression'
import { createFilter, FilterError, type FilterRequest, type FilterResult } from '@engine/filter'
import { createProgram, type Decision, ExecutionError, type Ruleset } from '@engine/ruleset'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decisionOn } from '../../packages/filter/src/filter.testing.ts'
import { type Random, seeded } from '../../packages/expression/src/random.testing.ts'
import { casesOf, printSeed, SEED } from '../cases.testing.ts'
import { testHost } from '../../packages/ruleset/src/host.testing.ts'
import { sharedPostgres } from '../postgres.testing.ts'
import { sharedMariaDb } from '../mariadb.testing.ts'
import {
  duckdb,
  mariadb,
  mongoSelect,
  type Param,
  postgres,
  type Rows,
  sqlite,
  treeSelect,
} from './databases.testing.ts'
import { inputOf, randomKnown, randomRow, randomRuleset, type Row, rowOf, STATED } from './rulesets.testing.ts'

const RULESETS = casesOf(1000, 10)
const ROWS = 200
/** Rulesets that decide the same rows. */
const PER_TABLE = 50
const TARGETS = ['YES']

let databases: readonly (readonly [dialect: 'sqlite' | 'duckdb' | 'postgres' | 'mysql', rows: Rows])[]

beforeAll(async () => {
  databases = [
    ['sqlite', sqlite()],
    ['duckdb', await duckdb()],
    ['postgres', await postgres(await sharedPostgres())],
    ['mysql', await mariadb(await sharedMariaDb())],
  ]
})

afterAll(async () => {
  for (const [, rows] of databases) await rows.close()
})

/** Numbers of the rows whose execution returns a target result; a failed execution returns none. */
function decided(ruleset: Ruleset, inputs: readonly Value[]): readonly number[] {
  const program = createProgram(ruleset, testHost())
  return inputs.flatMap((input, id) => {
    try {
      return TARGETS.includes((program.decide(input) as Decision).code) ? [id] : []
    } catch (error) {
      if (error instanceof ExecutionError) return []
      throw error
    }
  })
}

/** A filter, or undefined where this format has no form for a condition. */
function filterOf(
  ruleset: Ruleset,
  request: Partial<FilterRequest>,
  known: FilterRequest['known_input'],
): FilterResult | undefined {
  try {
    return createFilter(ruleset, { known_input: known, target_results: TARGETS, max_paths: 200, ...request }, 0)
  } catch (error) {
    if (error instanceof FilterError) return undefined
    throw error
  }
}

/** The rows that a filter selects in a database, with its values as a program reads them from the answer. */
function selectedBy(database: Rows, { filter, params }: FilterResult): Promise<readonly number[]> {
  const values = params === undefined ? undefined : (JSON.parse(stringifyJson(params)) as readonly Param[])
  return database.select(filter as string, values)
}

interface Counts {
  /** Filters with placeholders that a database has run. */
  parameterized: number
  exact: number
  superset: number
  subset: number
  approximate: number
  refused: number
  rows: number
}

type HandMade = [condition: string, rows: readonly Row[], known?: FilterRequest['known_input']]

const TEXTS_LIKE_A = [...['a', 'a ', 'A', 'á', 'b', 'b ', ' ', ''].map((name) => rowOf({ name })), rowOf({})]

const INTEGERS = [
  0,
  -1,
  2,
  3,
  2147483648,
  9007199254740992n,
  9007199254740993n,
  9223372036854775807n,
  -9223372036854775808n,
  null,
].map((doc_count) => rowOf({ doc_count }))

interface Case {
  readonly ruleset: Ruleset
  readonly known: FilterRequest['known_input']
  readonly rows: readonly Row[]
  readonly expected: readonly number[]
  readonly counts: Counts
}

/** Compare the rows that a filter selects with the decisions of execution. */
async function check(
  { ruleset, known, expected, counts }: Case,
  request: Partial<FilterRequest>,
  select: (filter: FilterResult) => Promise<readonly number[]> | readonly number[],
): Promise<void> {
  const filter = filterOf(ruleset, request, known)
  if (filter === undefined) {
    counts.refused++
    return
  }
  const selected = filter.never_matches ? [] : await select(filter)
  const wanted = new Set(expected)
  const [tooMany, missing] = [selected.filter((id) => !wanted.has(id)), expected.filter((id) => !selected.includes(id))]
  const mayHaveMore = filter.exactness === 'superset' || filter.exactness === 'approximate'
  const mayHaveFewer = filter.exactness === 'subset' || filter.exactness === 'approximate'
  if ((!mayHaveMore && tooMany.length > 0) || (!mayHaveFewer && missing.length > 0))
    expect.fail(report(ruleset, known, request, filter, tooMany, missing))
  counts[filter.exactness]++
  if (filter.params !== undefined && filter.params.length > 0) counts.parameterized++
  counts.rows += selected.length
}

function report(
  ruleset: Ruleset,
  known: object,
  request: object,
  filter: FilterResult,
  tooMany: readonly number[],
  missing: readonly number[],
): string {
  const steps = [...ruleset.steps.values()].map((step) =>
    step.type === 'decision'
      ? {
          id: step.id,
          branches: step.branches.map(({ source, nextStep, actions }) => [source, nextStep, actions.length]),
          next: step.defaultNext,
        }
      : step.type === 'action'
        ? { id: step.id, next: step.nextStep }
        : { id: step.id, code: step.code },
  )
  const { fieldMissing, defaults } = ruleset.config
  return JSON.stringify(
    { steps, fieldMissing, defaults: [...defaults], known, request, filter, tooMany, missing },
    (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value),
    1,
  )
}

function hasBigint(value: unknown): boolean {
  if (typeof value === 'bigint') return true
  return typeof value === 'object' && value !== null && Object.values(value).some(hasBigint)
}

/** Every other table has values that only stated types, or a reason, keep right. */
function rowsOf(random: Random): readonly Row[] {
  const exotic = random.chance(0.5) ? 0.15 : 0
  return Array.from({ length: ROWS }, () => randomRow(random, exotic))
}

test(
  `${RULESETS} random rulesets: the rows of a filter are those whose execution gives a target result`,
  async () => {
    printSeed(RULESETS)
    const random = seeded(SEED)
    const counts: Counts = { parameterized: 0, exact: 0, superset: 0, subset: 0, approximate: 0, refused: 0, rows: 0 }
    let rows: readonly Row[] = []
    for (let number = 0; number < RULESETS; number++) {
      if (number % PER_TABLE === 0) {
        rows = rowsOf(random)
        for (const [, database] of databases) await database.load(rows)
      }
      const mixes = random.chance(0.5)
      const ruleset = randomRuleset(random, { computes: false, mixes, hasOutputs: random.chance(0.3) })
      // A column compared with two types needs a stated one.
      const columns = mixes || random.chance(0.3) ? STATED : {}
      const known = randomKnown(random)
      const one: Case = {
        ruleset,
        known,
        rows,
        counts,
        expected: decided(
          ruleset,
          rows.map((row) => inputOf(row, known)),
        ),
      }
      for (const [dialect, database] of databases) {
        for (const nulls of ['match_rules', 'sql'] as const)
          for (const parameters of [false, true])
            await check(one, { dialect, nulls, columns, parameters }, (filter) => selectedBy(database, filter))
      }
      for (const nulls of ['match_rules', 'sql'] as const) {
        await check(one, { format: 'mongo', nulls, columns }, ({ filter }) =>
          // The evaluator of MongoDB's language takes no integers beyond 2^53.
          hasBigint(filter) || hasBigint(rows) ? one.expected : mongoSelect(rows, filter as object),
        )
        await check(one, { format: 'json', nulls, columns }, ({ filter }) => treeSelect(rows, filter as object))
      }
    }
    console.log(`checked: ${JSON.stringify(counts)}`)
    expect(counts.exact).toBeGreaterThan(RULESETS * 3)
    expect(counts.rows).toBeGreaterThan(RULESETS * ROWS)
    expect(Math.min(counts.superset, counts.subset, counts.approximate)).toBeGreaterThan(RULESETS / 10)
  },
  280_000 + RULESETS * 300,
)

/** Found by hand: conditions over values that rules and databases see differently. */
describe('with stated types each database selects what the rules decide', () => {
  test.each<HandMade>([
    ['name < doc.owner', [rowOf({ name: 'a', doc_owner: 'B' }), rowOf({ name: 'B', doc_owner: 'a' })]],
    [
      'total == 0.0028984089210060526',
      [rowOf({ total: 0.0028984089210060526 }), rowOf({ total: 0.002898408921006052 })],
    ],
    ['total >= 0.20779705662948678', [rowOf({ total: 0.20779705662948678 }), rowOf({ total: 0.20779705662948675 })]],
    ['total < 0.20779705662948678', [rowOf({ total: 0.20779705662948678 }), rowOf({ total: 0.20779705662948675 })]],
    ['total == 2.26797932753915e+17', [rowOf({ total: 2.26797932753915e17 })]],
    ['total == 9007199254740993', [rowOf({ total: 9007199254740992 }), rowOf({ total: 9007199254740994 })]],
    [
      'doc.count == 9007199254740993',
      [rowOf({ doc_count: 9007199254740993n }), rowOf({ doc_count: 9007199254740992n })],
    ],
    ['total == "1"', [rowOf({ total: 1 })]],
    // One operator on one field twice, and once more in another branch.
    ['name == "a" || name == "b"', ['a', 'b', 'c'].map((name) => rowOf({ name }))],
    ['starts_with(name, "a") || starts_with(name, "b")', ['ax', 'bx', 'c'].map((name) => rowOf({ name }))],
    [
      '(name == "a" || name == "b") && doc.owner == user.id',
      [
        ['a', 't1'],
        ['b', 't1'],
        ['c', 't1'],
        ['d', 'b'],
        ['a', 't2'],
      ].map(([name, doc_owner]) => rowOf({ name: name as string, doc_owner: doc_owner as string })),
      { user: { id: 't1' } },
    ],
    ['total in [1, 1, 2] || total in [1, 2, 2] || total != 3', [1, 2, 3, 4].map((total) => rowOf({ total }))],
    ['name != "a" && name not in ["a", "b", "a"]', [...['a', 'b', 'c'].map((name) => rowOf({ name })), rowOf({})]],
    // Collations of MySQL ignore case and trailing blanks.
    ...['==', '!='].map((operator): HandMade => [`name ${operator} "a"`, TEXTS_LIKE_A]),
    ...['in', 'not in'].map((operator): HandMade => [`name ${operator} ["a", "b "]`, TEXTS_LIKE_A]),
    ...['==', '!='].map((operator): HandMade => [
      `name ${operator} doc.owner`,
      TEXTS_LIKE_A.map((row) => ({ ...row, doc_owner: 'a' })),
    ]),
    ...['contains', 'starts_with', 'ends_with'].flatMap((name) =>
      ['a', 'a ', ' '].map((part): HandMade => [`${name}(name, "${part}")`, TEXTS_LIKE_A]),
    ),
    // Fractions, and integers that no column of integers holds.
    ...['==', '!=', '<', '<=', '>', '>='].flatMap((operator) =>
      ['2.5', '-0.5', '9223372036854775807', '9223372036854775808', '-9223372036854775809', '1e30', '2147483648'].map(
        (value): HandMade => [`doc.count ${operator} ${value}`, INTEGERS],
      ),
    ),
    ...['in', 'not in'].flatMap((operator) =>
      ['9007199254740993, 470200.2641470642', '2.5, 3', '9223372036854775808, 3', '0.1'].map((values): HandMade => [
        `doc.count ${operator} [${values}]`,
        INTEGERS,
      ]),
    ),
    ['total > 9223372036854775808', [rowOf({ total: 9223372036854775808 }), rowOf({ total: 1e20 })]],
    ['total in [1e22, 0.1, 5e-324, 3]', [1e22, 0.1, 5e-324, 3, 0, -1].map((total) => rowOf({ total }))],
    ['active == 1', [rowOf({ active: true }), rowOf({ active: false })]],
    ['!total', [rowOf({ total: 0 }), rowOf({ total: 2 }), rowOf({})]],
    ['total && active', [rowOf({ total: 2, active: true }), rowOf({ total: 0, active: true })]],
    // The table has no column `user_id`: what lies below a known null is known to be missing.
    ['doc.owner == user.id', [rowOf({ doc_owner: 'x' }), rowOf({})], { user: null }],
  ])('%s', async (condition, rows, known = {}) => {
    const ruleset = decisionOn(condition)
    const expected = decided(
      ruleset,
      rows.map((row) => inputOf(row, known)),
    )
    for (const [dialect, database] of databases) {
      await database.load(rows)
      for (const parameters of [false, true]) {
        const filter = filterOf(ruleset, { dialect, nulls: 'match_rules', columns: STATED, parameters }, known)
        expect.assert(filter !== undefined)
        const selected = filter.never_matches ? [] : await selectedBy(database, filter)
        // The order of its texts is that of the collation, which the answer names.
        if (dialect === 'mysql' && filter.exactness === 'approximate') continue
        expect(selected, `${dialect}: ${stringifyJson(filter as never)}`).toEqual(expected)
      }
    }
  })

  test('but for the order of characters beyond U+FFFF, which the answer names', async () => {
    const [ruleset, rows] = [decisionOn('name < "\ue000"'), [rowOf({ name: '😀' })]]
    expect(decided(ruleset, [inputOf(rows[0] as Row, {})])).toEqual([0])
    for (const [dialect, database] of databases) {
      await database.load(rows)
      const order = dialect === 'mysql' ? "of the column's collation" : 'by code points'
      for (const parameters of [false, true]) {
        const filter = filterOf(ruleset, { dialect, nulls: 'match_rules', columns: STATED, parameters }, {})
        expect.assert(filter !== undefined)
        expect(filter).toMatchObject({
          exactness: 'approximate',
          reasons: [expect.stringContaining(order) as string],
        })
        if (dialect !== 'mysql') expect(await selectedBy(database, filter)).toEqual([])
      }
    }
  })
})
