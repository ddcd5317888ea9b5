import type { OrgId } from '../database/org-id.ts'
import type { Action } from './actions.ts'

/** A person who is signed in. */
export interface Person {
  readonly kind: 'user'
  readonly id: string
  readonly email: string
  readonly displayName: string
  readonly sessionId: string
}

/** A program with an API key of an organization. */
export interface KeyHolder {
  readonly kind: 'key'
  readonly id: string
  readonly name: string
  readonly orgId: OrgId
  /** The member whose removal revokes the key; null if it belongs to the organization itself. */
  readonly userId: string | null
  readonly scopes: readonly Action[]
  /** null means all projects. */
  readonly projectIds: readonly string[] | null
  /** Names of environments; null means all environments. */
  readonly environments: readonly string[] | null
}

/** The authenticated sender of a request. */
export type Caller = Person | KeyHolder

/** True if a caller may see a project of an organization in which it may act. */
export function reachesProject(caller: Caller, projectId: string): boolean {
  return caller.kind === 'user' || caller.projectIds === null || caller.projectIds.includes(projectId)
}

/** True if a caller may act in an environment of a project that it reaches. */
export function reachesEnvironment(caller: Caller, name: string): boolean {
  return caller.kind === 'user' || caller.environments === null || caller.environments.includes(name)
}
