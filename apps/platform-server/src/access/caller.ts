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
  /** The member with whom the key ends; null: it belongs to the organization alone. */
  readonly userId: string | null
  readonly scopes: readonly Action[]
  /** null: all projects. */
  readonly projectIds: readonly string[] | null
  /** Names; null: all environments. */
  readonly environments: readonly string[] | null
}

/** Who sends a request, by its credentials. */
export type Caller = Person | KeyHolder

/** Whether a caller may know of a project of an organization that it may act in. */
export function reachesProject(caller: Caller, projectId: string): boolean {
  return caller.kind === 'user' || caller.projectIds === null || caller.projectIds.includes(projectId)
}

/** Whether a caller may act in an environment of a project that it reaches. */
export function reachesEnvironment(caller: Caller, name: string): boolean {
  return caller.kind === 'user' || caller.environments === null || caller.environments.includes(name)
}
