import { expect, test } from 'vitest'
import { cellForm } from './cell-form.ts'

test.each([
  ['[1..2)', { kind: 'interval', open: '[', low: '1', high: '2', close: ')' }],
  ['(a..b..c]', { kind: 'interval', open: '(', low: 'a', high: 'b..c', close: ']' }],
  ['["[1..2]".."a"]', { kind: 'interval', open: '[', low: '"[1..2]"', high: '"a"', close: ']' }],
  [String.raw`['\'..'..'b..c')`, { kind: 'interval', open: '[', low: String.raw`'\'..'`, high: "'b..c'", close: ')' }],
  ['[1.5..2.5]', { kind: 'interval', open: '[', low: '1.5', high: '2.5', close: ']' }],
  ['["1..2]', { kind: 'comparison', operator: '==', right: '["1..2]', start: 0 }],
  ['[..]', { kind: 'interval', open: '[', low: '', high: '', close: ']' }],
  ['["..", "a"]', { kind: 'comparison', operator: '==', right: '["..", "a"]', start: 0 }],
  [' >= 1..2', { kind: 'comparison', operator: '>=', right: '1..2', start: 4 }],
  ['  ', { kind: 'any' }],
  ['?a > 1', { kind: 'condition', text: 'a > 1', start: 1 }],
])('the cell `%s`', (cell, form) => {
  expect(cellForm(cell)).toEqual(form)
})

test('a cell of a million points costs its length', () => {
  for (const part of ['.', '"', '\\"', '". .']) expect(cellForm(`(${part.repeat(300_000)}..(`).kind).toBe('comparison')
})
