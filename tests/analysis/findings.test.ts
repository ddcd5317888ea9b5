import { inspect } from 'node:util'
import { analyze, type Finding, type OutputContract } from '@engine/analysis'
import type { Value } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { inRange, pick, type Random, seededRandom, shuffled } from '../../packages/ruleset/src/random.testing.ts'
import { casesOf, printSeed, SEED } from '../cases.testing.ts'
import { decoded, unshown } from './soundness.testing.ts'

interface Row {
  readonly condition: string
  readonly next_step: string
}

function table(rows: readonly Row[], config: { readonly [key: string]: Value } = {}, rest?: string): RulesetDocument {
  const codes = [...new Set([...rows.map(({ next_step }) => next_step), ...(rest === undefined ? [] : [rest])])]
  return {
    config: { name: 'table', entry_step: 'd', ...config },
    steps: {
      d: {
        id: 'd',
        type: 'decision',
        branches: rows.map((row) => ({ ...row })),
        ...(rest === undefined ? {} : { default_next: rest }),
      },
      ...Object.fromEntries(
        codes.map((code) => [code, { id: code, type: 'terminal', result: { code, message: code } }]),
      ),
    },
  }
}

const row = (condition: string, next_step = 'X'): Row => ({ condition, next_step })

const kindsAt = (findings: readonly Finding[], place: string): readonly string[] =>
  findings.filter((one) => one.place === place && one.verdict !== 'unknown').map((one) => one.kind)

/** A defect, and where it is: rows are added to a table that has none of it. */
const DEFECTS: Readonly<Record<string, (random: Random) => { rows: readonly Row[]; kind: string; by?: number }>> = {
  contradiction: (random) => {
    const low = inRange(random, 1, 50)
    const condition = pick(random, [
      `amount > ${low} && amount < ${low}`,
      `tier == "gold" && tier == "silver"`,
      `is_null(tier) && starts_with(tier, "g")`,
      `amount >= ${low + 9} && amount * 2 < ${low}`,
      `tier in ["gold"] && !(tier == "gold")`,
      `ends_with(tier, "er") && tier == "gold"`,
      `vip && !vip`,
      `amount > limit && limit > amount`,
    ])
    return { rows: [row(condition, 'Y')], kind: 'dead_branch' }
  },
  'shadowed by one': (random) => {
    const low = inRange(random, 1, 50)
    return {
      rows: [row(`amount >= ${low}`), row(`amount >= ${low + inRange(random, 0, 9)} && vip`, 'Y')],
      kind: 'shadowed',
      by: 1,
    }
  },
  'shadowed by a union': (random) => {
    const [low, middle] = [inRange(random, 1, 20), inRange(random, 21, 40)]
    const rows = [row(`amount >= ${low} && amount < ${middle}`), row(`amount >= ${middle} && amount < 60`)]
    return { rows: [...shuffled(random, rows), row(`amount > ${low} && amount < 59`, 'Y')], kind: 'shadowed', by: 2 }
  },
  'shadowed by texts': (random) => {
    const letter = pick(random, ['g', 's', 'b'])
    return {
      rows: [row(`starts_with(tier, "${letter}")`), row(`tier == "${letter}old"`, 'Y')],
      kind: 'shadowed',
      by: 1,
    }
  },
  'dead by type': () => ({
    rows: [row('is_string(amount)'), row('amount + 1 > 3 && amount contains "x"', 'Y')],
    kind: 'dead_branch',
  }),
}

test.each(Object.keys(DEFECTS))('finds a planted defect at its place: %s', (name) => {
  const random = seededRandom(SEED)
  const plants = casesOf(100)
  printSeed(plants)
  for (let count = 0; count < plants; count++) {
    const { rows, kind, by } = DEFECTS[name]?.(random) ?? { rows: [], kind: '' }
    const other = Array.from({ length: inRange(random, 0, 12) }, (_, index) =>
      row(
        `country == "${'ABCDEFGHIJKLM'[index]}" && score >= ${inRange(random, 1, 900)} && score < ${inRange(random, 901, 999)}`,
        'Z',
      ),
    )
    const before = inRange(random, 0, other.length)
    const all = [...other.slice(0, before), ...rows, ...other.slice(before)]
    const report = analyze(decoded(table(all, {}, 'N')))
    const index = before + rows.length - 1
    const place = `/steps/d/branches/${index}`
    expect(kindsAt(report.findings, place), all[index]?.condition).toContain(kind)
    const found = report.findings.find((one) => one.place === place && one.kind === kind)
    if (by !== undefined)
      expect(found?.by, inspect(all, { depth: null })).toEqual(
        Array.from({ length: by }, (_, offset) => `/steps/d/branches/${index - by + offset}`),
      )
    const dead = report.findings.filter((one) => one.kind === 'dead_branch' || one.kind === 'shadowed')
    expect(dead.map((one) => one.place)).toEqual([place])
  }
})

