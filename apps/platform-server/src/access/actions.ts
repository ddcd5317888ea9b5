/** Every action that a role or a key can allow. Platform contract 6. */
export const ACTIONS = [
  'project.read',
  'contract.edit',
  'fact.edit',
  'ruleset.edit',
  'test.run',
  'release.create',
  'decision.execute',
  'member.manage',
  'role.manage',
  'project.manage',
  'environment.manage',
  'ruleset.publish',
  'release.approve',
  'release.execute',
  'release.rollback',
  'server.manage',
  'token.manage',
  'audit.read',
  'org.manage',
] as const
export type Action = (typeof ACTIONS)[number]

/** The roles that every organization has, most powerful first. */
export const BUILT_IN_ROLES = ['owner', 'admin', 'editor', 'viewer'] as const
export type BuiltInRole = (typeof BUILT_IN_ROLES)[number]

const VIEWER = ['project.read'] as const satisfies readonly Action[]

const EDITOR = [
  ...VIEWER,
  'contract.edit',
  'fact.edit',
  'ruleset.edit',
  'test.run',
  'release.create',
  'decision.execute',
] as const satisfies readonly Action[]

/**
 * Only owners have `org.manage`. Granting or revoking `owner` and emergency executions depend on the role itself, not
 * on an action.
 */
export const ROLE_ACTIONS: Readonly<Record<BuiltInRole, readonly Action[]>> = {
  owner: ACTIONS,
  admin: ACTIONS.filter((action) => action !== 'org.manage'),
  editor: EDITOR,
  viewer: VIEWER,
}

/** True if a text names an action. */
export function isAction(text: string): text is Action {
  return ACTIONS.some((action) => action === text)
}

/** True if a text names a role that every organization has. */
export function isBuiltIn(text: string): text is BuiltInRole {
  return BUILT_IN_ROLES.some((role) => role === text)
}
