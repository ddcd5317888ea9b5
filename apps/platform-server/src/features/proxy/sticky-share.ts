import { hash } from 'node:crypto'

/** Shares are counted in hundredths of a percent. */
const WHOLE = 10_000

/**
 * True if a key belongs to a share of all keys. The result for a key is stable: a growing share keeps its keys; two
 * salts choose independently of each other.
 *
 * The first 48 bits of a SHA-256 are evenly distributed for all kinds of keys; the modulus of a fast hash is not
 * (counters and `user-N` cluster).
 *
 * @param percent from 0 to 100, with two significant decimal places
 */
export function isInShare(salt: string, key: string, percent: number): boolean {
  const bits = Number.parseInt(hash('sha256', `${salt}\0${key}`, 'hex').slice(0, 12), 16)
  return Math.floor((bits * WHOLE) / 2 ** 48) < Math.round(percent * 100)
}
