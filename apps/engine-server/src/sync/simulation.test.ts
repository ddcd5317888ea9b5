import { afterEach, expect, test, vi } from 'vitest'
import { casesOf } from '../../../../tests/cases.testing.ts'
import { simulate } from './simulation.testing.ts'
import { useVirtualTime } from './virtual-time.testing.ts'

/** `SIMULATIONS=10000 npx vitest run …/simulation.test.ts` makes a long run; `SIMULATION_FIRST` is its first seed. */
const { SIMULATIONS = String(casesOf(60)), SIMULATION_FIRST = '1' } = process.env

afterEach(() => vi.useRealTimers())

test('whatever fails, readers only hold states of the writer, never go back, and converge to its last state', async () => {
  const [first, total] = [Number(SIMULATION_FIRST), Number(SIMULATIONS)]
  let acknowledged = 0
  for (let seed = first; seed < first + total; seed++) {
    // Clocks begin again with each seed, so that a run is the same one whatever ran before it.
    vi.useRealTimers()
    useVirtualTime()
    const run = await simulate(seed)
    acknowledged += run.acknowledged
    expect(run.violations, `SIMULATION_FIRST=${seed} SIMULATIONS=1 shows it again`).toEqual([])
  }
  expect(acknowledged).toBeGreaterThan(total * 10)
}, 3_600_000)
