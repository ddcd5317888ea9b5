import { numberOfText, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { isSameJson } from './same-json.ts'

const decimal = (text: string): Value => numberOfText(text) ?? null

test.each<[left: Value, right: Value, areSame: boolean]>([
  [null, null, true],
  [null, false, false],
  [true, true, true],
  [true, false, false],
  ['a', 'a', true],
  ['a', 'b', false],
  ['1', 1, false],
  [1, 1, true],
  [1, 2, false],
  [2, 1, false],
  [0, -0, true],
  [1, 1n, true],
  [2n ** 60n, 2 ** 60, true],
  [2n ** 60n, 2n ** 60n + 1n, false],
  [decimal('0.1000000000000000000001'), decimal('0.1000000000000000000001'), true],
  [decimal('0.1000000000000000000001'), 0.1, false],
  [0.1, decimal('0.1000000000000000000001'), false],
  [[], [], true],
  [[], {}, false],
  [{}, [], false],
  [[1, 2], [1, 2], true],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [[1, 2], [1], false],
  [[1], 1, false],
  [{}, {}, true],
  [{}, null, false],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: 1 }, { a: 2 }, false],
  [{ a: 1 }, { b: 1 }, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: 1, b: 2 }, { a: 1 }, false],
  [{ toString: 1 }, {}, false],
  [{ toString: 1 }, { a: 1 }, false],
  [[{ a: [1, { b: null }] }], [{ a: [1, { b: null }] }], true],
  [[{ a: [1, { b: null }] }], [{ a: [1, { b: false }] }], false],
])('%s and %s are equal: %s', (left, right, areSame) => expect(isSameJson(left, right)).toBe(areSame))
