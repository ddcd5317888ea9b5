import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { measureJson } from './size.ts'
import { CountedBudget } from '../budget.ts'
import type { Value } from '../value.ts'
import { masked, maskNames, maskAt, maskOf } from './mask.ts'
import { jsonValue, stringifyJson } from './json.ts'

const shown = (value: Value, ...paths: readonly string[]) => masked(value, maskOf(paths), 10_000)?.value

test('the names of a path are what is left without its brackets', () => {
  const path = fc.string({ unit: fc.constantFrom('[', ']', '.', 'a'), maxLength: 40 })
  fc.assert(
    fc.property(path, (text) => {
      expect(maskNames(text)).toEqual(text.replaceAll(/\[[^\]]*\]/g, '').split('.'))
    }),
    { numRuns: 2000 },
  )
})

describe('a mask', () => {
  test.each<[string, Value, readonly string[], Value]>([
    ['nothing', { a: 1 }, [], { a: 1 }],
    ['a member', { a: 1, b: 2 }, ['a'], { a: '***', b: 2 }],
    ['a path', { a: { b: 'x', c: 'y' } }, ['a.b'], { a: { b: '***', c: 'y' } }],
    ['a whole object, whatever else is masked in it', { a: { b: 'x' } }, ['a.b', 'a'], { a: '***' }],
    ['null and empty values too', { a: null, b: [], c: '' }, ['a', 'b', 'c'], { a: '***', b: '***', c: '***' }],
    ['each item of a list', { a: [{ b: 1, c: 2 }, { b: 3 }] }, ['a.b'], { a: [{ b: '***', c: 2 }, { b: '***' }] }],
    ['lists of lists', { a: [[{ b: 1 }]] }, ['a.b'], { a: [[{ b: '***' }]] }],
    [
      'all items, where an index is named',
      { a: [{ b: 1 }, { b: 2 }] },
      ['a[0].b'],
      { a: [{ b: '***' }, { b: '***' }] },
    ],
    ['a member whose name has dots', { 'a.b': 1 }, ['a.b'], { 'a.b': '***' }],
    ['an absent member', { b: 1 }, ['a.b.c', 'b.c'], { b: 1 }],
    ['exact integers', { a: 12345678901234567890n }, [], { a: 12345678901234567890n }],
  ])('of %s', (_of, value, paths, expected) => {
    expect(shown(value, ...paths)).toEqual(expected)
  })

  test('of a member named as a part of the language', () => {
    const value = jsonValue('{"__proto__":{"secret":1,"open":2}}')
    const copy = shown(value, '__proto__.secret')
    expect(stringifyJson(copy as Value)).toBe('{"__proto__":{"secret":"***","open":2}}')
  })

  test('refuses what is too large or too deep, without reading all of it', () => {
    expect(masked('x'.repeat(100), maskOf([]), 50)).toBeUndefined()
    expect(masked({ a: 'x'.repeat(100) }, maskOf(['a']), 50)?.value).toEqual({ a: '***' })
    let touched = 0
    const items = new Proxy(
      Array.from({ length: 1_000_000 }, () => 1),
      {
        get(target, key) {
          touched++
          return Reflect.get(target, key) as unknown
        },
      },
    )
    expect(masked(items, maskOf([]), 1000)).toBeUndefined()
    expect(touched).toBeLessThan(1000)
    let deep: Value = 1
    for (let level = 0; level < 2000; level++) deep = [deep]
    expect(masked(deep, maskOf([]), 100_000)).toBeUndefined()
  })

  const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Value>

  test('of no path gives an equal value, and a size that is about that of its text', () => {
    fc.assert(
      fc.property(json, (value) => {
        const copy = masked(value, maskOf([]), 1_000_000)
        expect(copy?.value).toEqual(value)
        const measured = measureJson(new CountedBudget(1_000_000), value, 1_000_000) ?? 0
        expect(copy?.size).toBeGreaterThanOrEqual(measured - 2)
      }),
    )
  })

  test('lets no value through below the paths that it names', () => {
    const key = fc.constantFrom('a', 'b', 'c')
    const path = fc.array(key, { minLength: 1, maxLength: 3 })
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.constant('secret'),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 3 }),
      ),
    }))
    fc.assert(
      fc.property(tree, path, (value, parts) => {
        const copy = shown(value as Value, parts.join('.'))
        expect(valuesAt(copy as Value, parts).filter((one) => one !== '***')).toEqual([])
      }),
    )
  })
})

/** The values of a path, through lists. */
function valuesAt(value: Value, [part, ...rest]: readonly string[]): readonly Value[] {
  if (Array.isArray(value))
    return (value as readonly Value[]).flatMap((item) => valuesAt(item, part === undefined ? [] : [part, ...rest]))
  if (part === undefined) return [value]
  if (value === null || typeof value !== 'object') return []
  const member = (value as { readonly [key: string]: Value })[part]
  return member === undefined ? [] : rest.length === 0 ? [member] : valuesAt(member, rest)
}

test('a mask applies at the named places alone, also where one is below another', () => {
  const mask = maskAt([['a'], ['b', 'c'], ['b', 'd']], maskOf(['x']))
  const value = { x: 1, a: { x: 1 }, b: { x: 1, c: { x: 1 }, d: [{ x: 1, y: 2 }] } }
  expect(masked([value], mask, 1000)?.value).toEqual([
    { x: 1, a: { x: '***' }, b: { x: 1, c: { x: '***' }, d: [{ x: '***', y: 2 }] } },
  ])
})
