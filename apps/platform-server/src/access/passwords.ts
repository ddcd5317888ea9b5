import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'

/** The minimum that OWASP recommends for argon2id: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const

/**
 * Maximum number of hashes computed concurrently. Each takes 50 ms in the thread pool of libuv, whose 4 threads also
 * read and write files.
 */
const MAX_CONCURRENT_HASHES = 2

const waiting: (() => void)[] = []
let running = 0

async function derive(message: string, nonce: Buffer): Promise<Buffer> {
  if (running >= MAX_CONCURRENT_HASHES) await new Promise<void>((resolve) => waiting.push(resolve))
  else running++
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      argon2('argon2id', { ...COST, message, nonce }, (error, hash) => (error === null ? resolve(hash) : reject(error)))
    })
  } finally {
    // The slot is passed on directly, so that no new caller can take it in between.
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
}

/** The hash of a password in the PHC string format. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const { memory, passes, parallelism } = COST
  const parameters = `m=${memory},t=${passes},p=${parallelism}`
  return `$argon2id$v=19$${parameters}$${base64(salt)}$${base64(await derive(password, salt))}`
}

/** Base64 without padding, as the format requires. */
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** Compared when an account has no hash, so that an unknown account takes as long as a wrong password. */
const ABSENT = `$argon2id$v=19$m=19456,t=2,p=1$${base64(Buffer.alloc(16))}$${base64(Buffer.alloc(32))}`

/**
 * True if a password matches a hash.
 *
 * @param hash undefined if there is no account, or it has no password; returns false after the same time
 */
export async function isPassword(hash: string | undefined, password: string): Promise<boolean> {
  const [, , , , salt = '', tag = ''] = (hash ?? ABSENT).split('$')
  const derived = await derive(password, Buffer.from(salt, 'base64'))
  return timingSafeEqual(derived, Buffer.from(tag, 'base64')) && hash !== undefined
}
