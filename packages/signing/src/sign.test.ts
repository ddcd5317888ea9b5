import type { RulesetDocument } from '@engine/ruleset'
import { createPublicKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { BadKey, generateKeys, parsePrivateKey, parsePublicKey } from './keys.ts'
import { MalformedSignature, signatureOf } from './signature.ts'
import { sign } from './sign.ts'
import { verify } from './verify.ts'

const document: RulesetDocument = {
  config: { name: 'limit', version: '1.0.0', entry_step: 'end' },
  steps: { end: { id: 'end', type: 'terminal', result: { code: 'OK', message: 'ok', limit: 100.5 } } },
}
const keys = generateKeys()
const signed = sign(document, parsePrivateKey(keys.privateKey), '2026-11-21T00:00:00.000Z')
const signature = signatureOf(signed) ?? expect.unreachable()
const trusted = new Set([keys.publicKey])

const flipped = (base64: string, bit: number) => {
  const bytes = Buffer.from(base64, 'base64')
  bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
  return bytes.toString('base64')
}

describe('keys', () => {
  test('RFC 8032, test 1: the seed gives the public key', () => {
    const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex')
    const key = createPublicKey(parsePrivateKey(seed.toString('base64')))
    expect(key.export({ format: 'raw-public' }).toString('hex')).toBe(
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    )
  })

  test.each([
    ['', 'the public key is not base64'],
    ['!!!notbase64', 'the public key is not base64'],
    [`${keys.publicKey} `, 'the public key is not base64'],
    [keys.publicKey.replace('=', ''), 'the public key is not base64'],
    [Buffer.alloc(31).toString('base64'), 'the public key is 31 bytes long instead of 32'],
    [Buffer.alloc(33).toString('base64'), 'the public key is 33 bytes long instead of 32'],
  ])('%j is not a key', (text, message) => {
    expect(() => parsePublicKey(text)).toThrow(new BadKey(message))
  })

  test('a message about a bad private key does not repeat it', () => {
    expect(() => parsePrivateKey('c2VjcmV0')).toThrow(new BadKey('the private key is 6 bytes long instead of 32'))
  })
})

describe('signatures', () => {
  test('are valid for the signed content, however its keys are ordered', () => {
    const { steps = null, config = null, ...rest } = signed
    expect(verify({ ...rest, steps, config }, signature, trusted)).toBeUndefined()
  })

  test('`signed_at` is not covered, and nothing is decided by it', () => {
    expect(verify(signed, { ...signature, signed_at: '1999-01-01T00:00:00Z' }, trusted)).toBeUndefined()
  })

  test('a document that is signed again has one signature, the new one', () => {
    const again = sign(signed, parsePrivateKey(generateKeys().privateKey), '2026-11-22T00:00:00.000Z')
    expect(Object.keys(again)).toEqual(['config', 'steps', '_signature'])
    expect(signatureOf(again)?.public_key).not.toBe(keys.publicKey)
  })

  test.each([
    ['altered content', { ...signed, extra: 1 }, signature, trusted, 'invalid signature'],
    ['a key that is not trusted', signed, signature, new Set<string>(), 'untrusted public key'],
    ['another key', signed, { ...signature, public_key: generateKeys().publicKey }, trusted, 'untrusted public key'],
    ['a key that is not base64', signed, { ...signature, public_key: '%%' }, trusted, 'invalid public key base64'],
    ['a short key', signed, { ...signature, public_key: 'AAAA' }, trusted, 'invalid public key base64'],
    ['a signature that is not base64', signed, { ...signature, signature: '%%' }, trusted, 'invalid signature'],
    ['a short signature', signed, { ...signature, signature: 'AAAA' }, trusted, 'invalid signature'],
  ])('%s: refused', (_, altered, given, list, fault) => {
    expect(verify(altered, given, list)).toBe(fault)
  })

  test('every flipped bit of the signature is noticed', () => {
    for (let bit = 0; bit < 512; bit++)
      expect(verify(signed, { ...signature, signature: flipped(signature.signature, bit) }, trusted)).toBe(
        'invalid signature',
      )
  })

  test('the same signature with the group order added is refused (malleability)', () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n
    const bytes = Buffer.from(signature.signature, 'base64')
    const scalar = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order
    Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse().copy(bytes, 32)
    expect(verify(signed, { ...signature, signature: bytes.toString('base64') }, trusted)).toBe('invalid signature')
  })

  test.each([
    ['/_signature', 'x'],
    ['/_signature', null],
    ['/_signature/algorithm', { algorithm: 'rsa', public_key: '', signature: '' }],
    ['/_signature/public_key', { algorithm: 'ed25519', signature: '' }],
    ['/_signature/signature', { algorithm: 'ed25519', public_key: '', signature: 1 }],
  ])('a fault at %s of the embedded form: %j', (path, value) => {
    const read = () => signatureOf({ ...document, _signature: value })
    expect(read).toThrow(MalformedSignature)
    expect(read).toThrow(expect.objectContaining({ path }))
  })
})
