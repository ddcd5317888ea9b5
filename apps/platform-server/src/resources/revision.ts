import { type Answer } from '@engine/http-server'
import type { IncomingMessage } from 'node:http'
import { json } from '../http/json-response.ts'
import { failures } from '../errors.ts'

/** A resource that counts its changes. */
export interface Revised {
  readonly rev: number
}

/** The condition of a change, for the description. */
export const IF_MATCH = {
  'if-match': 'entity tag of the resource that is to be changed; 409 when it is not that',
} as const

/** Headers of answers with such a resource, for the description. */
export const ETAG = { etag: 'the revision, for `if-match`' } as const

/** An answer with a resource and its entity tag; 304 when the client has it. */
export function revised(raw: Pick<IncomingMessage, 'headers'>, resource: Revised, status = 200): Answer {
  const etag = tagOf(resource)
  if (status === 200 && tagsOf(raw.headers['if-none-match']).includes(etag)) return { status: 304, headers: { etag } }
  return { ...json(status, resource), headers: { etag } }
}

/** The revision that a change is held to; undefined: to none. The change must hold to it again where it is stored. */
export function expectedRevision({ headers }: Pick<IncomingMessage, 'headers'>, current: Revised): number | undefined {
  const given = headers['if-match']
  if (given === undefined || given.trim() === '*') return undefined
  if (!tagsOf(given).includes(tagOf(current))) throw staleRevision(current)
  return current.rev
}

/** Another change came first. */
export function staleRevision(current: Revised): Error {
  return failures.conflict('stale', `it was changed: its entity tag is ${tagOf(current)}`, current)
}

const tagOf = ({ rev }: Revised) => `"${rev}"`

/** Tags as given; that of a compressed answer as that of the resource. */
function tagsOf(list = ''): readonly string[] {
  return list.split(',').map((tag) =>
    tag
      .trim()
      .replace(/-(?:gzip|zstd)"$/, '"')
      .replace(/^W\//, ''),
  )
}
