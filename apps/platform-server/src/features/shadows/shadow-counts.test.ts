import { describe, expect, test } from 'vitest'
import type { OrgId } from '../../database/org-id.ts'
import { Counts } from './shadow-counts.ts'

const MAX_TRANSITIONS = 100

/** A difference: the codes of the live answer and of the shadow, and an example. */
type Difference = readonly [from: string | null, to: string | null, example?: string]

function countsOf(...differences: readonly Difference[]): Counts {
  const counts = new Counts('o' as OrgId, 's')
  for (const [from, to, example] of differences) counts.differs(from, to, example)
  return counts
}

const transitionsOf = ({ transitions }: Counts) =>
  Array.from(transitions, ([codes, { count, examples }]) => [codes, count, ...examples])

/** As many different transitions as a shadow may have. */
const full = () => countsOf(...Array.from({ length: MAX_TRANSITIONS }, (_, index): Difference => ['A', `${index}`]))

describe('differences of a shadow', () => {
  test.each<readonly [string, readonly Difference[], readonly (readonly (string | number)[])[]]>([
    ['without one', [], []],
    ['lead from the live code to that of the shadow', [['A', 'B']], [['["A","B"]', 1]]],
    ['of an answer without a code', [['A', null]], [['["A",null]', 1]]],
    [
      'and back are two transitions',
      [
        ['A', 'B'],
        ['B', 'A'],
      ],
      [
        ['["A","B"]', 1],
        ['["B","A"]', 1],
      ],
    ],
    [
      'keep the first three examples',
      [
        ['A', 'B', '1'],
        ['A', 'B'],
        ['A', 'B', '2'],
        ['A', 'B', '3'],
        ['A', 'B', '4'],
      ],
      [['["A","B"]', 5, '1', '2', '3']],
    ],
  ])('%s', (_, differences, expected) => {
    const counts = countsOf(...differences)
    expect(transitionsOf(counts)).toEqual(expected)
    expect(counts.changed).toBe(differences.length)
  })

  test('beyond 100 transitions count as changed, and in known transitions', () => {
    const counts = full()
    counts.differs('A', 'new', undefined)
    counts.differs('A', '7', undefined)
    expect(counts.transitions.size).toBe(MAX_TRANSITIONS)
    expect(counts.transitions.get('["A","7"]')?.count).toBe(2)
    expect(counts.transitions.has('["A","new"]')).toBe(false)
    expect(counts.changed).toBe(MAX_TRANSITIONS + 2)
  })
})

describe('counts that could not be stored', () => {
  const unstored = () =>
    Object.assign(countsOf(['A', 'B', '1'], ['A', 'B', '2'], ['A', 'C', '3']), { requests: 20, dropped: 4 })

  test('are added to the newer ones, without examples', () => {
    const counts = Object.assign(countsOf(['A', 'B', '9']), { requests: 5, dropped: 1 })
    counts.addUnstored(unstored())
    expect([counts.requests, counts.changed, counts.dropped]).toEqual([25, 4, 5])
    expect(transitionsOf(counts)).toEqual([
      ['["A","B"]', 3, '9'],
      ['["A","C"]', 1],
    ])
  })

  test('add no transition beyond 100', () => {
    const counts = full()
    counts.addUnstored(countsOf(['A', '7'], ['A', 'new']))
    expect(counts.transitions.size).toBe(MAX_TRANSITIONS)
    expect(counts.transitions.get('["A","7"]')?.count).toBe(2)
    expect(counts.changed).toBe(MAX_TRANSITIONS + 2)
  })
})
