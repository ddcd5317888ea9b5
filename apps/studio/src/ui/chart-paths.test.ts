import fc from 'fast-check'
import { expect, test } from 'vitest'
import { casesOfProperty } from '../../../../tests/cases.testing.ts'
import { bandOf, barsOf, lineOf, scaleOf, ticksAround } from './chart-paths.ts'

test.each([
  [0, 0, 10],
  [5, 50, 15],
  [10, 100, 20],
])('a scale from 0 to 100 maps %i tenths of a span to its place', (_, value, place) => {
  expect(scaleOf(0, 100, 10, 20)(value)).toBe(place)
})

test('a span without an extent is drawn in the middle', () => expect(scaleOf(3, 3, 0, 10)(3)).toBe(5))

test('a line, a band and bars are one path each', () => {
  const points = [
    [0, 1],
    [2, 3],
  ] as const
  expect(lineOf(points)).toBe('M0.0 1.0L2.0 3.0')
  expect(bandOf(points, points)).toBe('M0.0 1.0L2.0 3.0L2.0 3.0L0.0 1.0Z')
  expect(bandOf([], [])).toBe('')
  expect(barsOf([{ x: 1, y: 2, width: 3, height: 4 }])).toBe('M1.0 2.0h3.0v4.0h-3.0Z')
})

test.each([
  [-0.1, 0.13, [-0.1, 0, 0.1, 0.2]],
  [-2, 6, [-5, 0, 5, 10]],
  [0, 0, [-1, 0, 1]],
  [1.1, 3.5, [0, 2, 4]],
  [-3.5, -1.1, [-4, -2, 0]],
])('the axis of differences from %d to %d', (low, high, ticks) => expect(ticksAround(low, high)).toEqual(ticks))

test('an axis of differences has 0, encloses its values, and has few lines', () => {
  const value = fc.double({ min: -1e6, max: 1e6, noNaN: true }).filter((one) => one === 0 || Math.abs(one) > 1e-6)
  fc.assert(
    fc.property(value, value, (one, other) => {
      const ticks = ticksAround(Math.min(one, other), Math.max(one, other))
      expect(ticks).toContain(0)
      const tolerance = 1e-8 * Math.max(Math.abs(one), Math.abs(other))
      expect(Math.min(...ticks)).toBeLessThanOrEqual(Math.min(one, other) + tolerance)
      expect(Math.max(...ticks)).toBeGreaterThanOrEqual(Math.max(one, other) - tolerance)
      expect(ticks.length).toBeLessThanOrEqual(6)
    }),
    casesOfProperty(500),
  )
})
