import type { ObjectValue } from '@engine/expression'
import { expect, test } from 'vitest'
import { embedded, MalformedSignature, SIGNATURE_FIELD, signatureOf, withoutSignature } from './signature.ts'

const SIGNATURE = { public_key: 'k', signature: 's', signed_at: '2026-11-30T00:00:00Z' }
const MEMBER = { algorithm: 'ed25519', ...SIGNATURE }
const documentWith = (member: ObjectValue[string]) => ({ config: {}, [SIGNATURE_FIELD]: member })

test('a signature is embedded in place of another, read and removed', () => {
  const signed = embedded(documentWith('old'), SIGNATURE)
  expect(signed).toEqual(documentWith(MEMBER))
  expect(signatureOf(signed)).toEqual(SIGNATURE)
  expect(withoutSignature(signed)).toEqual({ config: {} })
  expect(signatureOf({ config: {} })).toBeUndefined()
})

test('a signature has a time only if it is given as a text', () => {
  const { signed_at: _, ...untimed } = SIGNATURE
  expect(embedded({ config: {} }, untimed)).toEqual(documentWith({ algorithm: 'ed25519', ...untimed }))
  expect(signatureOf(documentWith({ ...MEMBER, signed_at: 5 }))).toEqual(untimed)
})

test.each<[member: ObjectValue[string], path: string]>([
  ['text', ''],
  [[MEMBER], ''],
  [null, ''],
  [{ ...MEMBER, algorithm: 'rsa' }, '/algorithm'],
  [{ public_key: 'k', signature: 's' }, '/algorithm'],
  [{ ...MEMBER, public_key: 7 }, '/public_key'],
  [{ algorithm: 'ed25519', signature: 's' }, '/public_key'],
  [{ ...MEMBER, signature: null }, '/signature'],
])('the signature %j is malformed at `%s`', (member, path) => {
  expect(() => signatureOf(documentWith(member))).toThrow(MalformedSignature)
  expect(() => signatureOf(documentWith(member))).toThrow(
    expect.objectContaining({ path: `/_signature${path}` }) as Error,
  )
})
