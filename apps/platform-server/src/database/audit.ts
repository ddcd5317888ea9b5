import { stringifyJson, type Value } from '@engine/expression'
import type { Scope } from './scope.ts'
import type { ActorType } from './tables.ts'
import { timeOrderedId } from './time-ordered-id.ts'

/** The author of a change, and the request that caused it. */
export interface Author {
  readonly actor: { readonly type: ActorType; readonly id: string; readonly name: string }
  /** undefined for the program itself. */
  readonly ip: string | undefined
  readonly requestId: string | undefined
}

export const SYSTEM: Author = {
  actor: { type: 'system', id: 'system', name: 'engine-platform' },
  ip: undefined,
  requestId: undefined,
}

/**
 * Types of the objects of audit entries: those of section 15 of the contract's behaviour, and three additional ones
 * (docs/platform/api.md).
 */
export const AUDIT_OBJECT_TYPES = [
  'organization',
  'member',
  'invitation',
  'role',
  'project',
  'environment',
  'policy',
  'draft',
  'sub_rule',
  'contract',
  'fact',
  'concept',
  'suite',
  'release',
  'execution',
  'shadow',
  'replay',
  'server',
  'binding',
  'connect_token',
  'api_key',
  'webhook',
  'signing_key',
  'session',
  'audit',
  'comment',
  'trusted_keys',
] as const

/** One change, for the audit. Never contains a token, a password or a key. */
export interface AuditRecord {
  /** `<type>.<verb in the past>`, as `role.updated`. */
  readonly action: `${(typeof AUDIT_OBJECT_TYPES)[number]}.${string}`
  readonly object: { readonly id: string; readonly name: string }
  /** The resource in the form of the API; undefined if it did not exist before. */
  readonly before?: Value | undefined
  readonly after?: Value | undefined
  readonly projectId?: string | undefined
}

/** Woken after each audited change of a project, and after other events that its streams report. */
export const changesTopic = (projectId: string) => `changes:${projectId}`

/** Writes the audit entry of a change, in the transaction of the change. */
export async function writeAudit(scope: Scope, author: Author, record: AuditRecord): Promise<void> {
  const { actor, ip, requestId } = author
  await scope
    .insert('audit_entries', {
      id: timeOrderedId(),
      project_id: record.projectId ?? null,
      actor_type: actor.type,
      actor_id: actor.id,
      actor_name: actor.name,
      action: record.action,
      object_type: record.action.slice(0, record.action.indexOf('.')),
      object_id: record.object.id,
      object_name: record.object.name,
      before: jsonOrNull(record.before),
      after: jsonOrNull(record.after),
      ip: ip ?? null,
      request_id: requestId ?? null,
    })
    .execute()
}

function jsonOrNull(value: Value | undefined): string | null {
  return value === undefined ? null : stringifyJson(value)
}
