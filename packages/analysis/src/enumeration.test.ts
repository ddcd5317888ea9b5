import { LENIENT, parse } from '@engine/expression'
import type { Ruleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { chance, inRange, pick, type Random, seededRandom } from '../../ruleset/src/random.testing.ts'
import { analyze } from './analyze.ts'
import { diff } from './diff.ts'
import type { FieldDomain } from './formula/domain.ts'
import { evaluate, HOLDS, truthOf } from './formula/evaluate.ts'
import { RegionMatch } from './region-match.ts'
import { decision, result, rulesetOf } from './reports.testing.ts'
import { Follower } from './witness/trail.ts'

const NUMBERS = [0, 1, 2, 3]
const INPUTS = NUMBERS.flatMap((a) => NUMBERS.flatMap((b) => [false, true].map((c) => ({ a, b, c }))))
const number: FieldDomain = { types: ['number'], required: true, integer: true, minimum: 0, maximum: 3 }
const DOMAIN = new Map<string, FieldDomain>([
  ['a', number],
  ['b', number],
  ['c', { types: ['boolean'], required: true }],
])

function atom(random: Random): string {
  const constant = String(inRange(random, 0, 3))
  const compare = pick(random, ['<', '<=', '>', '>=', '==', '!='])
  return pick(random, [
    `a ${compare} ${constant}`,
    `b ${compare} ${constant}`,
    `a ${compare} b`,
    `a + b ${compare} 3`,
    'c',
  ])
}

function condition(random: Random): string {
  const parts = Array.from({ length: pick(random, [1, 1, 2, 2, 3]) }, () => atom(random))
  return parts.join(pick(random, [' && ', ' || ']))
}

type Row = readonly [condition: string, next: string, set: Readonly<Record<string, string>>]

/** Two tables: rows of the first set a variable that the second one reads. */
function tables(random: Random): {
  readonly first: readonly Row[]
  readonly second: readonly Row[]
  readonly hasDefault: boolean
} {
  const rows = (next: readonly string[], of: () => string): readonly Row[] =>
    Array.from({ length: inRange(random, 2, 4) }, () => [
      of(),
      pick(random, next),
      { v: String(inRange(random, 0, 1)) },
    ])
  return {
    first: rows(['X', 'Y', 'e'], () => condition(random)),
    second: rows(['X', 'Z'], () =>
      chance(random, 0.4) ? `$v == ${inRange(random, 0, 2)} && ${atom(random)}` : condition(random),
    ),
    hasDefault: chance(random, 0.7),
  }
}

const rulesetWith = ({ first, second, hasDefault }: ReturnType<typeof tables>): Ruleset =>
  rulesetOf(
    {
      s: { type: 'action', next_step: 'd', actions: [{ action: 'set_variable', name: 'v', value: '2' }] },
      d: decision(first, 'e'),
      e: decision(second, hasDefault ? 'N' : undefined),
      ...Object.fromEntries(['X', 'Y', 'Z', 'N'].map((code) => [code, result(code)])),
    },
    { entry_step: 's' },
  )

/** The claims that the execution of all inputs refutes. */
const seenOf = (ruleset: Ruleset) => {
  const follower = new Follower(ruleset)
  return new Set(INPUTS.flatMap((input) => follower.follow(input).seen))
}

const indexOf = (place: string) => Number(place.split('/').at(-1))
const holds = (text: string, input: (typeof INPUTS)[number]) => {
  const parsed = parse(text)
  return parsed.kind === 'parsed' && truthOf(evaluate(parsed.expression, LENIENT, input)) === HOLDS
}

const SEEDS = Array.from({ length: 30 }, (_, seed) => seed)

test.each(SEEDS)('the findings about the tables of seed %d are those of all inputs', (seed) => {
  const given = tables(seededRandom(seed))
  const ruleset = rulesetWith(given)
  const seen = seenOf(ruleset)
  const { findings, questions } = analyze(ruleset, { domain: DOMAIN })
  expect(questions.unknown).toBe(0)
  const placesOf = (...kinds: readonly string[]) =>
    findings
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ place, code = place }) => code)
      .toSorted()
  const never = (beginning: string, keys: readonly string[]) => keys.filter((key) => !seen.has(beginning + key))
  const rows = [...given.first.keys()].map((index) => `d ${index}`)
  if (seen.has('step e')) rows.push(...[...given.second.keys()].map((index) => `e ${index}`))
  expect(placesOf('dead_branch', 'shadowed')).toEqual(
    never('taken ', rows)
      .map((row) => `/steps/${row.replace(' ', '/branches/')}`)
      .toSorted(),
  )
  expect(placesOf('unreachable_step')).toEqual(
    never('step ', [...ruleset.steps.keys()])
      .map((step) => `/steps/${step}`)
      .toSorted(),
  )
  expect(placesOf('unreachable_code')).toEqual(never('step ', ['N', 'X', 'Y', 'Z']))
  expect(placesOf('gap')).toEqual(seen.has('gap e') ? ['/steps/e'] : [])
  for (const { kind, place, by = [] } of findings.filter((one) => one.place.startsWith('/steps/d/branches/'))) {
    const taken = INPUTS.filter((input) => holds(given.first[indexOf(place)]?.[0] ?? '', input))
    const isCovered = (places: readonly string[]) =>
      taken.every((input) => places.some((one) => holds(given.first[indexOf(one)]?.[0] ?? '', input)))
    if (kind === 'dead_branch') expect(taken).toEqual([])
    if (kind === 'always_true') expect(taken).toEqual(INPUTS)
    if (kind !== 'shadowed') continue
    expect(isCovered(by)).toBe(true)
    // Bounds of sums are not always exact: a row that is never true by itself may count as shadowed.
    if (given.first.some(([text]) => text.includes('+'))) continue
    for (const one of by) expect(isCovered(by.filter((other) => other !== one))).toBe(false)
  }
})

test.each(SEEDS)('the regions between two versions of the tables of seed %d are those of all inputs', (seed) => {
  const random = seededRandom(seed)
  const old = tables(random)
  const at = inRange(random, 0, old.first.length - 1)
  const young = { ...old, first: old.first.with(at, [condition(random), 'e', { v: '1' }]) }
  const [before, after] = [rulesetWith(old), rulesetWith(young)]
  const endsOf = (ruleset: Ruleset) => {
    const follower = new Follower(ruleset)
    return INPUTS.map((input) => {
      const { side } = follower.follow(input)
      return side !== undefined && 'code' in side ? side.code : 'no-branch'
    })
  }
  const [from, to] = [endsOf(before), endsOf(after)]
  const { regions, verdict } = diff(before, after, { domain: DOMAIN })
  expect(verdict).toBe(from.join() === to.join() ? 'equivalent' : 'different')
  const match = new RegionMatch(regions.map((region) => region.condition))
  const nameOf = (side: (typeof regions)[number]['before']) => ('code' in side ? side.code : side.error.code)
  const names = regions.map((region) => `${nameOf(region.before)} > ${nameOf(region.after)}`)
  for (const { complete } of regions) expect(complete).toBe(true)
  for (const [index, input] of INPUTS.entries()) {
    const region = match.regionOf(input)
    const change = from[index] === to[index] ? undefined : `${from[index]} > ${to[index]}`
    expect(region === undefined ? undefined : names[region], JSON.stringify(input)).toBe(change)
  }
})
