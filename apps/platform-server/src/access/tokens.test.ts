import { expect, test } from 'vitest'
import { newToken, tokenHash } from './tokens.ts'

test('a token has its kind and 256 random bits; hash and a short prefix are kept', () => {
  const { text, hash, prefix } = newToken('key')
  expect(text).toMatch(/^eng_key_[A-Za-z0-9_-]{43}$/)
  expect(prefix).toBe(text.slice(0, 14))
  expect(tokenHash('key', text)).toEqual(hash)
  expect(hash).toHaveLength(32)
  expect(newToken('key').text).not.toBe(text)
})

test.each([
  '',
  'eng_key_',
  'eng_key_short',
  `eng_ses_${'x'.repeat(43)}`,
  `eng_key_${'x'.repeat(44)}`,
  `eng_key_${'ä'.repeat(43)}`,
])('%j is not a key', (text) => {
  expect(tokenHash('key', text)).toBeUndefined()
})

test('a token that an earlier release has given out has the same hash', () => {
  expect(tokenHash('key', `eng_key_${'A'.repeat(43)}`)?.toString('hex')).toBe(
    '0e202c7f09538c4780b9e633146939e9cf34d1fbad33cbd9509459cd4081897b',
  )
})

test('a token of another kind is none', () => {
  const { text } = newToken('ses')
  expect([tokenHash('ses', text) === undefined, tokenHash('key', text)]).toEqual([false, undefined])
})
