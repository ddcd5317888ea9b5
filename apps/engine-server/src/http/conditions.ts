import { quote } from '@engine/expression'
import { HttpError } from '@engine/http-server'
import type { IncomingHttpHeaders } from 'node:http'

/** The conditional headers, for the API description. */
export const CONDITIONS = {
  'if-match': 'entity tags of which one must be that of the stored ruleset, or `*`: there must be one; otherwise 412',
  'if-none-match':
    'entity tags of which none may be that of the stored ruleset, or `*`: there must be none; otherwise 412',
} as const

/** The useful condition for changing an existing resource; `if-none-match` is supported as well. */
export const UPDATE_CONDITIONS = { 'if-match': CONDITIONS['if-match'] } as const

/** The useful condition for a read; `if-match` is supported as well. */
export const READ_CONDITIONS = {
  'if-none-match': 'entity tags that the client has: 304 without a body when the current one is among them',
} as const

/** @param tag the current entity tag; undefined if nothing is stored */
type Condition = (tag: string | undefined) => void

/** The precondition of a change (RFC 9110 section 13.1); undefined if there is none. Throws `HttpError`. */
export function changeCondition(headers: IncomingHttpHeaders): Condition | undefined {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers
  if (match === undefined && noneMatch === undefined) return undefined
  return (tag) => {
    if (match !== undefined && !strongly(match, tag)) throw unmet('if-match', match, tag)
    if (noneMatch !== undefined && weakly(noneMatch, tag)) throw unmet('if-none-match', noneMatch, tag)
  }
}

/** True if the client already has the current version. Throws `HttpError` if its precondition (`if-match`) fails. */
export function isKnown({ 'if-match': match, 'if-none-match': noneMatch }: IncomingHttpHeaders, tag: string): boolean {
  if (match !== undefined && !strongly(match, tag)) throw unmet('if-match', match, tag)
  return noneMatch !== undefined && weakly(noneMatch, tag)
}

/** The strong comparison of RFC 9110 section 8.8.3.2: a weak tag never matches. */
function strongly(list: string, tag: string | undefined): boolean {
  return tag !== undefined && (list.trim() === '*' || tagsOf(list).includes(tag))
}

function weakly(list: string, tag: string | undefined): boolean {
  return tag !== undefined && (list.trim() === '*' || tagsOf(list).some((one) => one.replace(/^W\//, '') === tag))
}

/** The tags in a header. The tag of a compressed answer is converted to that of the ruleset. */
function tagsOf(list: string): readonly string[] {
  return list.split(',').map((tag) => tag.trim().replace(/-(?:gzip|zstd)"$/, '"'))
}

function unmet(name: string, given: string, tag: string | undefined): HttpError {
  const found = tag === undefined ? 'there is no such ruleset' : `the stored ruleset has the entity tag ${tag}`
  const message = `the condition ${quote(`${name}: ${given}`)} does not hold: ${found}`
  return new HttpError('precondition-failed', message, tag === undefined ? {} : { headers: { etag: tag } })
}