/** A defect planted in a whole ruleset, and the finding that names its place. */
const PLANTS: Readonly<
  Record<
    string,
    (random: Random) => { document: RulesetDocument; outputs?: readonly OutputContract[]; found: Partial<Finding> }
  >
> = {
  'dead by an earlier range': (random) => {
    const low = inRange(random, 1, 50)
    const rows = [row(`amount < ${low}`), row(`country == "A"`), row(`amount >= ${low - 1} && amount < ${low}`, 'Y')]
    return { document: table(rows, {}, 'N'), found: { kind: 'shadowed', place: '/steps/d/branches/2' } }
  },
  gap: (random) => {
    const low = inRange(random, 1, 50)
    const rows = [row(`amount < ${low}`), row(`amount >= ${low + 1}`), row('!exists(amount) || !is_number(amount)')]
    return { document: table(rows), found: { kind: 'gap', place: '/steps/d', severity: 'error' } }
  },
  'unreachable code': (random) => {
    const low = inRange(random, 1, 50)
    const rows = [row(`amount < ${low}`), row(`amount <= ${low - 1}`, 'Y')]
    return { document: table(rows, {}, 'N'), found: { kind: 'unreachable_code', place: '/steps/Y', code: 'Y' } }
  },
  'failing expression': (random) => {
    const low = inRange(random, 1, 50)
    const rows = [row(`country == "A"`), row(`100 / (amount - ${low}) > 1`, 'Y')]
    return {
      document: table(rows, {}, 'N'),
      found: { kind: 'can_fail', place: '/steps/d/branches/1', error: 'division-by-zero' },
    }
  },
  'contract: a code': (random) => ({
    document: table([row(`amount > ${inRange(random, 1, 50)}`, 'Y')], {}, 'N'),
    outputs: [{ code: 'N', fields: [] }],
    found: { kind: 'contract', place: '/steps/Y', code: 'Y', verdict: 'refuted', severity: 'error' },
  }),
  'contract: a missing output': (random) => ({
    document: withOutput(`amount > ${inRange(random, 1, 50)}`, 'name', 'amount'),
    outputs: contractOf('limit'),
    found: { kind: 'contract', place: '/steps/Y', verdict: 'proved', severity: 'error' },
  }),
  'contract: a type': (random) => ({
    document: withOutput(
      `amount > ${inRange(random, 1, 50)}`,
      'limit',
      pick(random, ['"12"', 'amount > 3', 'upper(name)']),
    ),
    outputs: contractOf('limit'),
    found: { kind: 'contract', place: '/steps/Y', verdict: 'refuted', severity: 'error' },
  }),
  'contract: a type of some inputs': (random) => ({
    document: withOutput(`amount > ${inRange(random, 1, 50)}`, 'limit', 'given'),
    outputs: contractOf('limit'),
    found: { kind: 'contract', place: '/steps/Y', verdict: 'refuted', severity: 'info' },
  }),
  overlap: (random) => {
    const low = inRange(random, 1, 50)
    const conditions = [
      `amount < ${low}`,
      `country == "A" && amount > ${low + 9}`,
      `amount >= ${low - 1} && amount < ${low + 2}`,
    ]
    return {
      document: uniqueTable(conditions),
      found: {
        kind: 'overlap',
        place: '/steps/choice/branches/2',
        by: ['/steps/choice/branches/0'],
        severity: 'error',
      },
    }
  },
}

const contractOf = (name: string): readonly OutputContract[] => [
  { code: 'Y', fields: [{ name, type: { kind: 'number' } }] },
  { code: 'N', fields: [] },
]

