import type { Value } from '@engine/expression'
import { actionsOf } from '../../access/membership.ts'
import type { Scope } from '../../database/scope.ts'
import { notify } from '../notifications/repository.ts'
import type { Member } from './model.ts'
import { activeHolders } from './repository.ts'

/** The change of a membership. */
export type MemberEvent = 'invited' | 'joined' | 'roles' | 'removed'

/** Notify a current member and all who manage members. */
export async function notifyOfMember(scope: Scope, event: MemberEvent, member: Member): Promise<void> {
  const holders = await activeHolders(scope)
  const managers = holders.filter(({ name, is_system, permissions }) =>
    actionsOf(name, is_system, permissions).includes('member.manage'),
  )
  const told = [member.user_id, ...managers.map(({ user_id }) => user_id)].filter((id) => id !== null)
  const payload: Value = { event, email: member.email, roles: member.roles }
  await notify(scope, event === 'removed' ? told.filter((id) => id !== member.user_id) : told, {
    kind: 'member_changed',
    ref: { type: 'member', id: member.id },
    payload,
  })
}
