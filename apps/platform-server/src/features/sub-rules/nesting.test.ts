import { describe, expect, test } from 'vitest'
import { refuseNesting, type Uses } from './nesting.ts'

/** Sub-rules that use each other in this order, the last one none. */
const chain = (...names: readonly string[]): readonly Uses[] =>
  names.map((name, index) => ({ name, uses: names.slice(index + 1, index + 2) }))

const numbered = (count: number, prefix = 's') => Array.from({ length: count }, (_, index) => `${prefix}${index}`)

const code = (others: readonly Uses[], changed: Uses): string | undefined => {
  try {
    refuseNesting(others, changed)
    return undefined
  } catch (error) {
    return (error as { readonly details: readonly { readonly code: string }[] }).details[0]?.code
  }
}

describe('a sub-rule', () => {
  test.each<readonly [string, readonly Uses[], Uses, string | undefined]>([
    ['may use none', [], { name: 'a', uses: [] }, undefined],
    ['may use another twice', chain('b', 'c'), { name: 'a', uses: ['b', 'c'] }, undefined],
    ['may use one that is unknown', [], { name: 'a', uses: ['gone'] }, undefined],
    ['may not use itself', [], { name: 'a', uses: ['a'] }, 'cycle'],
    ['may not use itself by another', chain('b', 'c'), { name: 'c', uses: ['b'] }, 'cycle'],
    ['may not use itself behind one that it may use', chain('b', 'a'), { name: 'a', uses: ['c', 'b'] }, 'cycle'],
    ['counts as it will be, not as it was', chain('a', 'b', 'c'), { name: 'c', uses: [] }, undefined],
    ['may end a chain of ten', chain(...numbered(9)), { name: 'a', uses: ['s0'] }, undefined],
    ['may not begin a chain of eleven', chain(...numbered(10)), { name: 'a', uses: ['s0'] }, 'too-deep'],
    [
      'at the end of a chain of ten may use one that is unknown',
      chain(...numbered(10)),
      { name: 's9', uses: ['new'] },
      undefined,
    ],
    [
      'may not make that of another eleven long',
      [...chain(...numbered(10)), { name: 'new', uses: [] }],
      { name: 's9', uses: ['new'] },
      'too-deep',
    ],
    [
      'may be used on two ways of different lengths',
      [...chain(...numbered(9)), { name: 'x', uses: ['s8', 's0'] }],
      { name: 'y', uses: ['s8'] },
      undefined,
    ],
  ])('%s', (_, others, changed, refused) => {
    expect(code(others, changed)).toBe(refused)
  })
})