function withOutput(condition: string, name: string, value: string): RulesetDocument {
  const terminal = (code: string, more: { readonly [key: string]: Value } = {}): Value => ({
    id: code,
    type: 'terminal',
    result: { code, message: '', ...more },
  })
  return {
    config: { name: 'outputs', entry_step: 'd' },
    steps: {
      d: { id: 'd', type: 'decision', branches: [{ condition, next_step: 'Y' }], default_next: 'N' },
      Y: terminal('Y', { output: [[name, value]] }),
      N: terminal('N'),
    },
  }
}

/** A table of which at most one row may match, as the conversion of drafts writes it. */
function uniqueTable(conditions: readonly string[]): RulesetDocument {
  const items = conditions.map((condition, index) => `if (${condition}) then ["r${index}"] else []`)
  const set = (value: string) => ({ action: 'set_variable', name: 'row', value })
  const one = 'if len($row) == 1 then $row[0] else null'
  return {
    config: { name: 'unique', entry_step: 'table' },
    steps: {
      table: {
        id: 'table',
        type: 'action',
        actions: [
          set('[]'),
          set(`array_concat($row, flatten([${items.join(', ')}]))`),
          set(`if len($row) > 1 then to_number("rows " + join($row, ", ")) else ${one}`),
        ],
        next_step: 'choice',
      },
      choice: {
        id: 'choice',
        type: 'decision',
        branches: conditions.map((_condition, index) => ({ condition: `$row == "r${index}"`, next_step: `c${index}` })),
        default_next: 'none',
      },
      ...Object.fromEntries(
        ['none', ...conditions.keys().map((index) => `c${index}`)].map((code) => [
          code,
          { id: code, type: 'terminal', result: { code, message: '' } },
        ]),
      ),
    },
  }
}

test.each(Object.keys(PLANTS))('finds a planted defect of a ruleset at its place: %s', (name) => {
  const random = seededRandom(SEED)
  const plants = casesOf(100)
  printSeed(plants)
  for (let count = 0; count < plants; count++) {
    const plant = PLANTS[name]?.(random)
    if (plant === undefined) throw new Error(name)
    const { document, outputs, found } = plant
    const ruleset = decoded(document)
    const { findings } = analyze(ruleset, outputs === undefined ? {} : { outputs })
    const at = findings.filter((one) => one.place === found.place && one.kind === found.kind)
    expect(at, inspect(document, { depth: null })).toContainEqual(expect.objectContaining(found))
    for (const { verdict, witness } of at) if (verdict === 'refuted') expect(witness).toBeDefined()
  }
})

test('rows of which one may match are proved apart, live or dead like the rows of other tables', () => {
  const apart = analyze(decoded(uniqueTable(['amount < 5', 'amount >= 5 && amount < 9', 'amount > 9 && amount < 8'])))
  const certain = apart.findings.filter(({ severity }) => severity !== 'info')
  expect(certain.map(({ kind, place }) => [kind, place])).toEqual([
    ['dead_branch', '/steps/choice/branches/2'],
    ['unreachable_step', '/steps/c2'],
    ['unreachable_code', '/steps/c2'],
  ])
  expect(apart.questions.unknown).toBe(0)
})

test('outputs that keep their contract have no finding', () => {
  const outputs = contractOf('limit')
  for (const value of ['12', 'amount * 2', 'if amount > 7 then 1 else null', 'to_number(name)'])
    expect(
      analyze(decoded(withOutput('is_number(amount) && amount > 3', 'limit', value)), { outputs }).findings.filter(
        ({ kind }) => kind === 'contract',
      ),
      value,
    ).toEqual([])
})

