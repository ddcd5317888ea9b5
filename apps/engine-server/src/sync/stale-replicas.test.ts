import { expect, test } from 'vitest'
import { memoryLog } from '../../../../packages/process/src/log.testing.ts'
import { StaleReplicas } from './stale-replicas.ts'

test('a replica is reported once when it has lagged for a minute, and once when it has caught up', () => {
  let now = 0
  const { log, lines } = memoryLog()
  const replicas = new StaleReplicas(log, () => now)
  const counts: number[] = []
  for (const [time, stale] of [
    [0, ['a']],
    [59_999, ['a', 'b']],
    [60_000, ['a', 'b']],
    [100_000, ['a', 'b']],
    // Another minute begins for a replica that had caught up.
    [110_000, ['a']],
    [119_999, ['a', 'b']],
    [120_000, ['a', 'b']],
    [130_000, ['b']],
    [179_999, ['b']],
    [180_000, []],
  ] as const) {
    now = time
    replicas.update(stale)
    counts.push(replicas.count)
  }
  expect(counts).toEqual([0, 0, 1, 1, 1, 1, 1, 0, 1, 0])
  expect(lines.map(([level, fields]) => [level, fields])).toEqual([
    ['warn', { replica: 'a' }],
    ['info', { replica: 'a' }],
    ['warn', { replica: 'b' }],
    ['info', { replica: 'b' }],
  ])
})
