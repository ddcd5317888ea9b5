import { stringifyJson, type Value } from '@engine/expression'
import type { Decision, Inspection } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import type { Expectation } from './case.ts'
import { differences } from './compare.ts'

const inspection = (more: Partial<Inspection>): Inspection => ({
  result: undefined,
  error: undefined,
  duration_us: 0,
  steps: [],
  truncated: false,
  ...more,
})
const DECISION = { code: 'OK', message: 'granted', output: { rate: 0.25, card: { limit: 100, currency: 'EUR' } } }

/** Which expectations a decision leaves unmet. */
const unmet = (expectation: Expectation, output = DECISION.output as Value, path = ['a', 'b']) =>
  differences(expectation, inspection({ result: { ...DECISION, output: output as Decision['output'] } }), path).map(
    ({ kind }) => kind,
  )

describe('a decision meets an expectation', () => {
  test.each<[string, Expectation]>([
    ['that names nothing', {}],
    ['of its code', { code: 'OK' }],
    ['of its message', { message: 'granted' }],
    ['of a part of its output', { output: { rate: 0.25 } }],
    ['of its whole output', { output: DECISION.output, exact: true }],
    ['of the steps that it entered', { path: ['a', 'b'] }],
  ])('%s', (_, expectation) => expect(unmet(expectation)).toEqual([]))
})

describe('a decision does not meet an expectation', () => {
  test.each<[string, Expectation, string[]]>([
    ['of another code', { code: 'ok' }, ['code']],
    ['of another message', { message: 'Granted' }, ['message']],
    ['of an empty message', { message: '' }, ['message']],
    ['of another code and another message', { code: 'NO', message: 'denied' }, ['code', 'message']],
    ['of another value', { output: { rate: 0.5 } }, ['output']],
    ['of a key that it lacks', { output: { rate: 0.25, fee: 1 } }, ['output']],
    ['of a key that every object inherits', { output: { toString: null } }, ['output']],
    ['of a part of its output as the whole', { output: { rate: 0.25 }, exact: true }, ['output']],
    ['of no output', { output: {}, exact: true }, ['output']],
    ['of an inner object with fewer keys', { output: { card: { limit: 100 } } }, ['output']],
    [
      'of an inner object with more keys',
      { output: { card: { limit: 100, currency: 'EUR', kind: 'gold' } } },
      ['output'],
    ],
    ['of a path that ends earlier', { path: ['a'] }, ['path']],
    ['of a path that continues', { path: ['a', 'b', 'c'] }, ['path']],
    ['of a path in another order', { path: ['b', 'a'] }, ['path']],
    ['of no step', { path: [] }, ['path']],
    ['of a failure', { error: 'no rate' }, ['error']],
    ['of a failure on another path', { error: 'no rate', path: ['a'] }, ['error', 'path']],
  ])('%s', (_, expectation, kinds) => expect(unmet(expectation)).toEqual(kinds))
})

describe('an output is compared by value', () => {
  const deep = (levels: number, leaf: Value): Value => {
    let value = leaf
    for (let level = 0; level < levels; level++) value = [value]
    return value
  }
  const COMPARED: readonly (readonly [wanted: Value, found: Value, isMet: boolean])[] = [
    [1, 1, true],
    [1, 1.000_000_001, false],
    [0.1, 0.1 + Number.EPSILON, false],
    [3, 3n, true],
    [2n ** 53n, 2n ** 53n + 1n, false],
    [1, '1', false],
    [1, true, false],
    [0, null, false],
    [null, null, true],
    [null, {}, false],
    ['', null, false],
    ['a', 'A', false],
    [[1, 2], [1, 2], true],
    [[1, 2], [2, 1], false],
    [[1, 2], [1, 2, 3], false],
    [[1, 2, 3], [1, 2], false],
    [[], {}, false],
    [{}, [], false],
    [{ 0: 'a' }, ['a'], false],
    [{ a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }, true],
    [{ a: null }, {}, false],
    [[{ a: 1 }], [{ a: 1, b: 2 }], false],
    [[{ a: 1, b: 2 }], [{ a: 1 }], false],
    [deep(128, 1), deep(128, 1), true],
    [deep(128, 1), deep(128, 2), false],
  ]
  test.each(COMPARED.map((row) => [stringifyJson(row[0]), stringifyJson(row[1]), ...row] as const))(
    '%s against %s',
    (_wanted, _found, wanted, found, isMet) => {
      const kinds = isMet ? [] : ['output']
      expect(unmet({ output: { value: wanted } }, { value: found })).toEqual(kinds)
      expect(unmet({ output: wanted, exact: true }, found)).toEqual(kinds)
    },
  )

  test('an output that is missing meets no expectation of one', () => {
    const nothing = inspection({ result: undefined })
    expect(differences({ output: null }, nothing, [])).toEqual([
      { kind: 'output', message: 'output: expected null, found nothing' },
    ])
  })
})

