import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../tests/cases.testing.ts'
import { seededRandom } from '../../ruleset/src/random.testing.ts'
import { type Ended, rollout, type Scenario } from './simulation.testing.ts'

/** `npm run bench -- canary` prints the same at 2,000 runs a cell. */
const RUNS = casesOf(1000)
const random = seededRandom(SEED)

const BASE: Scenario = { share: 0.1, stable: 0.01, canary: 0.01, requests: 20_000, look: 500, alpha: 0.01 }

function shareOf(decision: Ended['decision'], scenario: Scenario): number {
  let count = 0
  for (let run = 0; run < RUNS; run++) if (rollout(random, scenario).decision === decision) count++
  return count / RUNS
}

/** An observed share above this bound, at four standard deviations, cannot be a coincidence. */
const bound = (most: number) => most + 4 * Math.sqrt((most * (1 - most)) / RUNS)

test.each([
  ['seldom errors', { stable: 0.001, canary: 0.001 }],
  ['errors at a swinging rate', { swing: 0.8 }],
  ['many errors', { stable: 0.3, canary: 0.3, share: 0.5 }],
  ['codes and slow answers as well', { others: true }],
  ['keys that always fail', { failing: { keys: 20_000, share: 0.005 } }],
])('false rollbacks are as rare as alpha says: %s', (_, more) => {
  printSeed(RUNS)
  expect(shareOf('rollback', { ...BASE, ...more })).toBeLessThan(bound(0.01))
})

test('one point more errors at a tenth of the traffic are found within 20,000 requests', () => {
  const found = shareOf('rollback', { ...BASE, stable: 0.001, canary: 0.011 })
  expect(1 - found).toBeLessThan(bound(0.05))
})

test('a good candidate is promoted when the control is bad', () => {
  expect(1 - shareOf('promote', { ...BASE, stable: 0.05, canary: 0.005 })).toBeLessThan(bound(0.01))
})