test.each<[string, RulesetDocument, Partial<Finding>]>([
  ['a gap', table([row('n > 1'), row('n < 1')]), { kind: 'gap', place: '/steps/d', severity: 'error' }],
  [
    'always true',
    table([row('true'), row('n > 1', 'Y')], {}, 'N'),
    { kind: 'always_true', place: '/steps/d/branches/0' },
  ],
  ['always true by an exhaustive pair', table([row('exists(n) || !exists(n)')], {}, 'N'), { kind: 'always_true' }],
  ['an unreachable code', table([row('n > 1 && n < 1', 'Y')], {}, 'N'), { kind: 'unreachable_code', code: 'Y' }],
  [
    'an unreachable step',
    table([row('n > 1 && n < 1', 'Y')], {}, 'N'),
    { kind: 'unreachable_step', place: '/steps/Y' },
  ],
  [
    'a division by zero',
    table([row('10 / n > 1')], {}, 'N'),
    { kind: 'can_fail', error: 'division-by-zero', severity: 'warning' },
  ],
  [
    'a null operand',
    table([row('n + 1 > 1')], {}, 'N'),
    { kind: 'can_fail', error: 'null-operand', severity: 'warning' },
  ],
  ['a wrong type', table([row('n > 1')], {}, 'N'), { kind: 'can_fail', error: 'wrong-type', severity: 'info' }],
  [
    'a missing field',
    table([row('n == 1')], { field_missing: 'strict' }, 'N'),
    { kind: 'can_fail', error: 'missing-field' },
  ],
])('finds %s', (_name, document, expected) => {
  const ruleset = decoded(document)
  const report = analyze(ruleset)
  expect(report.findings).toContainEqual(expect.objectContaining(expected))
  expect(unshown(report, ruleset)).toBeUndefined()
})

test('an endless loop is shown by an input that enters too many steps', () => {
  const ruleset = decoded({
    config: { name: 'loop', entry_step: 'a', max_depth: 40 },
    steps: {
      a: { id: 'a', type: 'decision', branches: [{ condition: 'go', next_step: 'b' }], default_next: 'end' },
      b: { id: 'b', type: 'action', actions: [{ action: 'log', message: 'again' }], next_step: 'a' },
      end: { id: 'end', type: 'terminal', result: { code: 'END', message: '' } },
    },
  })
  const [found] = analyze(ruleset).findings
  expect(found).toMatchObject({ kind: 'endless_loop', place: '/steps/a', verdict: 'refuted', severity: 'error' })
})

test('what is true after one way to a step, and unknown after another, is not called always true', () => {
  const both = ({ isLong }: { readonly isLong: boolean }) =>
    decoded({
      config: { name: 'both', entry_step: 's' },
      steps: {
        s: {
          id: 's',
          type: 'decision',
          branches: [
            { condition: 'x > 1', next_step: 'd', actions: [{ action: 'set_variable', name: 'v', value: '1' }] },
          ],
          default_next: isLong ? 'd' : 'n',
        },
        d: {
          id: 'd',
          type: 'decision',
          branches: [{ condition: 'x > 0 || len(lower(t)) != 1717', next_step: 'y' }],
          default_next: 'n',
        },
        y: { id: 'y', type: 'terminal', result: { code: 'Y', message: '', output: [['v', '$v']] } },
        n: { id: 'n', type: 'terminal', result: { code: 'N', message: '' } },
      },
    })
  const claims = (isLong: boolean) =>
    analyze(both({ isLong })).findings.flatMap(({ kind, place }) => (kind === 'always_true' ? [place] : []))
  expect(claims(false)).toEqual(['/steps/d/branches/0'])
  expect(claims(true)).toEqual([])
})

test.each([
  ['the last of a decision without default', table([row('n > 1'), row('true', 'Y')])],
  ['the last, by those before it', table([row('exists(n)'), row('!exists(n)', 'Y')])],
])('a branch that is always true is no finding: %s is complete', (_what, document) => {
  expect(analyze(decoded(document)).findings.filter(({ severity }) => severity !== 'info')).toEqual([])
})

test('a domain narrows the question', () => {
  const ruleset = decoded(table([row('n >= 0'), row('n < 10', 'Y')], {}, 'N'))
  const domain = new Map([['n', { types: ['number' as const], required: true, integer: true, minimum: 0, maximum: 9 }]])
  expect(analyze(ruleset).findings.map(({ kind }) => kind)).toEqual(['can_fail'])
  const { domain: named, findings } = analyze(ruleset, { domain })
  expect([named, findings.map(({ kind }) => kind)]).toEqual([
    'contract',
    ['always_true', 'shadowed', 'unreachable_step', 'unreachable_step', 'unreachable_code', 'unreachable_code'],
  ])
})

