import type { ObjectValue } from '@engine/expression'
import { expect, test } from 'vitest'
import { action, decision, rulesetOf } from '../reports.testing.ts'
import { ranksOf } from './ranks.ts'

test.each<[what: string, steps: ObjectValue, order: string | undefined, config?: ObjectValue]>([
  ['a result', { d: decision([['a', 'X']], 'X') }, 'd X'],
  ['a chain', { d: action({ v: '1' }, 'e'), e: action({ v: '2' }, 'X') }, 'd e X'],
  ['two branches', { d: decision([['a', 'X']], 'N') }, 'd X N'],
  [
    'a step that two paths lead to',
    {
      d: decision(
        [
          ['a', 'e'],
          ['b', 'X'],
        ],
        'N',
      ),
      e: action({ v: '1' }, 'X'),
    },
    'd e X N',
  ],
  [
    'a shorter and a longer path',
    { d: decision([['a', 'f']], 'e'), e: action({ v: '1' }, 'f'), f: action({ v: '2' }, 'X') },
    'd e f X',
  ],
  [
    'a longer and a shorter path',
    { d: decision([['a', 'e']], 'f'), e: action({ v: '1' }, 'f'), f: action({ v: '2' }, 'X') },
    'd e f X',
  ],
  ['a loop', { d: decision([['a', 'e']], 'X'), e: decision([['b', 'd']], 'X') }, undefined],
  ['a step that leads to itself', { d: decision([['a', 'd']], 'X') }, undefined],
  [
    'a path as long as it may be',
    { d: action({ v: '1' }, 'e'), e: action({ v: '2' }, 'X') },
    'd e X',
    { max_depth: 3 },
  ],
  ['a longer path', { d: action({ v: '1' }, 'e'), e: action({ v: '2' }, 'X') }, undefined, { max_depth: 2 }],
])('the order of the steps of %s', (_what, steps, order, config) => {
  const found = ranksOf(rulesetOf(steps, config))
  const byRank = found && [...found].toSorted(([, left], [, right]) => left - right)
  // Unconnected steps have any order.
  expect(byRank?.map(([id]) => id).toSorted()).toEqual(order?.split(' ').toSorted())
  expect(byRank?.map(([, rank]) => rank)).toEqual(order?.split(' ').map((_, index) => index))
  if (found === undefined) return
  for (const [id, step] of Object.entries(steps))
    for (const next of JSON.stringify(step).matchAll(/"(?:next_step|default_next)":"(\w+)"/g))
      expect(found.get(next[1] ?? '')).toBeGreaterThan(found.get(id) ?? Infinity)
})
