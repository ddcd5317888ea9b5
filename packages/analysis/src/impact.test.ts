import { expect, test } from 'vitest'
import { impact } from './impact.ts'
import { decision, rulesetOf } from './reports.testing.ts'

const table = (condition: string, config = {}) => rulesetOf({ d: decision([[condition, 'X']], 'N') }, config)
const [BEFORE, AFTER] = [table('n > 5'), table('n > 7')]

test('without records and requirements, an impact is a comparison', () => {
  const found = impact(BEFORE, AFTER)
  expect(found.diff.regions.map(({ condition }) => condition)).toEqual(['n > 5 && n <= 7'])
  expect(found).toStrictEqual({ diff: found.diff, probes: { asked: 0, changed: 0 }, gates: [] })
})

test('records are replayed, and the comparison begins with them and with other inputs', () => {
  const records = [{ input: { n: 6 } }, { input: { n: 1 } }]
  const {
    diff,
    records: replayed,
    gates,
  } = impact(BEFORE, AFTER, {
    records,
    seeds: [{ n: 6.5 }],
    budget: 0,
    forbid: [{ from: 'X', to: 'N' }],
    maxChanged: 0.4,
  })
  expect(diff.regions.map(({ condition }) => condition)).toEqual(['n == 6.5 || n == 6'])
  expect([replayed?.total, replayed?.changed]).toEqual([2, 1])
  expect(gates).toEqual([
    { gate: 'X->N', verdict: 'refuted', witness: { input: { n: 6.5 } } },
    { gate: 'max-changed 40%', verdict: 'refuted', witness: { input: { n: 6 } } },
  ])
})

test('a comparison begins with the first thousand records', () => {
  const filler = (count: number) => Array.from({ length: count }, () => ({ input: { n: 1 } }))
  const regionsOf = (count: number) =>
    impact(BEFORE, AFTER, { records: [...filler(count), { input: { n: 6 } }], budget: 0 }).diff.regions.length
  expect([regionsOf(999), regionsOf(1000)]).toEqual([1, 0])
})

test('inputs near constants are executed where something is open, until one differs', () => {
  const [doubles, decimals] = [table('n / 3 * 3 == 1'), table('n == 2', { numbers: 'decimal' })]
  const { probes, diff } = impact(doubles, decimals)
  expect(diff.regions.map(({ condition }) => condition)).toEqual(['n == 1'])
  expect(probes.changed).toBe(1)
  expect(probes.asked).toBeGreaterThan(0)
  const [one, other] = ['b', 'c'].map((letter) => table(`is_string(t) && md5(t) == "${letter.repeat(32)}"`))
  expect(one && other && impact(one, other).probes).toEqual({ asked: 3000, changed: 0 })
})

const six = { input: { n: 6 } }
const one = { input: { n: 1 } }
test.each<[records: readonly { input: { n: number } }[] | undefined, share: number, gate: object]>([
  [undefined, 0.07, { gate: 'max-changed 7%', verdict: 'unknown' }],
  [[], 0, { gate: 'max-changed 0%', verdict: 'unknown' }],
  [[one], 0, { gate: 'max-changed 0%', verdict: 'proved' }],
  [[six, one], 0.5, { gate: 'max-changed 50%', verdict: 'proved' }],
  [[one, six, six], 0.5, { gate: 'max-changed 50%', verdict: 'refuted', witness: { input: { n: 6 } } }],
  [[one], 1.234_567_890_123_4e-5, { gate: 'max-changed 0.00123456789012%', verdict: 'proved' }],
])('records %j keep the share %d: %j', (records, maxChanged, gate) => {
  const options = { maxChanged, ...(records !== undefined && { records }) }
  expect(impact(BEFORE, AFTER, options).gates).toStrictEqual([gate])
})
