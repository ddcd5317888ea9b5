import type { ObjectValue, Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { MaskedReads } from './masked-reads.ts'
import { action, decision, rulesetOf } from './reports.testing.ts'

const reading = (condition: string, config: ObjectValue = {}) =>
  rulesetOf({ d: decision([[condition, 'X']], 'N') }, config)

const enforcing = (field: ObjectValue) => ({
  contract: {
    mode: 'enforce',
    contract: { name: 'r', version: '1.0.0', input: { fields: [{ name: 'a', ...field }] }, outputs: [] },
  },
})

test.each<[condition: string, input: ObjectValue, isRead: boolean]>([
  ['a == 1', { a: '*' }, true],
  ['a == 1', { b: '*' }, false],
  ['a == 1', { a: 5, b: '*' }, false],
  ['a.b == 1', { a: { b: '*' } }, true],
  ['a.b == 1', { a: { c: '*' } }, false],
  ['a.b == 1', { a: '*' }, true],
  ['a.b == 1 && a == 2', { a: { c: '*' } }, true],
  ['a == 1 && a.b == 2', { a: { c: '*' } }, true],
  ['a.b == 1 && a.c == 2', { a: { b: 1, c: '*' } }, true],
  ['a.b == 1 && a.c == 2', { a: { b: '*', c: 1 } }, true],
  ['a.b == 1 && a.c == 2', { a: { d: '*' } }, false],
  ['a[0] == 1', { a: [1, '*'] }, true],
  ['a[0].b == 1', { a: [{ c: '*' }] }, true],
  ['any(a.*.b, x => x == 1)', { a: [{ c: '*' }] }, true],
  ['a == 1', { a: ['*'] }, true],
  ['a == 1', { a: { b: { c: '*' } } }, true],
  ['a == 1', { a: [{ b: ['*'] }] }, true],
  ['a == 1', { a: 'x*' }, false],
  ['b == 1', {}, false],
])('%s reads a mask in %j: %s', (condition, input, isRead) => {
  expect(new MaskedReads([reading('true'), reading(condition)], '*').isIn({ input })).toBe(isRead)
})

test.each<[contract: ObjectValue, isRead: boolean]>([
  [{ type: 'number', required: true }, true],
  [{ type: 'string', required: true }, false],
  [{ type: 'string', required: true, enum: ['x'] }, true],
  [{ type: 'any', required: true }, false],
  [{ type: 'boolean', required: false }, true],
])('a contract of %j may refuse a mask: %s', (contract, isRead) => {
  const input = { a: '*' }
  expect(new MaskedReads([reading('true', enforcing(contract))], '*').isIn({ input })).toBe(isRead)
})

/** Calls two methods of a service, and decides by the first answer. */
const asking = (condition: string, variable = 'v') =>
  rulesetOf({
    d: {
      type: 'action',
      next_step: 'e',
      actions: [
        { action: 'external_call', service: 's', method: 'get', params: [], result_variable: variable },
        { action: 'external_call', service: 's', method: 'put', params: [] },
      ],
    },
    e: decision([[condition, 'X']], 'N'),
  })

const called = (method: string, payload: Value) => ({
  step: 'd',
  service: 's',
  method,
  parameters: {},
  answer: { payload, metadata: {} },
})

test.each<[conditions: readonly string[], method: string, payload: Value, isRead: boolean]>([
  [['$v.payload.a == 1'], 'get', { a: '*' }, true],
  [['$v.payload.a == 1'], 'get', { b: '*' }, false],
  [['$v.payload.a == 1'], 'put', { a: '*' }, false],
  [['$v.payload == 1'], 'get', { b: '*' }, true],
  [['x == 1'], 'get', { a: '*' }, false],
  [['$v.payload.a == 1', '$v.payload.b == 1'], 'get', { b: '*' }, true],
  [['$v.payload.a == 1', '$v.payload.b == 1'], 'get', { a: '*' }, true],
  [['$v.payload.a == 1', '$v.payload.b == 1'], 'get', { c: '*' }, false],
  [['$v.payload == 1', '$v.payload.b == 1'], 'get', { c: '*' }, true],
  [['$v.payload.b == 1', '$v.payload == 1'], 'get', { c: '*' }, true],
])('versions with %j read a mask in the answer of %s, %j: %s', (conditions, method, payload, isRead) => {
  const versions = conditions.map((condition) => asking(condition))
  expect(new MaskedReads(versions, '*').isIn({ input: {}, calls: [called(method, payload)] as never })).toBe(isRead)
})

test('a call that failed has no answer to read', () => {
  const call = { step: 'd', service: 's', method: 'get', parameters: {} }
  expect(new MaskedReads([asking('$v.payload == 1')], '*').isIn({ input: {}, calls: [call] as never })).toBe(false)
})

test.each([
  [99_990, false],
  [100_001, true],
])('an input of %d members counts as masked: %s', (count, expected) => {
  const input = { a: Array.from({ length: count }, () => 1) }
  expect(new MaskedReads([rulesetOf({ d: action({ v: 'a' }, 'X') })], '*').isIn({ input })).toBe(expected)
})
