import { describe, expect, test } from 'vitest'
import { HttpError } from './http-error.ts'
import { refuseEncoding, textOf } from './body.ts'

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

describe('the codings of a body', () => {
  test.each([{}, { 'transfer-encoding': 'chunked' }, { 'transfer-encoding': 'Chunked', 'content-encoding': 'gzip' }])(
    '%o are supported',
    (headers) => expect(refuseEncoding(headers)).toBeUndefined(),
  )

  test.each([
    [{ 'transfer-encoding': 'gzip, chunked' }, 'the transfer encoding `gzip, chunked`'],
    [{ 'transfer-encoding': 'chunked', 'content-encoding': 'br' }, 'the content encoding `br`'],
    [{ 'content-encoding': 'br' }, 'the content encoding `br`'],
  ])('%o are refused', (headers, words) => {
    expect(refuseEncoding(headers)).toMatchObject({
      code: 'unsupported-media-type',
      message: expect.stringContaining(words),
    })
  })
})
