import { type Static, Type } from 'typebox'
import { Id, Time } from '../../resources/resource-fields.ts'

const Resource = Type.Unknown({ description: 'the resource as the interface shows it; null: there was none' })

/** One change: who made it, from where, and the resource before and after. */
export const AuditEntry = Type.Object(
  {
    id: Id,
    at: Time('of the change'),
    project_id: Type.Union([Id, Type.Null()]),
    actor: Type.Object({
      type: Type.Enum(['user', 'key', 'server', 'system']),
      id: Type.String(),
      name: Type.String(),
    }),
    action: Type.String({ description: '`<type>.<verb>`, as `role.updated`' }),
    object: Type.Object({ type: Type.String(), id: Type.String(), name: Type.String() }),
    before: Resource,
    after: Resource,
    ip: Type.Union([Type.String(), Type.Null()]),
    request_id: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'AuditEntry' },
)
export type AuditEntry = Static<typeof AuditEntry>

/** The search filters of the audit log. */
export const AUDIT_FILTERS = {
  actor: Type.String({ description: 'id or name of the actor' }),
  action: Type.String({ description: '`<type>.<verb>`' }),
  object_type: Type.String({ description: 'type of the changed object, such as `release`' }),
  object_id: Type.String({ description: 'id of the changed object' }),
  project_id: Type.String({ format: 'uuid', description: 'id of the project' }),
  from: Type.String({ format: 'date-time', description: 'the first moment' }),
  to: Type.String({ format: 'date-time', description: 'the moment before which an entry is' }),
} as const
