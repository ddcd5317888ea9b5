import { afterAll, expect, test } from 'vitest'
import { killAll } from '../engine-server.testing.ts'
import { clusterRun, FAULT_NAMES } from './cluster-rounds.testing.ts'
import { killAllNats } from './nats.testing.ts'

/**
 * The short form of `npm run bench -- sync-faults`, which makes 40 rounds of all faults. That a server dies is in
 * `cluster.test.ts`: on a machine that is busy with other tests the remaining two take too long to elect leaders.
 */
const SHORT = ['bucket deleted', 'stream deleted', 'the writer killed with changes in its outbox']

afterAll(async () => {
  await killAll()
  await killAllNats()
})

test('on three real servers no acknowledged change is lost, and no reader goes backwards', async () => {
  const faults = SHORT.map((fault) => FAULT_NAMES.indexOf(fault))
  expect(faults).not.toContain(-1)
  const { rounds, acknowledged, reads, violations, failures } = await clusterRun({ faults, seed: 2, told: () => {} })
  expect([violations, failures]).toEqual([[], []])
  expect(rounds.map(({ fault }) => fault)).toEqual(SHORT)
  expect(Math.min(acknowledged, reads)).toBeGreaterThan(SHORT.length)
}, 300_000)
