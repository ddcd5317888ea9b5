import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Encrypts secrets that must be used again and so cannot be hashed; a reader of the database learns nothing of them.
 */
export interface SecretBox {
  /**
   * @param purpose names the secret and its owner: it is decrypted for the same purpose only, so that rows cannot be
   * exchanged
   */
  encrypt(secret: string, purpose: string): Buffer
  /** Throws if the secret was encrypted with another key or for another purpose, or was modified. */
  decrypt(sealed: Uint8Array, purpose: string): string
}

const CIPHER = 'aes-256-gcm'
/** In bytes. NIST SP 800-38D recommends 12 for the nonce; a random one is safe for 2^32 secrets. */
const [NONCE, TAG] = [12, 16] as const
/** The first byte, so that another format can follow. */
const FORMAT = 1

/** @param key key of the platform, from which a dedicated key is derived */
export function createSecretBox(key: Buffer): SecretBox {
  const own = Buffer.from(hkdfSync('sha256', key, '', 'engine-platform sealed secrets', 32))
  return {
    encrypt(secret, purpose) {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv(CIPHER, own, nonce).setAAD(Buffer.from(purpose))
      const hidden = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), hidden])
    },
    decrypt(sealed, purpose) {
      const bytes = Buffer.from(sealed)
      if (bytes[0] !== FORMAT) throw new Error(`the ${purpose} has an unknown format`)
      try {
        const nonce = bytes.subarray(1, 1 + NONCE)
        const decipher = createDecipheriv(CIPHER, own, nonce, { authTagLength: TAG }).setAAD(Buffer.from(purpose))
        decipher.setAuthTag(bytes.subarray(1 + NONCE, 1 + NONCE + TAG))
        return decipher.update(bytes.subarray(1 + NONCE + TAG), undefined, 'utf8') + decipher.final('utf8')
      } catch (cause) {
        const reason = `the ${purpose} was sealed with another key than that of --secret-key-file, or was changed`
        throw new Error(reason, { cause })
      }
    },
  }
}
