import { afterAll, expect, test } from 'vitest'
import { IS_FULL_RUN } from '../cases.testing.ts'
import { killAll } from '../engine-server.testing.ts'
import { faultRun } from './fault-run.testing.ts'
import { killAllNats } from './nats.testing.ts'

/**
 * `FAULT_SEEDS=50 FAULT_WRITES=1000 npx vitest run tests/sync/faults.test.ts` makes the long run and prints its findings;
 * `FAULT_FIRST` is the first seed.
 */
const { FAULT_SEEDS = '1', FAULT_WRITES = IS_FULL_RUN ? '250' : '150', FAULT_FIRST = '1' } = process.env
const seeds = Array.from({ length: Number(FAULT_SEEDS) }, (_, index) => Number(FAULT_FIRST) + index)

afterAll(async () => {
  await killAll()
  await killAllNats()
})

test.each(seeds)(
  'whatever fails, readers converge to the writer, nothing acknowledged is lost, and no state is invented (seed %i)',
  async (seed) => {
    const run = await faultRun(seed, Number(FAULT_WRITES))
    const { acknowledged, unanswered, reads, healedMs, faults, late } = run
    console.log(
      `seed ${seed}: ${acknowledged} acknowledged, ${unanswered} unanswered, ${reads} reads, alike after ${healedMs} ms, ${JSON.stringify(faults)}\n${late}`,
    )
    expect(run.violations).toEqual([])
    expect(acknowledged).toBeGreaterThan(Number(FAULT_WRITES) / 3)
    expect(reads).toBeGreaterThan(0)
  },
  300_000,
)
