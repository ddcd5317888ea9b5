import { hash, randomBytes } from 'node:crypto'

/**
 * The use of a token: a session, an API key, an engine's first registration, an engine, an invitation, a one-time link,
 * a browser that has signed in before, a sign-in through another server.
 */
export type TokenKind = 'ses' | 'key' | 'con' | 'srv' | 'inv' | 'otl' | 'dev' | 'sso'

/** A new token: the text is shown once, digest and prefix are stored. */
export interface NewToken {
  readonly text: string
  /** SHA-256. The text has 256 random bits, so that no slow hash is needed. */
  readonly hash: Buffer
  readonly prefix: string
}

/** Number of characters of the random part that are shown: enough to distinguish tokens, 36 bits of 256. */
const SHOWN_CHARACTERS = 6

/** Creates a token `eng_<kind>_<32 bytes in base64url>`. */
export function newToken(kind: TokenKind): NewToken {
  const text = `eng_${kind}_${randomBytes(32).toString('base64url')}`
  return { text, hash: hashOf(text), prefix: text.slice(0, `eng_${kind}_`.length + SHOWN_CHARACTERS) }
}

/** The SHA-256 under which a token is stored. */
function hashOf(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

const TOKEN = /^eng_([a-z]{3})_[A-Za-z0-9_-]{43}$/

/** The hash of a text in the format of this kind of token; undefined for another format, which needs no lookup. */
export function tokenHash(kind: TokenKind, text: string): Buffer | undefined {
  return TOKEN.exec(text)?.[1] === kind ? hashOf(text) : undefined
}
