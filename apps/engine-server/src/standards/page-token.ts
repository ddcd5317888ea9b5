import { isObject, parseJson } from '@engine/expression'
import { createHmac, timingSafeEqual } from 'node:crypto'

/** Longest token that is verified, in characters. */
const MAX_TOKEN_CHARACTERS = 8192

/** Creates and reads page tokens: the last id of the page and a digest of its query, signed. */
export interface PageTokens {
  /** @param query digest of the query, which must be the same for the next page */
  create(after: string, query: string): string
  /** The id after which the next page begins; undefined if the token belongs to another query or other servers. */
  read(token: string, query: string): string | undefined
}

/** @param key secret shared by all processes and replicas */
export function createPageTokens(key: Uint8Array): PageTokens {
  const signatureOf = (content: string, query: string) =>
    createHmac('sha256', key).update(content).update('\n').update(query).digest()
  return {
    create(after, query) {
      const content = Buffer.from(JSON.stringify({ after })).toString('base64url')
      return `${content}.${signatureOf(content, query).toString('base64url')}`
    },
    read(token, query) {
      if (token.length > MAX_TOKEN_CHARACTERS) return undefined
      const [content = '', signature = '', ...rest] = token.split('.')
      const expected = signatureOf(content, query)
      const given = Buffer.from(signature, 'base64url')
      if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
      const parsed = parseJson(Buffer.from(content, 'base64url').toString('utf8'), { duplicateKeys: 'refuse' })
      if (parsed.kind === 'failed' || !isObject(parsed.value)) return undefined
      const { after } = parsed.value
      return typeof after === 'string' ? after : undefined
    },
  }
}
