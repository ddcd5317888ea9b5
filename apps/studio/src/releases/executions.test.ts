import '../api/loaded-client.testing.ts'
import { expect, test } from 'vitest'
import { isRunning } from './executions.ts'

test.each([
  ['draft', false],
  ['pending_approval', false],
  ['approved', false],
  ['executing', true],
  ['paused', true],
  ['rolling_back', true],
  ['completed', false],
  ['failed', false],
  ['cancelled', false],
  ['rejected', false],
  ['rolled_back', false],
] as const)('a release that is %s runs: %s', (status, runs) => {
  expect(isRunning({ status } as Parameters<typeof isRunning>[0])).toBe(runs)
})
