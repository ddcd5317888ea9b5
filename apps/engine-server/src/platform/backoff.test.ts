import { describe, expect, test } from 'vitest'
import { createBackoff } from './backoff.ts'

describe('pauses between failed attempts', () => {
  const pauses = (random: number, count: number) => {
    const backoff = createBackoff(() => random)
    return Array.from({ length: count }, () => backoff.next())
  }

  test('double from an eighth of a second to half of five seconds, at least', () => {
    expect(pauses(0, 8)).toEqual([125, 250, 500, 1000, 2000, 2500, 2500, 2500])
  })

  test('are up to twice as long', () => {
    expect(pauses(1, 8)).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000, 5000])
  })

  test('never exceed five seconds, however long a platform is unavailable', () => {
    for (const pause of pauses(1, 5000).slice(5)) expect(pause).toBe(5000)
  })

  test('start over after a success', () => {
    const backoff = createBackoff(() => 0)
    for (let count = 0; count < 100; count++) backoff.next()
    backoff.reset()
    expect([backoff.next(), backoff.next()]).toEqual([125, 250])
  })
})
