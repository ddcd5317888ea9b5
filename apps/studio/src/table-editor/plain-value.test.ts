import { expect, test } from 'vitest'
import { decimalSign, isAmbiguousDate, isAny, plainBoolean, plainDate, plainNumber } from './plain-value.ts'

test.each([
  ['1', undefined],
  ['abc', undefined],
  ['1.5', '.'],
  ['1,5', ','],
  ['1,234', 'ask'],
  ['12.345', 'ask'],
  ['1234,567', ','],
  ['0,123', ','],
  ['1,23', ','],
  ['1.234,5', ','],
  ['1,234.5', '.'],
  ['1,234,567', '.'],
  ['1.234.567', ','],
  [' € 1,5 ', ','],
] as const)('the decimal sign of %j: %s', (text, sign) => {
  expect(decimalSign(text)).toBe(sign)
})

test.each<[text: string, decimal: '.' | ',', number: string | undefined, unit?: string]>([
  ['12', '.', '12'],
  ['-12.50', '.', '-12.50'],
  ['1,234', '.', '1234'],
  ['1,234', ',', '1.234'],
  ['1.234', ',', '1234'],
  ['1.234,5', '.', '1234.5'],
  ["1'234.5", '.', '1234.5'],
  ['1 234', '.', '1234'],
  ['1e5', '.', '1e5'],
  ['2.5E-3', '.', '2.5E-3'],
  ['€ 19.90', '.', '19.90', '€'],
  ['19.90 EUR', '.', '19.90', 'EUR'],
  ['-€5', '.', '-5', '€'],
  ['20 %', '.', '20', '%'],
  ['5kg', '.', '5', 'kg'],
  ['007', '.', undefined],
  ['0', '.', '0'],
  ['0.5', '.', '0.5'],
  ['1..5', '.', undefined],
  ['1. 5', '.', undefined],
  ['5.', '.', '5'],
  ['', '.', undefined],
  ['-', '.', undefined],
  ['abc', '.', undefined],
  ['5 kilometres per hour', '.', undefined],
])('%j is the number %s %s', (text, decimal, number, unit) => {
  expect(plainNumber(text, { decimal })).toEqual(number === undefined ? undefined : { text: number, unit })
})

test.each<[text: string, dayFirst: boolean, date: string | undefined]>([
  ['2026-03-04', true, '2026-03-04'],
  ['2026-02-29', true, undefined],
  ['2024-02-29', true, '2024-02-29'],
  ['2026-03-04T10:30Z', true, '2026-03-04T10:30Z'],
  ['2026-13-04T10:30Z', true, undefined],
  ['4.3.2026', false, '2026-03-04'],
  ['04. 12. 2026', true, '2026-12-04'],
  ['31.4.2026', true, undefined],
  ['3/4/2026', true, '2026-04-03'],
  ['3/4/2026', false, '2026-03-04'],
  ['13/4/2026', false, '2026-04-13'],
  ['4/13/2026', true, '2026-04-13'],
  ['12/12/2026', false, '2026-12-12'],
  ['13/13/2026', true, undefined],
  ['0/1/2026', true, undefined],
  ['4/3/26', true, undefined],
  ['today', true, undefined],
])('%s with the day first (%s) is %s', (text, dayFirst, date) => {
  expect(plainDate(text, { dayFirst })).toBe(date)
})

test.each([
  ['3/4/2026', true],
  ['12/12/2026', true],
  ['13/4/2026', false],
  ['4/13/2026', false],
  ['4.3.2026', false],
  ['2026-03-04', false],
])('%s is ambiguous: %s', (text, expected) => {
  expect(isAmbiguousDate(text)).toBe(expected)
})

test('words of yes, no and any', () => {
  expect([' Yes ', 'y', 'TRUE', 'ja', 'j', '1', '是'].map(plainBoolean)).toEqual(
    Array.from({ length: 7 }, () => 'true'),
  )
  expect(['no', 'N', 'false', 'Nein', '0', '否'].map(plainBoolean)).toEqual(Array.from({ length: 6 }, () => 'false'))
  expect(['', 'maybe', 'yesno', '2'].map(plainBoolean)).toEqual(Array.from({ length: 4 }, () => undefined))
  expect(['', ' ', '-', '–', '—', '*', 'Any', '任意'].every(isAny)).toBe(true)
  expect(['all', '--', 'x'].some(isAny)).toBe(false)
})
