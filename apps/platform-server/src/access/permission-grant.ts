import { failures } from '../errors.ts'
import type { Action } from './actions.ts'
import type { Member } from './membership.ts'

/** A named set of actions. */
export interface PermissionGrant {
  readonly name: string
  readonly isSystem: boolean
  readonly actions: readonly Action[]
}

/**
 * Throws 403 if a role or key holds, or would hold, actions that the caller lacks: callers cannot grant rights beyond
 * their own. Only owners create and remove owners; a role with all their actions does not suffice.
 */
export function refuseAboveOwn(
  author: Pick<Member, 'permissions' | 'roles' | 'reachesAll'>,
  grants: readonly PermissionGrant[],
): void {
  for (const { name, isSystem, actions } of grants) {
    const missing = actions.find((action) => !author.permissions.has(action))
    const [first] = actions
    if (first !== undefined && !author.reachesAll)
      throw failures.forbidden(`\`${name}\` reaches more projects or environments than this key`, first)
    if (missing !== undefined) throw failures.forbidden(`\`${name}\` holds \`${missing}\`, which you do not`, missing)
    if (isSystem && name === 'owner' && !author.roles.has('owner'))
      throw failures.forbidden('only an owner gives or takes the role `owner`', 'org.manage')
  }
}
