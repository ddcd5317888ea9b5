import { DURATION_BOUNDS } from '@engine/api'
import { expect, test } from 'vitest'
import { Durations, histogramHead, label } from './duration.ts'
import { boundedLabel, OTHER } from './label-values.ts'

const [first = 0, second = 0] = DURATION_BOUNDS
const last = DURATION_BOUNDS.at(-1) ?? 0

test('a duration is in the first bucket whose bound it does not exceed, and those beyond all in the last', () => {
  const durations = new Durations()
  durations.add(0)
  durations.add(first)
  durations.add(second, 3)
  durations.add(last)
  durations.add(last * 2)
  const counts = DURATION_BOUNDS.map((_bound, index) => [2, 3][index] ?? 0)
  counts[counts.length - 1] = 1
  expect(durations.counts).toEqual([...counts, 1])
  expect(durations.sumSeconds).toBeCloseTo(first + 3 * second + 3 * last)
})

test('the buckets of the exposition format add up, and end with the sum and the count', () => {
  const durations = new Durations()
  durations.add(second, 2)
  durations.add(last * 2)
  const lines = durations.lines('d', label('ruleset', 'a')).split('\n')
  expect(lines.slice(0, 2)).toEqual([`d_bucket{ruleset="a",le="${first}"} 0`, `d_bucket{ruleset="a",le="${second}"} 2`])
  expect(lines.slice(-5)).toEqual([
    `d_bucket{ruleset="a",le="${last}"} 2`,
    'd_bucket{ruleset="a",le="+Inf"} 3',
    `d_sum{ruleset="a"} ${second * 2 + last * 2}`,
    'd_count{ruleset="a"} 3',
    '',
  ])
  expect(new Durations().lines('d', '')).toMatch(/^d_bucket\{le="[^"]+"\} 0\n[^]*d_sum 0\nd_count 0\n$/)
})

test('a label escapes what the format reserves', () => {
  expect(label('name', 'a"b\\c\nd')).toBe(String.raw`name="a\"b\\c\nd",`)
  expect(histogramHead('d', 'Seconds.')).toBe('# HELP d Seconds.\n# TYPE d histogram\n')
})

test('a bounded label keeps its first values and replaces the others', () => {
  const bounded = boundedLabel(2, 3)
  expect(['abcd', 'a', 'abc', 'c', 'a', 'abc'].map(bounded)).toEqual([OTHER, 'a', 'abc', OTHER, 'a', 'abc'])
  expect(['x'.repeat(120), 'x'.repeat(121)].map(boundedLabel(9)).map(({ length }) => length)).toEqual([
    120,
    OTHER.length,
  ])
})
