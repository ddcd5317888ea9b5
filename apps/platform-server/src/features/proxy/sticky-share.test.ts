import { describe, expect, test } from 'vitest'
import { isInShare } from './sticky-share.ts'

const KEYS = 5000
const keys = (shape: (index: number) => string) => Array.from({ length: KEYS }, (_, index) => shape(index))
const shareOf = (list: readonly string[], percent: number, salt = 'rollout') =>
  list.filter((key) => isInShare(salt, key, percent)).length / list.length

describe('a share of keys is even for keys of every shape', () => {
  test.each<[string, (index: number) => string]>([
    ['numbers', (index) => `${index}`],
    ['names with a number', (index) => `user-${index}`],
    ['padded numbers', (index) => `${index}`.padStart(12, '0')],
    ['even numbers', (index) => `${2 * index}`],
  ])('%s', (_, shape) => {
    for (const percent of [1, 10, 50, 90])
      expect(Math.abs(shareOf(keys(shape), percent) - percent / 100)).toBeLessThan(0.03)
  })
})

/**
 * Keys by their position among ten thousand: the first 48 bits of the SHA-256 of `rollout`, a zero byte and the key.
 */
describe('hundredths of a percent count, and nothing finer', () => {
  test.each<[string, place: number, outside: readonly number[], inside: readonly number[]]>([
    ['user-20979', 0, [0, 0.004], [0.005, 0.01, 0.4]],
    ['user-1033', 1, [0.01, 0.014], [0.015, 0.02]],
    ['user-5464', 39, [0.39, 0.394], [0.395, 0.4]],
    ['user-32240', 40, [0.4, 0.404], [0.41, 1]],
    ['user-2612', 4999, [49.99], [50]],
    ['user-7498', 9999, [99, 99.99], [100]],
  ])('%s is at place %d', (key, _, outside, inside) => {
    expect([...outside, ...inside].map((percent) => isInShare('rollout', key, percent))).toEqual([
      ...outside.map(() => false),
      ...inside.map(() => true),
    ])
  })
})

test('no key is in an empty share, and every key is in a full one', () => {
  const list = keys((index) => `${index}`)
  expect([shareOf(list, 0), shareOf(list, 100)]).toEqual([0, 1])
})

test('a key that is in a share stays in it when the share grows', () => {
  const list = keys((index) => `${index}`)
  let inside = new Set<string>()
  for (const percent of [1, 5, 25, 26, 99.99, 100]) {
    const now = new Set(list.filter((key) => isInShare('rollout', key, percent)))
    expect(inside.isSubsetOf(now)).toBe(true)
    inside = now
  }
})

test('shares of two salts are independent of each other', () => {
  const first = keys((index) => `${index}`).filter((key) => isInShare('one', key, 50))
  expect(Math.abs(shareOf(first, 50, 'two') - 0.5)).toBeLessThan(0.04)
})

test('the salt and the key are kept apart', () => {
  const same = keys((index) => `${index}`).filter((key) => isInShare('a', `b${key}`, 50) === isInShare('ab', key, 50))
  expect(same.length).toBeLessThan(0.55 * KEYS)
})