test('an integer domain has nothing between neighbours', () => {
  const domain = new Map([['n', { types: ['number' as const], required: true, integer: true }]])
  const { findings } = analyze(decoded(table([row('n > 3 && n < 4')], {}, 'N')), { domain })
  expect(kindsAt(findings, '/steps/d/branches/0')).toEqual(['dead_branch'])
})

test.each([
  ['len(name) > 5 && len(name) < 3', ['dead_branch']],
  ['contains_str(name, "abc") && !contains_str(name, "b")', ['dead_branch']],
  ['name contains "abc" && !(name contains "b") && !is_array(name)', ['dead_branch']],
  ['name < "b" && name > "c"', ['dead_branch']],
  ['name == "b" && name < "b"', ['dead_branch']],
  ['x.y > 1 && is_string(x)', ['dead_branch']],
  ['items contains "a" && items == []', ['dead_branch']],
  ['items contains "a" && !(items contains "b")', []],
  ['a < b && b < c && c < a', ['dead_branch']],
  ['a + b > 10 && a < 1 && b < 1 && a >= 0 && b >= 0', ['dead_branch']],
  ['max(a, b) > 10 && a < 1 && b < 1', ['dead_branch']],
  ['n > 9007199254740992 && n < 9007199254740994', []],
  ['n > 0.1 && n < 0.10000000000000002', ['dead_branch']],
  ['n > 0.1 && n < 0.10000000000000003', []],
  ['round(n) == 3 && n < 2.5', ['dead_branch']],
  ['n * 1.1 == 3.3000000000000003 && n != 3', ['dead_branch']],
  ['n * 1.1 == 3.3000000000000003', []],
  ['n * 1.1 == 3.3 && n != 2.9999999999999996', ['dead_branch']],
])('%s', (condition, kinds) => {
  const { findings } = analyze(decoded(table([row(condition)], {}, 'N')))
  expect(kindsAt(findings, '/steps/d/branches/0').filter((kind) => kind !== 'can_fail')).toEqual(kinds)
})

test.each([
  ['n > 0.1 && n < 0.1000000000000000055', []],
  ['n > 0.1 && n < 0.1000000000000000000000000000000001', ['dead_branch']],
  ['n * 1.1 == 3.3 && n != 3', ['dead_branch']],
  ['n * 1.19 == 119 && n != 100', []],
  ['n * 1.1 == 3.30000000001 && n == 3', ['dead_branch']],
  ['round(n, 2) == 3.14 && n < 3.135', ['dead_branch']],
  ['round(n, 2) == 3.14 && n <= 3.135', []],
  ['n / 3 == 0.3333333333333333333333333333333333', []],
  ['n / 4 > 1 && n <= 4', ['dead_branch']],
  ['net + tax > 30 && net < 10 && tax < 20', ['dead_branch']],
  ['net * rate >= 20 && net >= 0 && net < 10 && rate >= 0 && rate < 2', ['dead_branch']],
  ['n / 0 > 1', ['dead_branch']],
])('in decimals: %s', (condition, kinds) => {
  const { findings, truncated } = analyze(decoded(table([row(condition)], { numbers: 'decimal' }, 'N')))
  expect(truncated).toBe(false)
  expect(kindsAt(findings, '/steps/d/branches/0').filter((kind) => kind !== 'can_fail')).toEqual(kinds)
})

/** A conjunction of random clauses of three at the threshold where search is hardest, as one condition. */
function threeClauses(random: Random, variables: number): string {
  const literal = () => `${pick(random, ['', '!'])}b${inRange(random, 1, variables)}`
  const clauses = Array.from(
    { length: Math.round(variables * 4.26) },
    () => `(${literal()} || ${literal()} || ${literal()})`,
  )
  return clauses.join(' && ')
}

