import { expect, test } from 'vitest'
import { keyOfTitle, readTitle } from './paste-title.ts'

test.each([
  ['Age', { label: 'Age', field: 'age', role: undefined }],
  ['Weight (kg)', { label: 'Weight', field: 'weight', role: undefined, unit: 'kg' }],
  ['(kg)', { label: '(kg)', field: 'field', role: undefined, unit: 'kg' }],
  ['Next', { label: 'Next', field: 'next', role: 'next' }],
  ['NOTE', { label: 'NOTE', field: 'note', role: 'note' }],
  ['in:age', { label: 'age', field: 'age', role: 'input', isNotation: true }],
  ['IN: age', { label: 'age', field: 'age', role: 'input', isNotation: true }],
  ['out:$limit', { label: 'limit', field: 'limit', role: 'output', isNotation: true }],
  ['Out:limit', { label: 'limit', field: 'limit', role: 'output', isNotation: true }],
  ['$limit', { label: 'limit', field: 'limit', role: 'output' }],
  ['$limit (EUR)', { label: 'limit', field: 'limit', role: 'output', unit: 'EUR' }],
  ['Name: Text', { label: 'Name', field: 'name', role: undefined, type: 'text' }],
  ['name: string', { label: 'name', field: 'name', role: undefined, type: 'text' }],
  ['in:age:number', { label: 'age', field: 'age', role: 'input', type: 'number', isNotation: true }],
  ['vip:boolean', { label: 'vip', field: 'vip', role: undefined, type: 'boolean' }],
  ['since:date', { label: 'since', field: 'since', role: undefined, type: 'date' }],
  ['Note: constructor', { label: 'Note: constructor', field: 'note_constructor', role: undefined }],
])('the title %j is read as %o', (title, read) => {
  expect(readTitle(title)).toEqual({ type: undefined, unit: undefined, isNotation: false, ...read })
})

test.each([
  ['Member level', 'member_level'],
  ['Weight (kg)', 'weight'],
  ['$limit', 'Limit'],
  ['due-date', 'Due Date'],
])('the titles %j and %j match one column', (one, other) => {
  expect(keyOfTitle(one)).toBe(keyOfTitle(other))
})
