import { decodeRuleset, type Ruleset } from '@engine/ruleset'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { casesOfProperty } from '../../../tests/cases.testing.ts'
import { RegionMatch } from './region-match.ts'
import { addReplayed, replay } from './replay.ts'

/** Prices by weight: heavier than `limit` costs `heavy`. */
function pricing(limit: number, heavy: string): Ruleset {
  const priced = (id: string, price: string) => ({
    id,
    type: 'terminal',
    result: { code: 'PRICED', message: '', output: [['price', price]] },
  })
  const decoded = decodeRuleset({
    config: { name: 'price', entry_step: 'weigh' },
    steps: {
      weigh: {
        id: 'weigh',
        type: 'decision',
        branches: [{ condition: `weight > ${limit}`, next_step: 'heavy' }],
        default_next: 'light',
      },
      heavy: priced('heavy', heavy),
      light: priced('light', '5'),
    },
  })
  if (decoded.ruleset === undefined) throw new Error(JSON.stringify(decoded))
  return decoded.ruleset
}

const records = (weights: readonly number[]) => weights.map((weight) => ({ input: { weight } }))

test('a spread counts decisions by change, ascending, without those that do not change', () => {
  const replayed = replay(pricing(10, '9'), pricing(8, '8'), records([1, 9, 9.5, 11, 12, 13]))
  expect(replayed.amounts).toMatchObject([
    {
      output: 'price',
      count: 6,
      spread: [
        { change: -1, count: 3 },
        { change: 3, count: 2 },
      ],
    },
  ])
})

test('changes of a spread have two significant digits', () => {
  const replayed = replay(pricing(0, 'weight'), pricing(0, 'weight * 2'), records([1.234, 1.243, 0.001234]))
  expect(replayed.amounts[0]?.spread).toEqual([
    { change: 0.0012, count: 1 },
    { change: 1.2, count: 2 },
  ])
})

test('parts that were replayed one after the other have the counts and the spread of the whole', () => {
  const [before, after] = [pricing(10, '9'), pricing(8, 'weight')]
  const weights = fc.array(fc.integer({ min: 0, max: 20 }))
  fc.assert(
    fc.property(weights, weights, (one, other) => {
      const parts = addReplayed(replay(before, after, records(one)), replay(before, after, records(other)))
      const whole = replay(before, after, records([...one, ...other]))
      const countsOf = ({ total, replayed, changed, share }: typeof whole) => ({ total, replayed, changed, share })
      expect(countsOf(parts)).toEqual(countsOf(whole))
      expect(parts.amounts[0]?.spread).toEqual(whole.amounts[0]?.spread)
    }),
    casesOfProperty(200),
  )
})

test.each([
  [{ country: 'AT', weight: 3 }, 0],
  [{ country: 'AT', weight: 9 }, 1],
  [{ country: 'DE', weight: 9 }, undefined],
  [{}, undefined],
])('the input %j is in the region %s', (input, region) => {
  const match = new RegionMatch(['country == "AT" && weight <= 5', 'country == "AT"', 'no expression ('])
  expect(match.regionOf(input)).toBe(region)
})
