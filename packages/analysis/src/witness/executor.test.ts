import type { ObjectValue } from '@engine/expression'
import { decodeRuleset, type Ruleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { compiledProgram, Executor, REFUSED, sideOf, withoutStacks } from './executor.ts'
import { Stubs } from './stubs.ts'
import type { Side } from './trail.ts'

/** X where a condition holds, and N where not; the result has the time, and the answer that is awaited before. */
function ruleset(condition: string, config: ObjectValue = {}, asked?: ObjectValue): Ruleset {
  const end = (code: string, value: string) => ({
    id: code,
    type: 'terminal',
    result: { code, message: '', output: [['v', value]] },
  })
  const value = asked === undefined || asked['result_variable'] === undefined ? 'now_millis()' : '$r'
  const { ruleset: found, problems } = decodeRuleset({
    config: { name: 'r', entry_step: 'ask', ...config },
    steps: {
      ask: { id: 'ask', type: 'action', actions: asked === undefined ? [] : [asked], next_step: 'd' },
      d: { id: 'd', type: 'decision', branches: [{ condition, next_step: 'X' }], default_next: 'N' },
      X: end('X', value),
      N: end('N', value),
    },
  })
  if (found === undefined) throw new Error(problems[0]?.message)
  return found
}

const contractOf = (mode: string): ObjectValue => ({
  contract: {
    mode,
    contract: {
      name: 'c',
      version: '1.0.0',
      input: { fields: [{ name: 'n', type: 'number', required: true, maximum: 10 }] },
    },
  },
})
const ends = (code: string, v: number | string = 0): Side => ({ code, message: '', output: { v } })
const fails = (code: string, step = 'd'): Side => ({ error: { code, step } })

test.each<
  [title: string, rules: Ruleset, input: ObjectValue, now: number | undefined, side: Side, isRefused?: boolean]
>([
  ['a branch', ruleset('n > 3'), { n: 4 }, undefined, ends('X')],
  ['a default', ruleset('n > 3'), { n: 3 }, undefined, ends('N')],
  ['a time', ruleset('now_millis() > 5'), {}, 6, ends('X', 6)],
  ['an error', ruleset('n > 3'), { n: 'x' }, undefined, fails('wrong-type')],
  ['an input that the contract allows', ruleset('n > 3', contractOf('enforce')), { n: 10 }, undefined, ends('X')],
  ['an input that the contract refuses', ruleset('n > 3', contractOf('enforce')), { n: 11 }, undefined, REFUSED, true],
  ['an input about which the contract warns', ruleset('n > 3', contractOf('warn')), { n: 11 }, undefined, ends('X')],
])('%s is confirmed by all ways of executing it', (_title, rules, input, now, side, isRefused = false) => {
  const candidate = { input, ...(now !== undefined && { now }) }
  for (const compiles of [true, false]) {
    const executor = new Executor(rules, { compiles })
    if (!isRefused) expect(executor.follow(candidate).side).toEqual(side)
    expect(executor.refuses(candidate)).toBe(isRefused)
    expect(executor.confirms(candidate, side)).toBe(true)
    for (const other of [ends('X', 7), ends('N', 7), fails('no-branch'), isRefused ? ends('X') : REFUSED])
      expect(executor.confirms(candidate, other)).toBe(false)
  }
  expect(sideOf(compiledProgram(rules), input, now ?? 0)).toEqual(side)
})

test('what is refused has the code of engines', () => {
  expect(REFUSED).toEqual({ error: { code: 'INVALID_INPUT', step: '' } })
})

const CALLEE: ObjectValue = { action: 'call_ruleset', ruleset_name: 'other', result_variable: 'r' }
const CALL: ObjectValue = { action: 'external_call', service: 's', method: 'm', params: [], result_variable: 'r' }

test.each<[title: string, rules: Ruleset, callees: Readonly<Record<string, Ruleset>>, needsAnswers: boolean]>([
  ['no call', ruleset('n > 3'), {}, false],
  ['an awaited call', ruleset('n > 3', {}, CALL), {}, true],
  ['a call that no one awaits', ruleset('n > 3', {}, { ...CALL, result_variable: null }), {}, false],
  ['a called ruleset that is not there', ruleset('n > 3', {}, CALLEE), {}, false],
  ['a called ruleset without calls', ruleset('n > 3', {}, CALLEE), { other: ruleset('n > 2') }, false],
  ['a called ruleset with a call', ruleset('n > 3', {}, CALLEE), { other: ruleset('n > 2', {}, CALL) }, true],
])('candidates of a ruleset with %s need answers: %j', (_title, rules, callees, needsAnswers) => {
  expect(new Executor(rules, { callees: new Map(Object.entries(callees)) }).needsAnswers).toBe(needsAnswers)
})

test('answers are those of the candidate', () => {
  const executor = new Executor(ruleset('$r.payload == null', {}, CALL))
  const stubs = new Stubs([], {}, 0)
  const answer = { capability: 's', operation: 'm', payload: null, metadata: {} }
  const side: Side = { code: 'X', message: '', output: { v: answer } }
  expect(executor.follow({ input: {}, stubs }).side).toEqual(side)
  expect(executor.confirms({ input: {}, stubs }, side)).toBe(true)
  expect(executor.follow({ input: {} }).side).toBeUndefined()
  expect(executor.confirms({ input: {} }, side)).toBe(false)
  expect(sideOf(compiledProgram(ruleset('true', {}, CALL)), {}, 0)).toBeUndefined()
})

test('a called ruleset decides with the caller', () => {
  const rules = ruleset('$r.code == "X"', {}, CALLEE)
  const callees = new Map([['other', ruleset('n > 2')]])
  const executor = new Executor(rules, { callees })
  const { side } = executor.follow({ input: { n: 3 } })
  expect(side).toMatchObject({ code: 'X' })
  expect(side !== undefined && executor.confirms({ input: { n: 3 } }, side)).toBe(true)
  expect(side !== undefined && executor.confirms({ input: { n: 2 } }, side)).toBe(false)
  expect(sideOf(compiledProgram(rules, callees), { n: 3 }, 0)).toMatchObject({ code: 'X' })
  expect(new Executor(rules).follow({ input: { n: 3 } }).side).toBeUndefined()
})

test('errors have no stacks while expected ones are made', () => {
  const { stackTraceLimit } = Error
  const depthOf = (error: Error) => (error.stack ?? '').split('\n').length
  expect(withoutStacks(() => depthOf(new Error('expected')))).toBe(1)
  expect(() =>
    withoutStacks(() => {
      throw new TypeError('a defect')
    }),
  ).toThrow('a defect')
  expect(Error.stackTraceLimit).toBe(stackTraceLimit)
  expect(depthOf(new Error('another'))).toBeGreaterThan(1)
})
