import type { Caller } from '../access/caller.ts'
import type { Author } from '../database/audit.ts'
import type { UncheckedRequest } from '../http/route.ts'

/** The author of a change by a request, for the audit. */
export function authorOf(
  caller: Caller,
  { address, requestId }: Pick<UncheckedRequest, 'address' | 'requestId'>,
): Author {
  const name = caller.kind === 'user' ? caller.email : caller.name
  return { actor: { type: caller.kind, id: caller.id, name }, ip: address, requestId }
}

/** `created_by` of a new resource: the id of the user or of the key. */
export function creatorOf({ id }: Caller): string {
  return id
}
