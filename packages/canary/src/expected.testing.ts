import type { Random } from '../../ruleset/src/random.testing.ts'
import { type ExpectedTransition, FAILED, linkedResults } from './expected.ts'
import { type Sides, type StageCounts, verdictOf } from './verdict.ts'

/** Requests for which the candidate changes some results. */
export interface Changing {
  readonly expected: readonly ExpectedTransition[]
  /** Results of the live version with their probabilities. */
  readonly results: Readonly<Record<string, number>>
  /** The share of the requests with one result that get another one from the candidate. */
  readonly changes: readonly { readonly from: string; readonly to: string; readonly share: number }[]
  /** Keys of the requests: an integer has the result and the change by the key; absent: each request is a unit. */
  readonly keys?: { readonly count: number; readonly decide: boolean }
}

const [SHARE, REQUESTS, LOOK] = [0.25, 3000, 150] as const
const NONE: Sides = { canary: 0, stable: 0 }

/** True if a stage is held at any look because of its codes. */
export function isHeld(random: Random, changing: Changing, alpha: number): boolean {
  const groups = linkedResults(changing.expected)
  const seen = new Set<string>()
  const seed = Math.floor(random() * 2 ** 30)
  const sidesOfKeys = new Map<number, keyof Sides>()
  const counts = new Map<string, Sides>()
  const count = (side: keyof Sides, key: number | undefined, event: string) => {
    if (key !== undefined && seen.has(`${key} ${event}`)) return
    if (key !== undefined) seen.add(`${key} ${event}`)
    const sides = counts.get(event) ?? NONE
    counts.set(event, { ...sides, [side]: sides[side] + 1 })
  }
  const newSide = (): keyof Sides => (random() < SHARE ? 'canary' : 'stable')
  for (let request = 1; request <= REQUESTS; request++) {
    const key = changing.keys && Math.floor(random() * changing.keys.count)
    const side = key === undefined ? newSide() : sidesOfKeys.getOrInsertComputed(key, newSide)
    const isOfKey = key !== undefined && changing.keys?.decide === true
    const chance = (salt: number) => (isOfKey ? fractionOf(key, seed + salt) : random())
    const before = resultAt(changing.results, chance(1))
    const result = side === 'canary' ? changed(changing, before, chance(2)) : before
    count(side, key, result)
    for (const [index, group] of groups.entries()) if (group.includes(result)) count(side, key, `group ${index}`)
    if (request % LOOK > 0) continue
    const { decision } = verdictOf([stageOf(counts, groups.length)], RULE(alpha), changing.expected)
    if (decision === 'hold') return true
  }
  return false
}

const RULE = (alpha: number) => ({ alpha, stages: 1, minRequests: 0, time: 'running', onInconclusive: 'hold' }) as const

function stageOf(counts: ReadonlyMap<string, Sides>, groups: number): StageCounts {
  const codes = new Map([...counts].filter(([event]) => event !== FAILED && !event.startsWith('group ')))
  return {
    share: SHARE,
    requests: NONE,
    // Errors alone would roll back.
    errors: counts.get(FAILED) ?? NONE,
    slow: NONE,
    codes,
    groups: new Map(Array.from({ length: groups }, (_, index) => [index, counts.get(`group ${index}`) ?? NONE])),
  }
}

function resultAt(results: Changing['results'], at: number): string {
  let left = at
  for (const [result, probability] of Object.entries(results)) {
    left -= probability
    if (left < 0) return result
  }
  return Object.keys(results)[0] ?? FAILED
}

function changed({ changes }: Changing, before: string, at: number): string {
  let left = at
  for (const { from, to, share } of changes) {
    if (from !== before) continue
    left -= share
    if (left < 0) return to
  }
  return before
}

/** A number from 0 to 1 that a key has throughout a run. */
function fractionOf(key: number, salt: number): number {
  const mixed = Math.imul(Math.imul(key + 1, 0x9e37_79b1) ^ Math.imul(salt, 0x85eb_ca6b), 0xc2b2_ae35)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
}

/** The accepted rate of false alarms, and the part of it that codes have. */
export const [ALPHA, PART_OF_CODES] = [0.25, 0.2] as const

const RESULTS = { PRICED: 0.6, REQUEST: 0.2, NONE: 0.15, [FAILED]: 0.05 }
const ONE = [{ from: 'PRICED', to: 'NONE' }]
const A_THIRD = [{ from: 'PRICED', to: 'NONE', share: 0.3 }]
const CHAIN = [
  { from: 'PRICED', to: 'REQUEST', share: 0.2 },
  { from: 'REQUEST', to: 'NONE', share: 0.5 },
]
const TWO = [
  { from: 'PRICED', to: 'NONE' },
  { from: 'REQUEST', to: 'OTHER' },
]

/** Changes that hold no stage, in words after “results change”. */
export const EXPECTED_CHANGES: readonly (readonly [words: string, changing: Changing])[] = [
  ['as expected', { expected: ONE, results: RESULTS, changes: A_THIRD }],
  ['by exactly its limit', { expected: A_THIRD, results: RESULTS, changes: A_THIRD }],
  [
    'as expected, keys with several results',
    { expected: ONE, results: RESULTS, changes: A_THIRD, keys: { count: 600, decide: false } },
  ],
  [
    'by exactly its limit of the keys',
    { expected: A_THIRD, results: RESULTS, changes: A_THIRD, keys: { count: 2000, decide: true } },
  ],
  ['along a chain', { expected: CHAIN, results: RESULTS, changes: CHAIN }],
  [
    'from failures',
    {
      expected: [{ from: FAILED, to: 'PRICED' }],
      results: RESULTS,
      changes: [{ from: FAILED, to: 'PRICED', share: 1 }],
    },
  ],
  ['in no way', { expected: ONE, results: RESULTS, changes: [] }],
]

/** Changes that do. */
export const OTHER_CHANGES: readonly (readonly [words: string, changing: Changing])[] = [
  ['beyond its limit', { expected: [{ from: 'PRICED', to: 'NONE', share: 0.05 }], results: RESULTS, changes: A_THIRD }],
  [
    'in the other direction',
    { expected: ONE, results: RESULTS, changes: [{ from: 'NONE', to: 'PRICED', share: 0.8 }] },
  ],
  ['from another code', { expected: ONE, results: RESULTS, changes: [{ from: 'REQUEST', to: 'NONE', share: 0.7 }] }],
  ['to another code', { expected: ONE, results: RESULTS, changes: [{ from: 'PRICED', to: 'OTHER', share: 0.2 }] }],
  [
    'from one group to another',
    { expected: TWO, results: RESULTS, changes: [{ from: 'REQUEST', to: 'NONE', share: 0.6 }] },
  ],
]
