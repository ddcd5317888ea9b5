import type { Caller, Person } from '../../access/caller.ts'
import { failures } from '../../errors.ts'

/** Throws 403 for a key: only people review and comment. */
export function personOf(caller: Caller): Person {
  if (caller.kind !== 'user')
    throw failures.forbidden('only a person who is signed in reviews or comments on a release', 'person')
  return caller
}
