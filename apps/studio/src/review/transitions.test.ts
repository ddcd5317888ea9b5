import fc from 'fast-check'
import { expect, test } from 'vitest'
import { casesOfProperty } from '../../../../tests/cases.testing.ts'
import type { Region, ReplaySummary } from './release-parts.ts'
import { codeOf } from '../releases/results.ts'
import { matrixOf, resultOf, severityOf, transitionsOf } from './transitions.ts'

const witness = { input: {} }
const region = (from: string, to: string): Region => ({
  condition: 'true',
  before: sideOf(from),
  after: sideOf(to),
  witness,
})
const sideOf = (name: string) =>
  name.startsWith('error:') ? { error: { code: name.slice(6), step: 's' } } : { code: name }
const records = (...transitions: ReplaySummary['transitions']): ReplaySummary => ({
  total: 100,
  replayed: 100,
  changed: transitions.reduce((sum, { count }) => sum + count, 0),
  share: 0,
  interval: [0, 1],
  transitions,
  codes: [],
  not_replayed: [],
  amounts: [],
})

test.each([
  ['A', 'error:OVERFLOW', 3],
  ['A', 'B', 2],
  ['error:OVERFLOW', 'A', 1],
  ['error:OVERFLOW', 'error:TYPE', 1],
  ['A', 'A', 0],
  ['error:TYPE', 'error:TYPE', 0],
] as const)('%s to %s has severity %i', (from, to, severity) => {
  expect(severityOf({ from, to })).toBe(severity)
})

test('recorded and possible transitions are one list, the worst first', () => {
  const found = transitionsOf(
    [region('A', 'B'), region('B', 'error:TYPE'), region('A', 'B')],
    records(
      { from: 'A', to: 'A', count: 90, examples: [] },
      { from: 'B', to: 'A', count: 7, examples: [{ x: 1 }] },
      { from: 'A', to: 'B', count: 3, examples: [] },
    ),
    true,
  )
  expect(found.map(({ from, to, count, regions }) => [from, to, count, regions.length])).toEqual([
    ['B', 'error:TYPE', 0, 1],
    ['B', 'A', 7, 0],
    ['A', 'B', 3, 2],
    ['A', 'A', 90, 0],
  ])
  expect(found[1]?.examples).toEqual([{ x: 1 }])
})

test('a failure that no record has follows other codes where no contract bounds the inputs', () => {
  const regions = [region('B', 'error:TYPE'), region('A', 'B'), region('A', 'A')]
  const order = (isBounded: boolean) => transitionsOf(regions, null, isBounded).map(({ from, to }) => `${from} ${to}`)
  expect(order(true)).toEqual(['B error:TYPE', 'A B', 'A A'])
  expect(order(false)).toEqual(['A B', 'B error:TYPE', 'A A'])
})

test('a result is named by its code, or by its error', () => {
  expect(resultOf({ code: 'A' })).toBe('A')
  expect(resultOf({ error: { code: 'TYPE', step: 's' } })).toBe('error:TYPE')
  expect([codeOf('error:TYPE'), codeOf('A')]).toEqual(['TYPE', 'A'])
})

test('without changes and records the matrix is empty', () => {
  expect(matrixOf([], null)).toMatchObject({ results: [], most: 0 })
})

test('the matrix has all recorded results in the order of the contract, and what they keep', () => {
  const counted = {
    codes: [
      { code: 'A', before: 10, after: 4 },
      { code: 'C', before: 5, after: 5 },
      { code: 'error:TYPE', before: 1, after: 1 },
      { code: 'B', before: 0, after: 6 },
      { code: 'D', before: 0, after: 0 },
    ],
  }
  const transition = { from: 'A', to: 'B', count: 6, regions: [], examples: [] }
  const matrix = matrixOf([transition, { ...transition, to: 'A', count: 3 }], counted, ['C', 'B'])
  expect(matrix.results).toEqual(['C', 'B', 'A', 'error:TYPE'])
  expect(matrix.results.map((result) => matrix.kept(result))).toEqual([5, 0, 4, 1])
  expect(matrix.most).toBe(6)
})

test('each transition has one cell of the matrix, and no other cell is filled', () => {
  const name = fc.constantFrom('A', 'B', 'C', 'error:TYPE', 'error:OVERFLOW')
  const counted = fc.record({
    from: name,
    to: name,
    count: fc.nat(50),
    examples: fc.constant<{ [name: string]: unknown }[]>([]),
  })
  const known = fc.uniqueArray(counted, { selector: ({ from, to }) => `${from} ${to}` })
  fc.assert(
    fc.property(fc.array(fc.tuple(name, name)), known, (possible, recorded) => {
      const transitions = transitionsOf(
        possible.map(([from, to]) => region(from, to)),
        records(...recorded),
        true,
      )
      const { results, cell } = matrixOf(transitions, null)
      const filled = results.flatMap((from) => results.flatMap((to) => cell(from, to) ?? []))
      expect(new Set(filled)).toEqual(new Set(transitions))
      expect(filled.reduce((sum, { regions }) => sum + regions.length, 0)).toBe(possible.length)
      expect(filled.reduce((sum, { count }) => sum + count, 0)).toBe(
        recorded.reduce((sum, { count }) => sum + count, 0),
      )
      const severities = transitions.map((one) => severityOf(one))
      expect(severities).toEqual(severities.toSorted((left, right) => right - left))
    }),
    casesOfProperty(1000),
  )
})
