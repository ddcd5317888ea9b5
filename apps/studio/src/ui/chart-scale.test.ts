import { describe, expect, test } from 'vitest'
import { filled, largest, rangeOf, sums, ticksTo, timesOf } from './chart-scale.ts'

describe('the scale of a chart', () => {
  test.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [9, [0, 5, 10]],
    [37, [0, 10, 20, 30, 40]],
    [1200, [0, 500, 1000, 1500]],
  ])('reaches %d in round steps', (value, ticks) => {
    expect(ticksTo(value)).toEqual(ticks)
  })

  test('has a step for every time of the span, and 0 where nothing was counted', () => {
    const times = timesOf(90_000, 300_000, 60_000)
    expect(times).toEqual([120_000, 180_000, 240_000, 300_000])
    expect(filled([{ at: new Date(180_000).toISOString(), value: 7 }], times)).toEqual([0, 7, 0, 0])
  })

  test('adds the smallest series up when there are too many', () => {
    const series = [
      { name: 'a', values: [1, 0] },
      { name: 'b', values: [5, 5] },
      { name: 'c', values: [0, 2] },
    ]
    expect(largest(series, 2, 'others')).toEqual([
      { name: 'b', values: [5, 5] },
      { name: 'others', values: [1, 2] },
    ])
    expect(largest(series, 3, 'others').map(({ name }) => name)).toEqual(['b', 'c', 'a'])
  })
})

test('series are summed place by place, a missing value as 0', () => {
  expect(sums([{ values: [1, 2] }, { values: [3] }], 3)).toEqual([4, 2, 0])
})

test.each([
  [1, 3, [1, 3]],
  [3, 1, [1, 3]],
  [-2, 9, [0, 4]],
])('a range from %i to %i lies within the chart', (one, other, expected) => {
  expect(rangeOf(one, other, 5)).toEqual(expected)
})
