import { type Answer } from '@engine/http-server'
import type { IncomingMessage } from 'node:http'
import { json } from '../http/json-response.ts'
import { failures } from '../errors.ts'

/** A resource that has revisions. */
export interface Revised {
  readonly rev: number
}

/** The condition of a change, for the API description. */
export const IF_MATCH = {
  'if-match': 'entity tag of the resource that is to be changed; 409 when it is not that',
} as const

/** Headers of answers with such a resource, for the API description. */
export const ETAG = { etag: 'the revision, for `if-match`' } as const

/** An answer with a resource and its entity tag; 304 if the client already has it. */
export function revised(raw: Pick<IncomingMessage, 'headers'>, resource: Revised, status = 200): Answer {
  const etag = tagOf(resource)
  if (status === 200 && tagsOf(raw.headers['if-none-match']).includes(etag)) return { status: 304, headers: { etag } }
  return { ...json(status, resource), headers: { etag } }
}

/**
 * The revision that a change expects; undefined if it expects none. The change must check it again when it is stored.
 */
export function expectedRevision({ headers }: Pick<IncomingMessage, 'headers'>, current: Revised): number | undefined {
  const given = headers['if-match']
  if (given === undefined || given.trim() === '*') return undefined
  if (!tagsOf(given).includes(tagOf(current))) throw staleRevision(current)
  return current.rev
}

/** The error for a change that another one has preceded. */
export function staleRevision(current: Revised): Error {
  return failures.conflict('stale', `it was changed: its entity tag is ${tagOf(current)}`, current)
}

const tagOf = ({ rev }: Revised) => `"${rev}"`

/** The tags in a header. The tag of a compressed answer is converted to that of the resource. */
function tagsOf(list = ''): readonly string[] {
  return list.split(',').map((tag) =>
    tag
      .trim()
      .replace(/-(?:gzip|zstd)"$/, '"')
      .replace(/^W\//, ''),
  )
}
