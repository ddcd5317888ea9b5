import { describe, expect, test } from 'vitest'
import { masked, moved, nextStage, stageFields, stagesOf } from './canary-values.ts'

test('stages are the same after the form', () => {
  const stages = [
    { percent: 5, duration_s: 1800, min_requests: 200 },
    { percent: 25, duration_s: 90 },
  ]
  expect(stageFields(stages)).toEqual([
    { percent: '5', minutes: '30', requests: '200' },
    { percent: '25', minutes: '1.5', requests: '' },
  ])
  expect(stagesOf(stageFields(stages))).toEqual(stages)
})

test('the next stage has twice the share, at most half of all requests', () => {
  expect(nextStage([]).percent).toBe('5')
  expect(nextStage([{ percent: '5', minutes: '10', requests: '' }])).toEqual({
    percent: '10',
    minutes: '10',
    requests: '',
  })
  expect(nextStage([{ percent: '40', minutes: '10', requests: '' }]).percent).toBe('50')
})

describe('a masked input', () => {
  test.each<[string, unknown, readonly string[], unknown]>([
    ['of a member', { a: 1, b: 2 }, ['b'], { a: 1, b: '***' }],
    ['within a member', { a: { b: 'x', c: 1 } }, ['a.b'], { a: { b: '***', c: 1 } }],
    [
      'in each item of a list',
      { items: [{ note: 'x' }, { note: 'y' }] },
      ['items.note'],
      { items: [{ note: '***' }, { note: '***' }] },
    ],
    ['without the member', { a: 1 }, ['b', 'a.c'], { a: 1 }],
  ])('%s', (_title, input, paths, expected) => {
    expect(masked(input, paths)).toEqual(expected)
  })
})

test.each([
  [0, 1, ['b', 'a', 'c']],
  [2, -2, ['c', 'a', 'b']],
  [2, 1, ['a', 'b', 'c']],
])('the item at %i moves by %i', (from, by, expected) => {
  expect(moved(['a', 'b', 'c'], from, by)).toEqual(expected)
})