test.each([
  ['clauses of three at the threshold', () => table([row(threeClauses(seededRandom(SEED), 150))], {}, 'N')],
  [
    'a union of 400 values',
    () =>
      table(
        [...Array.from({ length: 400 }, (_, index) => row(`n == ${index}`)), row('n >= 0 && n < 400', 'Y')],
        {},
        'N',
      ),
  ],
  [
    'products of many fields',
    () => table([row('a * b + c * d == 17 && a * c - b * d == 3 && a * d > 40 && a + b + c + d < 9')], {}, 'N'),
  ],
  [
    'doubling values',
    () => ({
      config: { name: 'doubling', entry_step: 's0' },
      steps: {
        ...Object.fromEntries(
          Array.from({ length: 60 }, (_, index) => [
            `s${index}`,
            {
              id: `s${index}`,
              type: 'action',
              actions: [{ action: 'set_variable', name: 'v', value: index === 0 ? 'n' : '$v + $v' }],
              next_step: index === 59 ? 'd' : `s${index + 1}`,
            },
          ]),
        ),
        d: { id: 'd', type: 'decision', branches: [{ condition: '$v > 5', next_step: 'A' }], default_next: 'A' },
        A: { id: 'A', type: 'terminal', result: { code: 'A', message: '' } },
      },
    }),
  ],
  [
    'ways that multiply',
    () => ({
      config: { name: 'ways', entry_step: 'd0' },
      steps: {
        ...Object.fromEntries(
          Array.from({ length: 30 }, (_, index) => [
            `d${index}`,
            {
              id: `d${index}`,
              type: 'decision',
              branches: [
                {
                  condition: `b${index}`,
                  next_step: index === 29 ? 'end' : `d${index + 1}`,
                  actions: [{ action: 'set_variable', name: `v${index}`, value: `n + ${index}` }],
                },
              ],
              default_next: index === 29 ? 'end' : `d${index + 1}`,
            },
          ]),
        ),
        end: {
          id: 'end',
          type: 'decision',
          branches: [
            {
              condition: Array.from({ length: 30 }, (_, index) => `$v${index} > ${index}`).join(' || '),
              next_step: 'A',
            },
          ],
          default_next: 'A',
        },
        A: { id: 'A', type: 'terminal', result: { code: 'A', message: '' } },
      },
    }),
  ],
] as const)(
  'a budget is kept: %s',
  (_name, document) => {
    const ruleset = decoded(document())
    const report = analyze(ruleset, { budget: 400_000 })
    expect(unshown(report, ruleset)).toBeUndefined()
    expect(report.questions.proved + report.questions.refuted + report.questions.unknown).toBeGreaterThan(0)
  },
  120_000,
)

describe('rows of a table of which the first matching one counts', () => {
  const overlapsOf = (rows: readonly Row[], tables: readonly string[] = ['d']) =>
    analyze(decoded(table(rows, {}, 'ELSE')), { firstMatch: new Set(tables) }).findings.filter(
      ({ kind }) => kind === 'overlap',
    )

  test('that match together with different results are worth knowing', () => {
    const [found, ...others] = overlapsOf([row('amount > 10', 'A'), row('vip', 'B')])
    expect(others).toEqual([])
    const place = '/steps/d/branches/1'
    expect(found).toMatchObject({ place, verdict: 'refuted', severity: 'info', by: ['/steps/d/branches/0'] })
    const { amount, vip } = found?.witness?.input ?? {}
    expect([Number(amount) > 10, vip]).toEqual([true, true])
  })

  test.each<[string, readonly Row[]]>([
    ['the same result', [row('amount > 10', 'A'), row('vip', 'A')]],
    ['no input of both', [row('amount > 10', 'A'), row('amount < 5', 'B')]],
    ['a last row for all other inputs', [row('amount > 10', 'A'), row('true', 'B')]],
    ['a row that is never reached, which is another finding', [row('amount > 10', 'A'), row('amount > 20', 'B')]],
  ])('%s: nothing', (_what, rows) => expect(overlapsOf(rows)).toEqual([]))

  test('are compared in tables alone', () => {
    expect(overlapsOf([row('amount > 10', 'A'), row('vip', 'B')], [])).toEqual([])
  })

  test('name the earlier row that has another result', () => {
    const [found] = overlapsOf([row('amount > 10', 'B'), row('amount > 5', 'A'), row('vip', 'B')])
    expect(found?.by).toEqual(['/steps/d/branches/0'])
    const last = overlapsOf([row('amount > 10', 'B'), row('amount > 5', 'A'), row('vip', 'B')]).at(-1)
    expect([last?.place, last?.by]).toEqual(['/steps/d/branches/2', ['/steps/d/branches/1']])
  })
})