describe('a tolerance is how far numbers may be apart', () => {
  const COMPARED: readonly (readonly [wanted: Value, found: Value, tolerance: number, isMet: boolean])[] = [
    [10, 10.5, 0.5, true],
    [10, 9.5, 0.5, true],
    [10, 10.500_001, 0.5, false],
    [10, 9.499_999, 0.5, false],
    [10n, 11, 1, true],
    [2n ** 60n, 2n ** 60n + 1n, 0, false],
    [{ a: [10, { b: 1 }] }, { a: [10.1, { b: 0.9 }] }, 0.2, true],
    [{ a: [10, { b: 1 }] }, { a: [10.1, { b: 0.7 }] }, 0.2, false],
    ['10', '11', 5, false],
    [true, false, 5, false],
    [0, null, 5, false],
    [0, false, 5, false],
  ]
  test.each(COMPARED.map((row) => [stringifyJson(row[0]), stringifyJson(row[1]), ...row] as const))(
    '%s against %s',
    (_wanted, _found, wanted, found, tolerance, isMet) => {
      const kinds = isMet ? [] : ['output']
      expect(unmet({ output: { value: wanted }, tolerance }, { value: found })).toEqual(kinds)
      expect(unmet({ output: wanted, tolerance, exact: true }, found)).toEqual(kinds)
    },
  )
})

describe('a failure', () => {
  const failed = inspection({ error: { code: 'division-by-zero', message: 'division by zero at 3', step: 'b' } })

  test.each<[string, Expectation, string[]]>([
    ['is expected by a part of its message', { error: 'by zero' }, []],
    ['is expected on its path', { error: 'by zero', path: ['a', 'b'] }, []],
    ['is expected on another path', { error: 'by zero', path: ['a'] }, ['path']],
    ['has another message', { error: 'By zero' }, ['error']],
    ['is not expected', {}, ['error']],
    ['is reported once where a decision was expected', { code: 'OK', message: '', output: {} }, ['error']],
    ['is reported with its path', { code: 'OK', path: ['a'] }, ['error', 'path']],
  ])('%s', (_, expectation, kinds) => {
    expect(differences(expectation, failed, ['a', 'b']).map(({ kind }) => kind)).toEqual(kinds)
  })

  test('is described with what was expected', () => {
    expect(differences({ error: 'no rate' }, failed, [])).toEqual([
      { kind: 'error', message: 'it failed: division by zero at 3; expected a failure with `no rate`' },
    ])
  })
})

test('differences name what was expected and what was found', () => {
  const result = { ...DECISION, output: { rate: 0.25 } }
  const expectation = { code: 'NO', message: 'denied', output: { rate: 1 }, path: ['x'] }
  expect(differences(expectation, inspection({ result }), ['a', 'b'])).toEqual([
    { kind: 'code', message: 'code: expected "NO", found "OK"' },
    { kind: 'message', message: 'message: expected "denied", found "granted"' },
    { kind: 'output', message: 'output: expected {"rate":1}, found {"rate":0.25}' },
    { kind: 'path', message: 'path: expected x, found a -> b' },
  ])
  expect(differences({ error: 'no rate' }, inspection({ result }), [])).toEqual([
    { kind: 'error', message: 'expected a failure with `no rate`, found "OK"' },
  ])
})

test('values that differ beyond the greatest depth are not taken for equal', () => {
  const nested = (inner: Value) => {
    let value = inner
    for (let depth = 0; depth < 1000; depth++) value = [value]
    return value
  }
  expect(unmet({ output: { a: nested(1) } }, { a: nested(2) })).toEqual(['output'])
})
