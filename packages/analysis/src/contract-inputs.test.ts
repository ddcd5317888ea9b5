import type { Numbers, ObjectValue, Value } from '@engine/expression'
import { evaluationPolicy, type Ruleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { casesOf, limitOf, printSeed, SEED } from '../../../tests/cases.testing.ts'
import { chance, inRange, pick, type Random, seededRandom } from '../../ruleset/src/random.testing.ts'
import { analyze } from './analyze.ts'
import { diff } from './diff.ts'
import type { FieldDomain } from './formula/domain.ts'
import { RegionMatch } from './region-match.ts'
import { decision, result, rulesetOf } from './reports.testing.ts'
import type { Diff, Report } from './verdict.ts'
import { Follower } from './witness/trail.ts'

/** A field of a contract with all values that it allows; undefined where the field may be missing. */
interface AllowedField {
  readonly domain: FieldDomain
  readonly values: readonly (Value | undefined)[]
}

const NUMBER_LISTS = [
  [0, 2, 5],
  [0.5, 1.5],
  [1, 2, 3],
  [-1, 0],
] as const
const LISTS: readonly Value[] = [[], [1], [1, 2], ['x']]
const TEXT_LISTS = [['p', 'q', 'pq'], ['p'], ['', 'p', 'q']] as const

function randomField(random: Random, kind: 'range' | 'numbers' | 'boolean' | 'texts'): AllowedField {
  const required = chance(random, 0.7)
  const nulls = chance(random, 0.2) ? [null] : []
  const allow = (type: FieldDomain['types'][number], values: readonly Value[], more: Partial<FieldDomain>) => ({
    domain: { ...more, types: nulls.length > 0 ? [type, 'null' as const] : [type], required },
    values: [...values, ...nulls, ...(required ? [] : [undefined])],
  })
  if (kind === 'boolean') return allow('boolean', [false, true], {})
  if (kind === 'range') {
    const minimum = inRange(random, -1, 1)
    const values = Array.from({ length: 4 }, (_, index) => minimum + index)
    return allow('number', values, { integer: true, minimum, maximum: minimum + 3 })
  }
  const values = kind === 'numbers' ? pick(random, NUMBER_LISTS) : pick(random, TEXT_LISTS)
  return allow(kind === 'numbers' ? 'number' : 'string', values, { values: [...values, ...nulls] })
}

type Fields = Readonly<Record<string, AllowedField>>

const randomFields = (random: Random): Fields => ({
  a: randomField(random, 'range'),
  b: randomField(random, pick(random, ['range', 'numbers'])),
  c: randomField(random, 'boolean'),
  s: randomField(random, 'texts'),
  l: { domain: { types: ['array'], values: LISTS, required: true }, values: LISTS },
})

/** All inputs that a contract allows. */
function allInputs(fields: Fields): readonly ObjectValue[] {
  return Object.entries(fields).reduce<readonly ObjectValue[]>(
    (inputs, [name, { values }]) =>
      inputs.flatMap((input) => values.map((value) => (value === undefined ? input : { ...input, [name]: value }))),
    [{}],
  )
}

function randomAtom(random: Random): string {
  const operator = pick(random, ['<', '<=', '>', '>=', '==', '!='])
  const constant = pick(random, ['0', '1', '2', '3', '1.5'])
  return pick(random, [
    `a ${operator} ${constant}`,
    `b ${operator} ${constant}`,
    `a ${operator} b`,
    `a + b ${operator} ${constant}`,
    `a * b ${operator} ${constant}`,
    'c == true',
    'c != true',
    's == "p"',
    's != "q"',
    'starts_with(s, "p")',
    's in ["p", "q"]',
    `${pick(random, ['a', 'b', 'c', 's'])} == null`,
    `exists(${pick(random, ['a', 'b', 's'])})`,
    'b in [0, 1, 5]',
    'is_number(a)',
    `round(a / 2) ${operator} ${constant}`,
    `abs(a - b) ${operator} ${constant}`,
    `min(a, b) ${operator} ${constant}`,
    '(if c == true then a else b) > 1',
    '!(a > 1)',
    `len(s) ${operator} ${constant}`,
    'contains_str(s, "q")',
    `count(l) ${operator} ${constant}`,
    `sum(l) ${operator} ${constant}`,
    '1 in l',
    'l[0] == 1',
    'any(l, x => x > 1)',
  ])
}

function randomCondition(random: Random): string {
  const atoms = Array.from({ length: pick(random, [1, 1, 2, 2, 3]) }, () => randomAtom(random))
  return atoms.join(pick(random, [' && ', ' || ']))
}

type Row = readonly [condition: string, next: string]

const randomRows = (random: Random, next: readonly string[]): readonly Row[] =>
  Array.from({ length: inRange(random, 2, 4) }, () => [randomCondition(random), pick(random, next)])

/** Two versions that differ in one row of the first of two tables. */
function randomVersions(random: Random): readonly [Ruleset, Ruleset] {
  const config = pick(random, [{}, {}, { field_missing: 'strict' }, { numbers: 'decimal' }])
  const [first, second] = [randomRows(random, ['X', 'Y', 'e']), randomRows(random, ['X', 'Z'])]
  const otherwise = chance(random, 0.7) ? 'N' : undefined
  const codes = Object.fromEntries(['X', 'Y', 'Z', 'N'].map((code) => [code, result(code)]))
  const versionOf = (rows: readonly Row[]) =>
    rulesetOf({ d: decision(rows, 'e'), e: decision(second, otherwise), ...codes }, config)
  const changed = first.with(inRange(random, 0, first.length - 1), [randomCondition(random), 'e'])
  return [versionOf(first), versionOf(changed)]
}

interface Executions {
  /** Everything that the executions show; see `claims`. */
  readonly seen: ReadonlySet<string>
  /** The code or the error of each input. */
  readonly ends: readonly string[]
}

function executeAll(ruleset: Ruleset, inputs: readonly ObjectValue[]): Executions {
  const follower = new Follower(ruleset)
  const trails = inputs.map((input) => follower.follow(input))
  const ends = trails.map(({ side }) => {
    if (side === undefined) throw new Error('an execution without a call ends')
    return 'code' in side ? side.code : `error ${side.error.code}`
  })
  return { seen: new Set(trails.flatMap(({ seen }) => seen)), ends }
}

/** The proved findings that an execution refutes, and the shown gaps that no execution has. */
function wrongFindings({ findings, questions }: Report, { seen }: Executions): readonly string[] {
  const wrong = findings.filter(({ kind, verdict, place, code }) => {
    const [, , step = '', , branch = ''] = place.split('/')
    if (kind === 'gap') return verdict === 'refuted' && !seen.has(`gap ${step}`)
    if (verdict !== 'proved') return false
    if (kind === 'dead_branch' || kind === 'shadowed') return seen.has(`taken ${step} ${branch}`)
    if (kind === 'unreachable_step') return seen.has(`step ${step}`)
    return kind === 'unreachable_code' && seen.has(`code ${code}`)
  })
  const hasGap = findings.some(({ kind, place }) => kind === 'gap' && place === '/steps/e')
  const isMissed = questions.unknown === 0 && seen.has('gap e') && !hasGap
  return [...wrong.map(({ kind, place }) => `${kind} ${place}`), ...(isMissed ? ['no gap'] : [])]
}

/** The verdicts about two versions that the ends of all inputs contradict. */
function wrongVerdicts(
  found: Diff,
  inputs: readonly ObjectValue[],
  before: Executions,
  after: Executions,
  numbers: Numbers,
) {
  const changed = before.ends.map((end, index) => end !== after.ends[index])
  const failing = before.ends.map((end, index) => !end.startsWith('error') && after.ends[index]?.startsWith('error'))
  const match = new RegionMatch(
    found.regions.map(({ condition }) => condition),
    numbers,
  )
  const isComplete = found.unknown.length === 0 && found.regions.every(({ complete }) => complete)
  return [
    found.verdict === 'equivalent' && changed.includes(true) && 'equivalent',
    found.verdict === 'different' && !changed.includes(true) && 'different',
    found.no_new_failure === 'proved' && failing.includes(true) && 'no new failure',
    isComplete && inputs.some((input, index) => changed[index] !== (match.regionOf(input) !== undefined)) && 'regions',
  ].filter((one) => one !== false)
}

const COUNT = casesOf(2000, 80)

test(
  `no verdict about ${COUNT} pairs of rulesets is contradicted by the execution of all inputs that a contract allows`,
  () => {
    printSeed(COUNT)
    const wrong: string[] = []
    let complete = 0
    for (let index = 0; index < COUNT; index++) {
      const random = seededRandom(SEED + index)
      const fields = randomFields(random)
      const inputs = allInputs(fields)
      const domain = new Map(Object.entries(fields).map(([name, field]) => [name, field.domain]))
      const [before, after] = randomVersions(random)
      const [old, young] = [executeAll(before, inputs), executeAll(after, inputs)]
      const report = analyze(before, { domain })
      const found = diff(before, after, { domain })
      const faults = [
        ...wrongFindings(report, old),
        ...wrongVerdicts(found, inputs, old, young, evaluationPolicy(before).numbers),
      ]
      wrong.push(...faults.map((fault) => `SEED=${SEED + index}: ${fault}`))
      if (found.unknown.length === 0 && report.questions.unknown === 0) complete++
    }
    expect(wrong).toEqual([])
    expect(complete, 'claims that are all decided').toBeGreaterThan(0)
  },
  limitOf(COUNT, 1000),
)
