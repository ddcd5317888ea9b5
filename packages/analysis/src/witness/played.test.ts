import { LENIENT } from '@engine/expression'
import { expect, test } from 'vitest'
import { expressionOf } from '../certificate/rulesets.testing.ts'
import type { AskedCall } from '../formula/answers.ts'
import { TRUE } from '../search/solver.ts'
import { played } from './played.ts'
import { Stubs } from './stubs.ts'

/** A call of `s.m` whose answer is a member of the input. */
const CALL: AskedCall = {
  service: 's',
  method: 'm',
  parameters: expressionOf('{"time": now_millis()}'),
  policy: LENIENT,
  earlier: [],
  member: 'answer of s.m',
  fails: TRUE,
}

const CALLS = new Map([['s.m', CALL]])

test('the answers among the members of an input are those of its services', () => {
  const { input, now, stubs } = played({ input: { n: 1, 'answer of s.m': { payload: 7 } } }, CALLS)
  expect(input).toEqual({ n: 1 })
  expect(now).toBeUndefined()
  expect(stubs?.begin().take('s', 'm', { time: 0 })?.answer).toEqual({ payload: 7, metadata: {} })
})

test('calls are made at the time of the candidate', () => {
  const { now, stubs } = played({ input: { 'answer of s.m': { payload: 7 } }, now: 5 }, CALLS)
  expect(now).toBe(5)
  expect(stubs?.begin().take('s', 'm', { time: 5 })?.answer).toEqual({ payload: 7, metadata: {} })
})

test('a candidate with answers keeps them', () => {
  const stubs = new Stubs([], {}, 0)
  const found = played({ input: { n: 1, 'answer of s.m': 2 }, stubs }, CALLS)
  expect(found).toEqual({ input: { n: 1, 'answer of s.m': 2 }, stubs })
  expect(found.stubs).toBe(stubs)
  expect(played({ input: {}, now: 5, stubs }, CALLS)).toEqual({ input: {}, now: 5, stubs })
})
