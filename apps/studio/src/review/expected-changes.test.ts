import { expect, test } from 'vitest'
import { type ExpectableChange, expectableChanges, expectedOf, limitOf, tickedOf } from './expected-changes.ts'
import type { TargetImpact } from './release-parts.ts'

const code = (name: string) => ({ code: name, message: '', output: {} })
const error = (name: string) => ({ error: { code: name, step: 'x' } })

function impactOf(
  transitions: readonly { readonly from: string; readonly to: string; readonly count: number }[],
  regions: readonly { readonly before: object; readonly after: object }[] = [],
): TargetImpact {
  const codes = [
    { code: 'PRICED', before: 100, after: 90 },
    { code: 'error:NO_MATCH', before: 4, after: 0 },
  ]
  return { diff: { regions }, records: { transitions, codes } } as unknown as TargetImpact
}

test.each<[string, readonly TargetImpact[], readonly ExpectableChange[]]>([
  ['no impact', [], []],
  [
    'recorded changes, with the most decisions first',
    [
      impactOf([
        { from: 'error:NO_MATCH', to: 'PRICED', count: 4 },
        { from: 'PRICED', to: 'NONE', count: 10 },
      ]),
    ],
    [
      { from: 'PRICED', to: 'NONE', count: 10, total: 100 },
      { from: 'error:NO_MATCH', to: 'PRICED', count: 4, total: 4 },
    ],
  ],
  [
    'the same change in two environments',
    [impactOf([{ from: 'PRICED', to: 'NONE', count: 10 }]), impactOf([{ from: 'PRICED', to: 'NONE', count: 3 }])],
    [{ from: 'PRICED', to: 'NONE', count: 13, total: 200 }],
  ],
  [
    'a change that was proved, and never recorded',
    [impactOf([], [{ before: code('PRICED'), after: code('NONE') }])],
    [{ from: 'PRICED', to: 'NONE', count: 0, total: 100 }],
  ],
  [
    'neither the same result nor a failure',
    [impactOf([{ from: 'PRICED', to: 'PRICED', count: 9 }], [{ before: code('PRICED'), after: error('NO_MATCH') }])],
    [],
  ],
])('changes that may be expected: %s', (_, impacts, changes) => {
  expect(expectableChanges(impacts)).toEqual(changes)
})

test.each([
  [10, 100, '18'],
  [6, 6, ''],
  [1, 10_000, '1'],
  [0, 100, ''],
  [3, 0, ''],
])('%d of %d recorded decisions allow at most %s %%', (count, total, limit) => {
  expect(limitOf({ from: 'A', to: 'B', count, total })).toBe(limit)
})

test.each([
  ['18', { share: 0.18 }],
  [' 0.5 ', { share: 0.005 }],
  ['', {}],
  ['100', {}],
  ['0', { share: 0 }],
  ['-1', { share: -0.01 }],
  ['x', { share: Number.NaN }],
])('a limit of "%s" is sent as %o', (limit, sent) => {
  const changes = ['A', 'B'].map((from) => ({ from, to: 'C', count: 1, total: 2 }))
  expect(
    expectedOf(changes, [
      { isOn: false, limit },
      { isOn: true, limit },
    ]),
  ).toEqual([{ from: 'B', to: 'C', ...sent }])
  expect(expectedOf(changes, [])).toEqual([])
})

test('recorded changes are selected with their limits, until the user sets them', () => {
  const changes = [
    { from: 'A', to: 'B', count: 5, total: 100 },
    { from: 'A', to: 'C', count: 0, total: 100 },
  ]
  const given = { isOn: true, limit: '3' }
  expect(tickedOf(changes, {})).toEqual([
    { isOn: true, limit: limitOf(changes[0]!) },
    { isOn: false, limit: '' },
  ])
  expect(tickedOf(changes, { 1: given })[1]).toBe(given)
})
