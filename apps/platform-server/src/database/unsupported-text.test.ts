import { expect, test } from 'vitest'
import { mayBeUnsupported, unsupportedTextIn } from './unsupported-text.ts'

test.each<[string, unknown, object | undefined]>([
  ['plain values', { a: ['b', 1, null, true, '😀'] }, undefined],
  ['NUL in a text', 'a\0b', { path: '', message: 'has the character NUL' }],
  ['NUL in a list', { a: ['b', 'c\0'] }, { path: '/a/1', message: 'has the character NUL' }],
  ['the first of two', { a: '\0', b: '\ud800' }, { path: '/a', message: 'has the character NUL' }],
  ['the first half of a pair', { a: 'x\ud83d' }, { path: '/a', message: 'has half a surrogate pair' }],
  ['the second half of a pair', { a: '\ude00x' }, { path: '/a', message: 'has half a surrogate pair' }],
  ['NUL in a name', { a: { 'b\0': 1 } }, { path: '/a', message: 'has a member whose name has the character NUL' }],
  [
    'half a pair in a name',
    { '\ud800': 1 },
    { path: '', message: 'has a member whose name has half a surrogate pair' },
  ],
  [
    'a place with a name that is escaped',
    { 'a/b~c': ['\0'] },
    { path: '/a~1b~0c/0', message: 'has the character NUL' },
  ],
])('the first text that cannot be stored: %s', (_title, value, found) => {
  expect(unsupportedTextIn(value)).toEqual(found)
})

test.each<[string, boolean]>([
  [String.raw`"a\u0000"`, true],
  [String.raw`"\ud83d"`, true],
  [String.raw`"\uDBFF"`, true],
  [String.raw`"\udfff"`, true],
  [String.raw`"\u0001"`, false],
  [String.raw`"\ud7ff"`, false],
  [String.raw`"\ue000"`, false],
  ['"u0000"', false],
])('the JSON text %s may have such a value: %s', (text, expected) => {
  expect(mayBeUnsupported(text)).toBe(expected)
})
