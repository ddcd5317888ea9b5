import { describe, expect, test } from 'vitest'
import { HttpError } from './http-error.ts'
import { textOf } from './body.ts'

const bytes = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

describe('the text of a body', () => {
  test.each([
    ['ASCII', '61', 'a'],
    ['two bytes', 'c3 a4', 'ä'],
    ['three bytes', 'e2 82 ac', '€'],
    ['four bytes', 'f0 9f 98 80', '😀'],
    ['nothing', '', ''],
    ['the last code point', 'f4 8f bf bf', '\u{10ffff}'],
    ['U+FFFD itself', 'ef bf bd', '\ufffd'],
  ])('of %s', (_, hex, text) => expect(textOf(bytes(hex))).toBe(text))

  test.each([
    ['Latin-1', 'e4'],
    ['a continuation alone', '61 80'],
    ['a sequence that is cut off', 'e2 82'],
    ['a sequence that is longer than it must be', 'c0 af'],
    ['half of a surrogate pair', 'ed a0 80'],
    ['beyond the last code point', 'f4 90 80 80'],
    ['a byte that no text has', '61 ff 62'],
    ['UTF-16', 'ff fe 61 00'],
  ])('is refused where it is not UTF-8: %s', (_, hex) => expect(() => textOf(bytes(hex))).toThrow(HttpError))
})
