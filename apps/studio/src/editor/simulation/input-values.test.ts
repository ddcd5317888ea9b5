import { numberOfText, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { type Input, isPlain, typedValue, valueAt, withValue } from './input-values.ts'

const INPUT: Input = { order: { total: 5, lines: [1] }, name: 'x' }

test.each<[path: readonly string[], found: Value | undefined]>([
  [[], INPUT],
  [['name'], 'x'],
  [['order', 'total'], 5],
  [['order', 'gone'], undefined],
  [['gone', 'total'], undefined],
  [['name', 'length'], undefined],
  [['constructor'], undefined],
])('the path %j leads to %j', (path, found) => {
  expect(valueAt(INPUT, path)).toEqual(found)
})

test.each<[path: readonly string[], value: Value | undefined, changed: Input]>([
  [['name'], 'y', { ...INPUT, name: 'y' }],
  [['order', 'total'], 6, { ...INPUT, order: { total: 6, lines: [1] } }],
  [['order', 'total'], undefined, { ...INPUT, order: { lines: [1] } }],
  [['customer', 'tier'], 'gold', { ...INPUT, customer: { tier: 'gold' } }],
  [['name', 'first'], 'y', { ...INPUT, name: { first: 'y' } }],
  [['name'], undefined, { order: INPUT['order']! }],
])('the path %j with the value %j', (path, value, changed) => {
  expect(withValue(INPUT, path, value)).toEqual(changed)
})

test.each<[text: string, type: string, value: Value | undefined]>([
  ['', 'string', undefined],
  ['', 'boolean', undefined],
  ['true', 'boolean', true],
  ['false', 'boolean', false],
  ['5', 'number', 5],
  ['5.5', 'integer', 5.5],
  ['five', 'number', 'five'],
  ['Infinity', 'number', 'Infinity'],
  ['5', 'string', '5'],
  ['5', 'date', '5'],
  ['0.10', 'decimal', numberOfText('0.10')],
  ['-1e3', 'decimal', numberOfText('-1e3')],
  ['12345678901234567890.1', 'decimal', numberOfText('12345678901234567890.1')],
  ['1.', 'decimal', '1.'],
  ['0x10', 'decimal', '0x10'],
])('the text %j of the type %s', (text, type, value) => {
  expect(typedValue(text, type)).toEqual(value)
})

test.each([
  ['string', true],
  ['number', true],
  ['integer', true],
  ['decimal', true],
  ['boolean', true],
  ['date', true],
  ['datetime', true],
  ['any', true],
  ['array<string>', false],
  ['object', false],
  ['Address', false],
])('a field of the type %s fits into one control: %s', (type, fits) => {
  expect(isPlain({ name: 'f', type, required: false })).toBe(fits)
})
