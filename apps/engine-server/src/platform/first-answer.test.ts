import { describe, expect, test } from 'vitest'
import { createFirstAnswer } from './first-answer.ts'

describe('readiness before the first answer of the platform', () => {
  let now = 0
  const begin = (limitMs: number) => {
    now = 1000
    return createFirstAnswer(limitMs, () => now)
  }

  test('waits until the answer is applied, and never again', () => {
    const first = begin(5000)
    expect([first.isApplied, first.refusal()]).toEqual([false, expect.stringContaining('--platform-ready-secs')])
    first.markApplied()
    expect([first.isApplied, first.refusal()]).toEqual([true, undefined])
  })

  test('waits at most for the limit', () => {
    const first = begin(5000)
    now = 5999
    expect(first.refusal()).toBeDefined()
    now = 6000
    expect([first.isApplied, first.refusal()]).toEqual([false, undefined])
  })

  test('does not wait with the limit 0', () => {
    expect(begin(0).refusal()).toBeUndefined()
  })
})
