import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSecretBox } from './secret-box.ts'

const key = randomBytes(32)
const secretBox = createSecretBox(key)

test('an encrypted secret is decrypted, and two encryptions of it differ', () => {
  const [one, two] = [secretBox.encrypt('grüße', 'a'), secretBox.encrypt('grüße', 'a')]
  expect([secretBox.decrypt(one, 'a'), createSecretBox(key).decrypt(two, 'a')]).toEqual(['grüße', 'grüße'])
  expect(one.equals(two)).toBe(false)
  expect(one.includes('gr')).toBe(false)
})

test('it is decrypted neither for another purpose nor with another key', () => {
  const sealed = secretBox.encrypt('secret', 'a')
  expect(() => secretBox.decrypt(sealed, 'b')).toThrow(/was sealed with another key/)
  expect(() => createSecretBox(randomBytes(32)).decrypt(sealed, 'a')).toThrow(/was sealed with another key/)
})

test('a change of any byte is detected', () => {
  const sealed = secretBox.encrypt('secret', 'a')
  for (const index of sealed.keys()) {
    const changed = Buffer.from(sealed)
    changed[index] = (changed[index] ?? 0) ^ 1
    expect(() => secretBox.decrypt(changed, 'a'), String(index)).toThrow(/was sealed with another key|unknown format/)
  }
  expect(() => secretBox.decrypt(sealed.subarray(0, 8), 'a')).toThrow(/was sealed with another key/)
})

// Also decrypted with the Python package `cryptography`. Stored secrets must stay readable.
test('a secret that an earlier release has stored is decrypted', () => {
  const stored = Buffer.from('AfhjRfEo04LK+QCiG6kLf6R4DgveaRl8yPLx6En2GiupUGAc', 'base64')
  expect(createSecretBox(Buffer.alloc(32, 7)).decrypt(stored, 'webhook a')).toBe('grüße')
})

test('a secret has a nonce of 12 bytes and a tag of 16', () => {
  expect(secretBox.encrypt('', 'a')).toHaveLength(1 + 12 + 16)
})
