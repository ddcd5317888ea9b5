import { randomUUIDv7 } from 'node:crypto'

declare const brand: unique symbol

/**
 * The id of an organization that the caller may act in. It comes from a row that the membership check has read, never
 * from a request: a `Scope` can be created from nothing else.
 */
export type OrgId = string & { readonly [brand]: 'organization' }

/** The id of an organization that is being created. */
export function newOrgId(): OrgId {
  return randomUUIDv7() as OrgId
}

/**
 * The id that a request names, to look up a membership. Only the membership check calls this; it may only pass on the
 * id of the row that it found.
 */
export function claimedOrgId(text: string): OrgId | undefined {
  return isId(text) ? (text as OrgId) : undefined
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** True if a text has the form of an id. PostgreSQL rejects any other text for a `uuid`. */
export function isId(text: string): boolean {
  return ID.test(text)
}

/** An id that nothing has: it pads a list in a query, since SQL has no empty lists. */
export const NO_ID = '00000000-0000-0000-0000-000000000000'
