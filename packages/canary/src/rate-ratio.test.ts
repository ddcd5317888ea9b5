import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../ruleset/src/random.testing.ts'
import { rateRatio } from './rate-ratio.ts'

describe('the ratio of rates', () => {
  test.each([
    { title: 'no event', canary: 0, stable: 0, estimate: null, low: 0, high: null },
    { title: 'an event of the candidate alone', canary: 1, stable: 0, estimate: null, low: 0, high: null },
    { title: 'events in proportion to the share', canary: 100, stable: 900, estimate: 1 },
    { title: 'three times as many events', canary: 300, stable: 900, estimate: 3 },
    { title: 'no event of the candidate among many', canary: 0, stable: 900, estimate: 0, low: 0 },
  ])('of $title', ({ title: _, canary, stable, ...expected }) => {
    expect(rateRatio([{ share: 0.1, canary, stable }])).toMatchObject(expected)
  })

  test('has bounds around it that become closer with more events', () => {
    const widths = [10, 100, 1000].map((events) => {
      const { low, high, estimate } = rateRatio([{ share: 0.5, canary: events, stable: events }])
      expect(estimate).toBe(1)
      expect(low).toBeLessThan(1)
      expect(high).toBeGreaterThan(1)
      return (high ?? Infinity) / low
    })
    expect(widths).toEqual(widths.toSorted((one, other) => other - one))
    expect(widths[2]).toBeLessThan(1.5)
  })

  test('adds up over stages of different shares', () => {
    const stages = [
      { share: 0.05, canary: 10, stable: 95 },
      { share: 0.5, canary: 200, stable: 100 },
    ]
    const { estimate, low, high } = rateRatio(stages)
    expect(estimate).toBeCloseTo((9.5 + 100) / (4.75 + 50), 10)
    expect(low).toBeGreaterThan(1.3)
    expect(high).toBeLessThan(3)
  })

  test.each([0.5, 1, 2])('is within the bounds at all looks in 95 %% of the rollouts, where it is %d', (ratio) => {
    const random = seededRandom(17)
    const share = 0.2
    const mine = (ratio * share) / (ratio * share + 1 - share)
    const rollouts = 100
    let missed = 0
    for (let rollout = 0; rollout < rollouts; rollout++) {
      let [canary, stable] = [0, 0]
      let isMissed = false
      for (let look = 0; look < 6; look++) {
        for (let event = 0; event < 30; event++) {
          if (random() < mine) canary++
          else stable++
        }
        const { low, high } = rateRatio([{ share, canary, stable }])
        isMissed ||= ratio < low || (high !== null && ratio > high)
      }
      if (isMissed) missed++
    }
    expect(missed / rollouts).toBeLessThan(0.05)
  })
})
