import { expect, test } from 'vitest'
import { requireName } from '../drafts/draft-name.ts'
import { candidateName, isCandidate, rulesetOf } from './candidate-names.ts'

test('a candidate has the name of its ruleset and the number of its release', () => {
  expect(candidateName('fee', 42)).toBe('fee.r42')
  expect([isCandidate('fee.r42'), rulesetOf('fee.r42')]).toEqual([true, 'fee'])
})

test.each([
  ['fee', false, 'fee'],
  ['fee.r', false, 'fee.r'],
  ['fee.r4a', false, 'fee.r4a'],
  ['fee.r4.x', false, 'fee.r4.x'],
  ['fee.4', false, 'fee.4'],
  ['feer4', false, 'feer4'],
  ['fee.r4.r5', true, 'fee.r4'],
  ['fee.R4', false, 'fee.R4'],
])('%s is the name of a candidate: %s; its ruleset is %s', (name, isOne, ruleset) => {
  expect([isCandidate(name), rulesetOf(name)]).toEqual([isOne, ruleset])
})

test.each([
  ['fee', undefined],
  ['fee.4', undefined],
  ['fee.r4', 'bad-name'],
  ['', 'bad-name'],
  ['a/b', 'bad-name'],
])('an author may name a ruleset `%s`, or is refused: %s', (name, code) => {
  let refused: string | undefined
  try {
    requireName(name, '/name')
  } catch (error) {
    const [detail] = (error as { readonly details: readonly { readonly code: string; readonly path: string }[] })
      .details
    expect(detail?.path).toBe('/name')
    refused = detail?.code
  }
  expect(refused).toBe(code)
})
