import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { MASKED, refusals } from './refusals.ts'

const FIELDS = [
  { name: 'n', type: 'number', required: true, maximum: 9 },
  { name: 'card', type: 'number', required: true },
]
const CONTRACT: Value = { mode: 'enforce', contract: { name: 'c', version: '1.0.0', input: { fields: FIELDS } } }
const VALID = { n: 1, card: 1 }
const refused = (...inputs: readonly Value[]) => refusals({ kind: 'refusals', contract: CONTRACT, inputs })

describe('inputs that an engine would refuse', () => {
  test.each<[string, Value, readonly string[]]>([
    ['none of a valid one', VALID, []],
    ['a number beyond its limit', { ...VALID, n: 10 }, ['/input/n']],
    ['a missing field', { card: 1 }, ['/input/n']],
    ['both of two', { n: 10, card: 'x' }, ['/input/n', '/input/card']],
    ['none of a masked value', { ...VALID, card: MASKED }, []],
    ['none of a list of masked values', { ...VALID, card: [MASKED] }, []],
    ['none of an object with a masked value', { ...VALID, card: { a: MASKED } }, []],
    ['one beside a masked value', { n: 10, card: MASKED }, ['/input/n']],
  ])('%s', (_title, input, paths) => {
    const { refused: count, examples } = refused(input)
    expect(count).toBe(paths.length > 0 ? 1 : 0)
    expect(examples.flatMap(({ violations }) => violations.map(({ path }) => path)).toSorted()).toEqual(
      paths.toSorted(),
    )
  })

  test('all are counted, and the first three described by their place', () => {
    const wrong = { ...VALID, n: 10 }
    const { refused: count, examples } = refused(VALID, wrong, wrong, VALID, wrong, wrong)
    expect(count).toBe(4)
    expect(examples.map(({ index }) => index)).toEqual([1, 2, 4])
  })
})
