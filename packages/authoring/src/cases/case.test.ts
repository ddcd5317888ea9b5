import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { decodeCases } from './case.ts'

const ONE = { name: 'a', expect: { code: 'OK' } }

describe('a list of cases', () => {
  test.each<readonly [string, Value]>([
    ['an expected code', ONE],
    [
      'every member',
      { ...ONE, input: { a: 1 }, now: '2026-01-31T12:00:00Z', stubs: { 's.m': 1 }, id: 'i', suite: 's' },
    ],
    [
      'every expectation of a result',
      { name: 'a', expect: { code: '', message: '', output: 1, exact: true, path: ['a'], tolerance: 0 } },
    ],
    ['an expected error and path', { name: 'a', expect: { error: 'x', path: [] } }],
  ])('takes a case with %s', (_, one) => {
    expect(decodeCases([one])).toEqual({ cases: [{ input: {}, ...(one as object) }], faults: [] })
  })

  test.each<readonly [string, Value, readonly string[]]>([
    ['is a list', {}, ['']],
    ['has objects', [1], ['/0']],
    ['has known members', [{ ...ONE, inputs: {} }], ['/0/inputs']],
    ['has names', [{ expect: { code: 'OK' } }], ['/0/name']],
    ['has names that are not empty', [{ ...ONE, name: '' }], ['/0/name']],
    ['has names that are texts', [{ ...ONE, name: 1 }], ['/0/name']],
    ['has each name once', [ONE, ONE], ['/1/name']],
    ['has texts as ids', [{ ...ONE, id: 1 }], ['/0/id']],
    ['has suites that are not empty', [{ ...ONE, suite: '' }], ['/0/suite']],
    ['has objects as inputs', [{ ...ONE, input: [1] }], ['/0/input']],
    ['has no texts as inputs', [{ ...ONE, input: 'a' }], ['/0/input']],
    ['has times', [{ ...ONE, now: 'noon' }], ['/0/now']],
    ['has times as texts', [{ ...ONE, now: 1 }], ['/0/now']],
    ['has stubs by name', [{ ...ONE, stubs: [] }], ['/0/stubs']],
    ['has expectations', [{ name: 'a' }], ['/0/expect']],
    ['has expectations of something', [{ name: 'a', expect: {} }], ['/0/expect']],
    ['has known expectations', [{ name: 'a', expect: { result: 1 } }], ['/0/expect/result']],
    ['has codes as texts', [{ name: 'a', expect: { code: 1 } }], ['/0/expect/code']],
    ['has messages as texts', [{ name: 'a', expect: { message: null } }], ['/0/expect/message']],
    ['has `exact` as a truth value', [{ name: 'a', expect: { exact: 'yes' } }], ['/0/expect/exact']],
    ['has paths of step ids', [{ name: 'a', expect: { path: ['a', 1] } }], ['/0/expect/path']],
    ['has paths as lists', [{ name: 'a', expect: { path: 'a' } }], ['/0/expect/path']],
    ['has tolerances of at least 0', [{ name: 'a', expect: { tolerance: -1 } }], ['/0/expect/tolerance']],
    ['has errors as texts', [{ name: 'a', expect: { error: 1 } }], ['/0/expect/error']],
    ['expects no code beside an error', [{ name: 'a', expect: { error: 'x', code: 'A' } }], ['/0/expect/error']],
    ['expects no message beside an error', [{ name: 'a', expect: { error: 'x', message: 'A' } }], ['/0/expect/error']],
    ['expects no output beside an error', [{ name: 'a', expect: { error: 'x', output: {} } }], ['/0/expect/error']],
    ['names the places of all faults', [1, ONE, { ...ONE, name: 'b', input: 1 }], ['/0', '/2/input']],
  ])('%s', (_, list, paths) => {
    const { cases, faults } = decodeCases(list)
    expect([cases, faults.map(({ path }) => path)]).toEqual([[], paths])
  })

  test('may have one name in several suites', () => {
    expect(decodeCases([ONE, { ...ONE, suite: 's' }, { ...ONE, suite: 't' }]).faults).toEqual([])
  })

  test('has a hundred faults at most', () => {
    expect(decodeCases(Array.from({ length: 101 }, () => 1)).faults).toHaveLength(100)
  })
})
