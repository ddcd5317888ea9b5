import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'

/** A text is not a valid key. The message never contains the text, which may be a misplaced private key. */
export class BadKey extends Error {
  override readonly name = 'BadKey'
}

/** A key pair, each base64 of 32 raw bytes (RFC 8032). */
export interface KeyPair {
  readonly publicKey: string
  readonly privateKey: string
}

/** Length of a public or private key of Ed25519 in bytes (RFC 8032). */
export const KEY_BYTES = 32

/** Generates a new key pair. */
export function generateKeys(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return {
    publicKey: publicKey.export({ format: 'raw-public' }).toString('base64'),
    privateKey: privateKey.export({ format: 'raw-private' }).toString('base64'),
  }
}

/** Throws `BadKey`. */
export function parsePublicKey(text: string): KeyObject {
  return createPublicKey({ key: keyBytes(text, 'public'), format: 'raw-public', asymmetricKeyType: 'ed25519' })
}

/** Throws `BadKey`. */
export function parsePrivateKey(text: string): KeyObject {
  return createPrivateKey({ key: keyBytes(text, 'private'), format: 'raw-private', asymmetricKeyType: 'ed25519' })
}

function keyBytes(text: string, kind: 'public' | 'private'): Buffer {
  const bytes = bytesOf(text)
  if (bytes === undefined) throw new BadKey(`the ${kind} key is not base64`)
  if (bytes.length !== KEY_BYTES)
    throw new BadKey(`the ${kind} key is ${bytes.length} bytes long instead of ${KEY_BYTES}`)
  return bytes
}

/** Strict base64 (RFC 4648 section 4): padded, no other characters, no unused bits. Undefined for anything else. */
export function bytesOf(text: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
