import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesOfProperty } from '../../../tests/cases.testing.ts'
import { canonicalText, commitmentOf } from './commitment.ts'
import { commitmentAt, namesOf, replaced, separateFields } from './fields.ts'
import { jsonValue, type ObjectValue, type Value } from '@engine/expression'

describe('separated fields', () => {
  const input = { customer: { id: 'c-1', name: 'A' }, order: { total: 5 }, list: [{ id: 1 }] }

  test('are commitments in a copy of the input', () => {
    const { input: separated, fields } = separateFields(input, ['customer.id', 'order'])
    expect(Object.keys(fields)).toEqual(['customer.id', 'order'])
    expect(fields['customer.id']?.[1]).toBe('"c-1"')
    expect(fields['order']?.[1]).toBe('{"total":5}')
    expect(separated).toEqual({
      customer: { id: { $commitment: expect.any(String) }, name: 'A' },
      order: { $commitment: expect.any(String) },
      list: [{ id: 1 }],
    })
    for (const [path, shown] of Object.entries(fields)) expect(commitmentAt(separated, path)).toBe(commitmentOf(shown))
    expect(input.customer.id).toBe('c-1')
  })

  test.each(['absent', 'customer.absent', 'customer.id.more', 'list.0', 'list.id', 'constructor', 'customer.toString'])(
    'a path that leads nowhere changes nothing: %s',
    (path) => {
      expect(separateFields(input, [path])).toEqual({ input, fields: {} })
    },
  )

  test('equal values have different commitments: a guess proves nothing', () => {
    const { fields, input: separated } = separateFields({ a: 18, b: 18 }, ['a', 'b'])
    expect(commitmentAt(separated, 'a')).not.toBe(commitmentAt(separated, 'b'))
    expect(fields['a']?.[1]).toBe(fields['b']?.[1])
  })

  test('put back, they give the input', () => {
    const name = fc.constantFrom('a', 'b', '__proto__x', 'ü')
    const leaf = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.array(fc.integer(), { maxLength: 2 }))
    const within = (inner: fc.Arbitrary<unknown>) => fc.dictionary(name, fc.oneof(leaf, inner), { maxKeys: 3 })
    const object = within(within(within(leaf)))
    const paths = fc.array(
      fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('.')),
      { maxLength: 3 },
    )
    fc.assert(
      fc.property(object, paths, (value, given) => {
        const apart = given.filter(
          (path, index) => !given.some((other, at) => at !== index && `${path}.`.startsWith(`${other}.`)),
        )
        const { input: separated, fields } = separateFields(value as ObjectValue, apart)
        let whole = separated
        for (const [path, [, text]] of Object.entries(fields)) whole = replaced(whole, namesOf(path), jsonValue(text))
        expect(canonicalText(whole)).toBe(canonicalText(value as Value))
      }),
      casesOfProperty(1000),
    )
  })
})
