import type { TSchema } from 'typebox'
import type { Action } from '../access/actions.ts'
import type { Caller } from '../access/caller.ts'
import type { Author } from '../database/audit.ts'
import { authorOf } from './author.ts'
import { ETAG, expectedRevision, IF_MATCH, type Revised, revised } from './revision.ts'
import { type ScopedRequest, Empty, type Finder, memberRoute, type Rights, type Route } from '../http/route.ts'

/** The common members of routes of a resource that has revisions. */
interface RevisedRow<Place extends { readonly member: Rights }, Found> {
  readonly path: string
  readonly summary: string
  readonly group: string
  readonly within: Finder<Place>
  /** Omitted if the resource is the place itself. */
  readonly find?: (place: Place, params: Readonly<Record<string, string>>, caller: Caller) => Promise<Found>
  /** The current resource, with the revision for the precondition. */
  readonly current: (asked: At<Place, Found>) => Revised | Promise<Revised>
}

/** The place and the caller of a request. */
interface At<Place, Found> {
  readonly place: Place
  readonly found: Found
  readonly caller: Caller
}

/** GET, with the entity tag; 304 if the client already has it. */
export function readRoute<Place extends { readonly member: Rights }, Found = undefined>(
  row: RevisedRow<Place, Found> & { readonly answer: TSchema },
): Route {
  const { current, answer, ...common } = row
  return memberRoute<Place, Found>({
    ...common,
    method: 'GET',
    right: 'member',
    answers: { 200: answer },
    answerHeaders: { 200: ETAG },
    handle: async (asked) => revised(asked.raw, await current(asked)),
  })
}

/** A request for a change, with its author and the expected revision; undefined means any. */
type Changing<Body extends TSchema, Place, Found> = ScopedRequest<Body, Place, Found> & {
  readonly author: Author
  readonly rev: number | undefined
}

/** PUT with `if-match`. The change must check the revision again when it is stored. */
export function changeRoute<Place extends { readonly member: Rights }, Body extends TSchema, Found = undefined>(
  row: RevisedRow<Place, Found> & {
    readonly right: Action
    readonly body: Body
    readonly maxBodyBytes?: number
    readonly keepsDigits?: boolean
    readonly answer: TSchema
    readonly change: (asked: Changing<Body, Place, Found>) => Promise<Revised>
  },
): Route {
  const { current, answer, change, ...common } = row
  return memberRoute<Place, Found, Body>({
    ...common,
    method: 'PUT',
    headers: IF_MATCH,
    answers: { 200: answer },
    answerHeaders: { 200: ETAG },
    hasConflicts: true,
    async handle(asked) {
      const rev = expectedRevision(asked.raw, await current(asked))
      return revised({ headers: {} }, await change({ ...asked, author: authorOf(asked.caller, asked), rev }))
    },
  })
}

/** DELETE with `if-match`. */
export function deleteRoute<Place extends { readonly member: Rights }, Found = undefined>(
  row: RevisedRow<Place, Found> & {
    readonly right: Action
    readonly remove: (asked: Changing<typeof Empty, Place, Found>) => Promise<void>
  },
): Route {
  const { current, remove, ...common } = row
  return memberRoute<Place, Found>({
    ...common,
    method: 'DELETE',
    headers: IF_MATCH,
    answers: { 204: Empty },
    hasConflicts: true,
    async handle(asked) {
      const rev = expectedRevision(asked.raw, await current(asked))
      await remove({ ...asked, author: authorOf(asked.caller, asked), rev })
      return { status: 204 }
    },
  })
}
