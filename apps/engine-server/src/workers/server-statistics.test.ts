import { type ContentStatistics, DURATION_BOUNDS } from '@engine/api'
import { expect, test } from 'vitest'
import { createServerStatistics } from './server-statistics.ts'

const counts = Array.from({ length: DURATION_BOUNDS.length + 1 }, () => 0)
const row = (name: string, ok: number): ContentStatistics => ({
  tenant: null,
  name,
  digest: 'd',
  ok,
  error: 0,
  codes: {},
  duration: { counts, sum_seconds: 0 },
})

test('executions of all processes are added up, those of late and of ended workers as they were last told', async () => {
  let says: [worker: number, rows: readonly ContentStatistics[]][] = [
    [1, [row('a', 1)]],
    [2, [row('a', 10), row('b', 5)]],
  ]
  const statistics = createServerStatistics(async (_milliseconds, heard) => {
    for (const [worker, rows] of says) heard(worker, JSON.stringify(rows))
  })
  const totals = async () => (await statistics.rows([row('a', 100)])).map(({ name, ok }) => `${name} ${ok}`).toSorted()
  expect(await totals()).toEqual(['a 111', 'b 5'])
  says = [[1, [row('a', 3)]]]
  expect(await totals()).toEqual(['a 113', 'b 5'])
  statistics.ended(2)
  statistics.ended(3)
  expect(await totals()).toEqual(['a 113', 'b 5'])
  // Its successor counts from zero.
  says.push([2, [row('a', 1)]])
  expect(await totals()).toEqual(['a 114', 'b 5'])
  statistics.ended(2)
  says.pop()
  expect(await totals()).toEqual(['a 114', 'b 5'])
})
