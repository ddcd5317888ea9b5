import { expect, test } from 'vitest'
import { review as words } from '../texts/en/review.ts'
import { effectText } from './effect-text.ts'
import type { Effect } from './effects.ts'

const at = { ruleset: 'fee', environment: 'prod' }
const change = (kind: string, from: string, to: string, count: number, replayed: number): Effect =>
  ({ kind, ...at, replayed, transition: { from, to, count } }) as unknown as Effect

test.each<[effect: Effect, isPlaced: boolean, text: string]>([
  [change('code', 'OK', 'NO', 3, 40), false, 'OK becomes NO in 3 of 40 recorded decisions.'],
  [change('code', 'OK', 'NO', 3, 40), true, 'OK becomes NO in 3 of 40 recorded decisions (fee in prod).'],
  [change('code', 'OK', 'NO', 0, 40), false, 'OK becomes NO for some inputs, but in none of 40 recorded decisions.'],
  [change('code', 'OK', 'NO', 0, 0), false, 'OK becomes NO for some inputs.'],
  [change('other', 'OK', 'OK', 0, 0), false, 'OK keeps its code, its message or output changes for some inputs.'],
  [{ kind: 'tests_fail', failed: 2, total: 9 }, true, '2 of 9 tests fail.'],
  [{ kind: 'contract', ...at, breaks: 2 }, true, 'The contract of fee breaks in 2 places: callers may have to change.'],
  [{ kind: 'removed', ...at }, false, 'fee is removed from prod: its callers get no decision.'],
])('the effect %j, with its place: %s', (effect, isPlaced, text) => {
  expect(effectText(effect, words, isPlaced)).toBe(text)
})

test('errors lose their prefix', () => {
  expect(effectText(change('fails', 'OK', 'error:limit', 1, 1), words, false)).not.toContain('error:')
  expect(effectText(change('decided', 'error:limit', 'OK', 1, 1), words, false)).not.toContain('error:')
})
