import {
  ALPHA,
  type Changing,
  EXPECTED_CHANGES,
  isHeld,
  OTHER_CHANGES,
  PART_OF_CODES,
} from '../../packages/canary/src/expected.testing.ts'
import { type Ended, rollout, type Scenario } from '../../packages/canary/src/simulation.testing.ts'
import { seededRandom } from '../../packages/ruleset/src/random.testing.ts'
import { table } from '../measure.ts'

/** Runs a cell, and the seed of all. */
const [RUNS, SEED] = [2000, 1] as const
const SHARES = [0.01, 0.1, 0.5] as const
const BASES = [0.001, 0.01, 0.05, 0.3] as const
const POINT = 0.01

const random = seededRandom(SEED)
const percent = (share: number, digits = 2) => `${(share * 100).toFixed(digits)} %`
const BASE: Scenario = { share: 0.1, stable: 0.01, canary: 0.01, requests: 100_000, look: 500, alpha: 0.01 }

/** How often the test of a canary is wrong, and how soon it is right, on simulated traffic. */
export function canary(): void {
  console.log(`${RUNS} runs a cell, seed ${SEED}. Rolled back although both sides are alike, at alpha 1 %:\n`)
  table(
    ['errors of both', ...SHARES.map((share) => `share ${percent(share, 0)}`)],
    [
      ...BASES.map((base) => falseRow(percent(base, 1), { stable: base, canary: base, swing: 0.8, others: true })),
      falseRow('0.5 % of 20,000 keys always fail', { stable: 0, canary: 0, failing: { keys: 20_000, share: 0.005 } }),
      falseRow('the same, and 1 % of requests', { failing: { keys: 20_000, share: 0.005 } }),
    ],
  )
  console.log('\nOne point more errors at 10 % of the traffic, rolled back within 20,000 requests:\n')
  table(
    ['errors of the control', 'alpha 1 %', 'alpha 5 %', 'requests until then, alpha 5 %, p50 / p95'],
    [0, 0.001, 0.005, 0.01, 0.02, 0.05].map(foundRow),
  )
  console.log('\nA good candidate (0.5 %) next to a bad control (5 %), 10 % of 20,000 requests:\n')
  const ends = endsOf({ ...BASE, requests: 20_000, stable: 0.05, canary: 0.005 })
  table(['promoted', 'rolled back'], [[percent(shareOf(ends, 'promote')), percent(shareOf(ends, 'rollback'))]])
  console.log(`\nHeld because of its codes, of ${percent(ALPHA * PART_OF_CODES, 0)} that are accepted:\n`)
  expectedChanges()
}

/** How often expected changes of results hold a stage, and how often others do. */
function expectedChanges(): void {
  const own = seededRandom(SEED)
  const heldOf = (changing: Changing) =>
    Array.from({ length: RUNS }, () => isHeld(own, changing, ALPHA)).filter(Boolean).length / RUNS
  table(
    ['results change', 'held'],
    [...EXPECTED_CHANGES, ...OTHER_CHANGES].map(([words, changing]) => [words, percent(heldOf(changing), 1)]),
  )
}

const endsOf = (scenario: Scenario) => Array.from({ length: RUNS }, () => rollout(random, scenario))
const shareOf = (ends: readonly Ended[], decision: Ended['decision']) =>
  ends.filter((end) => end.decision === decision).length / ends.length

const falseRow = (name: string, scenario: Partial<Scenario>): readonly string[] => [
  name,
  ...SHARES.map((share) => percent(shareOf(endsOf({ ...BASE, ...scenario, share }), 'rollback'))),
]

function foundRow(base: number): readonly string[] {
  const scenario = { ...BASE, requests: 20_000, stable: base, canary: base + POINT }
  const usual = endsOf(scenario)
  const brave = endsOf({ ...scenario, alpha: 0.05 })
  const at = brave
    .filter(({ decision }) => decision === 'rollback')
    .map(({ requests }) => requests)
    .toSorted((left, right) => left - right)
  const quantile = (share: number) => (at[Math.floor(share * at.length)] ?? Number.NaN).toLocaleString('en')
  const found = [usual, brave].map((ends) => percent(shareOf(ends, 'rollback'), 1))
  return [percent(base, 1), ...found, `${quantile(0.5)} / ${quantile(0.95)}`]
}
