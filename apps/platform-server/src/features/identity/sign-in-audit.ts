import type { Value } from '@engine/expression'
import type { Transaction } from '../../database/database.ts'
import type { Author } from '../../database/audit.ts'

/** The action on an account. `updated`: its name or password; `deleted`: one of its sessions. */
type Verb = 'signed_in' | 'signed_in_failed' | 'updated' | 'deleted'

/** The account and the origin of the request. */
interface Deed {
  readonly user: { readonly id: string; readonly email: string }
  readonly address: string
  readonly requestId: string
  readonly before?: Value
  readonly after?: Value
}

/** Audit an action on an account in each organization of which it is a member: an account belongs to no single organization. */
export async function auditAccount(transaction: Transaction, verb: Verb, deed: Deed): Promise<void> {
  const { user, address, requestId, before, after } = deed
  const memberships = await transaction.tables
    .selectFrom('members')
    .select('org_id')
    .where('user_id', '=', user.id)
    .where('status', '=', 'active')
    .execute()
  const author: Author = { actor: { type: 'user', id: user.id, name: user.email }, ip: address, requestId }
  const object = { id: user.id, name: user.email }
  for (const { org_id } of memberships)
    await transaction.audit(org_id, author, { action: `session.${verb}`, object, before, after })
}
