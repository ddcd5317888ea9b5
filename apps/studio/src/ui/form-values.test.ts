import { expect, test } from 'vitest'
import type { FormField } from './form-fields.ts'
import { chosenIn, firstValues, sentValues } from './form-values.ts'

const options = [
  { value: 'a', label: 'A' },
  { value: 'b', label: 'B' },
]
const FIELDS = [
  { name: 'text', label: '' },
  { name: 'area', label: '', kind: 'area' },
  { name: 'select', label: '', kind: 'select', options },
  { name: 'none', label: '', kind: 'select', options: [] },
  { name: 'checks', label: '', kind: 'checks', options },
  { name: 'flag', label: '', kind: 'flag' },
] as const satisfies readonly FormField[]

test('a form begins with the first option of each choice, and is empty otherwise', () => {
  expect(firstValues(FIELDS)).toEqual({ text: '', area: '', select: 'a', none: '', checks: [], flag: false })
})

test('texts are sent without blanks around them, and every field has its value', () => {
  const given = { text: ' x y ', area: '\nz\n', select: 'b', checks: ['b', 'a'], flag: true, other: 'more' }
  expect(sentValues(FIELDS, given)).toEqual({
    text: 'x y',
    area: 'z',
    select: 'b',
    none: '',
    checks: ['b', 'a'],
    flag: true,
  })
  expect(sentValues(FIELDS, {})).toEqual({ text: '', area: '', select: '', none: '', checks: [], flag: false })
})

test.each([
  [['a'], ['a']],
  ['a', []],
  [true, []],
])('of the entry %j the options %j are chosen', (entry, chosen) => {
  expect(chosenIn({ checks: entry }, 'checks')).toEqual(chosen)
})
