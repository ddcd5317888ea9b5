import { expect, test } from 'vitest'
import { countsOf } from './decision-counts.ts'

const MINUTE = 60_000
const at = (index: number) => new Date(index * MINUTE).toISOString()
const point = (index: number, executions: number, errors: number, codes: object) => ({
  at: at(index),
  executions,
  errors,
  codes,
})
const content = (p99: number | null, ...points: readonly object[]) => ({ points, latency_us: { p99 } })
const stats = (environment: string, ...contents: readonly object[]) =>
  ({ environments: [{ environment, contents }] }) as unknown as Parameters<typeof countsOf>[0][number]
const TIMES = [0, 1, 2].map((index) => index * MINUTE)

test('counts of rulesets and contents are summed by time, of one environment alone', () => {
  const counts = countsOf(
    [
      stats('prod', content(20, point(1, 10, 1, { OK: 7, NO: 2 })), content(50, point(1, 2, 0, { OK: 2 }))),
      stats('prod', content(null, point(2, 4, 0, { NO: 4 }))),
      stats('dev', content(900, point(0, 99, 99, { OK: 99 }))),
    ],
    'prod',
    TIMES,
  )
  expect(counts).toEqual({
    executions: [0, 12, 4],
    errors: [0, 1, 0],
    codes: [
      { code: 'OK', values: [0, 9, 0], total: 9 },
      { code: 'NO', values: [0, 2, 4], total: 6 },
    ],
    total: 16,
    failed: 1,
    p99: 50,
    first: 1,
  })
})

test('without decisions all is 0, and nothing is first', () => {
  expect(countsOf([], 'prod', TIMES)).toMatchObject({ executions: [0, 0, 0], total: 0, p99: null, first: -1 })
})

test('points outside of the times are left out', () => {
  expect(countsOf([stats('prod', content(1, point(9, 5, 0, {})))], 'prod', TIMES).total).toBe(0)
})
