import type { Transaction } from '../../database/database.ts'
import type { Author } from '../../database/audit.ts'

/**
 * Write what an account did to the audit of each organization in which it is a member: an account belongs to none of them,
 * and to all.
 */
export async function auditAccount(
  transaction: Transaction,
  user: { readonly id: string; readonly email: string },
  origin: Pick<Author, 'ip' | 'requestId'>,
  verb: 'signed_in' | 'signed_in_failed' | 'deleted',
): Promise<void> {
  const memberships = await transaction.tables
    .selectFrom('members')
    .select('org_id')
    .where('user_id', '=', user.id)
    .where('status', '=', 'active')
    .execute()
  const author: Author = { actor: { type: 'user', id: user.id, name: user.email }, ...origin }
  for (const { org_id } of memberships)
    await transaction.audit(org_id, author, { action: `session.${verb}`, object: { id: user.id, name: user.email } })
}
