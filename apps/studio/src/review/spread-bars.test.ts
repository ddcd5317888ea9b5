import { expect, test } from 'vitest'
import { spreadBars } from './spread-bars.ts'

const words = { change: (change: number) => String(change), same: 'same', less: 'less', more: 'more' }
const bars = (count: number, spread: readonly (readonly [change: number, count: number])[]) =>
  spreadBars({ count, spread: spread.map(([change, times]) => ({ change, count: times })) }, words).map(
    ({ name, count: times }) => [name, times],
  )

test('bars ascend by change, with what does not change between them', () => {
  expect(
    bars(20, [
      [-1.5, 8],
      [2, 3],
    ]),
  ).toEqual([
    ['-1.5', 8],
    ['same', 9],
    ['2', 3],
  ])
})

test('of many changes the rare ones are one bar on each side', () => {
  expect(
    bars(100, [
      [-9, 1],
      [-3, 10],
      [-2, 11],
      [1, 12],
      [2, 13],
      [3, 2],
      [4, 3],
    ]),
  ).toEqual([
    ['less', 1],
    ['-3', 10],
    ['-2', 11],
    ['same', 48],
    ['1', 12],
    ['2', 13],
    ['more', 5],
  ])
})

test('a release of an earlier version has no spread', () => {
  expect(spreadBars({ count: 4 }, words)).toEqual([{ name: 'same', count: 4, isSame: true }])
})
