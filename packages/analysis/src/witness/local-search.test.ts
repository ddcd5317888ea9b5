import { LENIENT, parse } from '@engine/expression'
import { expect, test } from 'vitest'
import { FALSE } from '../search/solver.ts'
import { ANY_INPUT } from '../formula/domain.ts'
import { evaluate, truthOf } from '../formula/evaluate.ts'
import { Outcomes } from '../formula/outcomes.ts'
import { LocalSearch, overlaid } from './local-search.ts'
import type { Candidate } from './model.ts'

test.each<[title: string, under: Candidate | undefined, over: Candidate, both: Candidate]>([
  ['nothing', undefined, { input: { a: 1 } }, { input: { a: 1 } }],
  ['other members', { input: { a: 1 } }, { input: { b: 2 } }, { input: { a: 1, b: 2 } }],
  ['the same member', { input: { a: 1 } }, { input: { a: 2 } }, { input: { a: 2 } }],
  [
    'an object',
    { input: { o: { a: 1, b: 1 } } },
    { input: { o: { b: 2, c: 2 } } },
    { input: { o: { a: 1, b: 2, c: 2 } } },
  ],
  ['a value in place of an object', { input: { o: { a: 1 } } }, { input: { o: 1 } }, { input: { o: 1 } }],
  ['an object in place of a value', { input: { o: 1 } }, { input: { o: { a: 1 } } }, { input: { o: { a: 1 } } }],
  ['a list', { input: { l: [1, 2] } }, { input: { l: [3] } }, { input: { l: [3] } }],
  ['the time below', { input: {}, now: 5 }, { input: {} }, { input: {}, now: 5 }],
  ['the time above', { input: {}, now: 5 }, { input: {}, now: 6 }, { input: {}, now: 6 }],
])('a candidate over %s', (_title, under, over, both) => expect(overlaid(under, over)).toEqual(both))

test.each([
  ['n > 5 && n < 7', '+'],
  ['n > 5 && t == "x"', '-'],
  ['o.n + 1 == 3', '+'],
])('inputs for which %s has the outcome %s', (text, outcome) => {
  const read = parse(text)
  if (read.kind === 'failed') throw new Error(text)
  const search = new LocalSearch(read.expression, LENIENT, ANY_INPUT, new Outcomes(), undefined)
  const reaching = { input: { other: 1 } }
  const found = search.candidates(({ holds, fails }) => (outcome === '+' ? holds : fails), reaching)
  expect(found.length).toBeGreaterThan(0)
  for (const { input } of found) {
    expect(truthOf(evaluate(read.expression, LENIENT, input))).toBe(outcome)
    expect(input).toMatchObject({ other: 1 })
  }
  expect(search.work).toBeGreaterThan(0)
  expect(search.candidates(() => undefined, reaching)).toEqual([])
  expect(search.candidates(() => FALSE, reaching)).toEqual([])
})
