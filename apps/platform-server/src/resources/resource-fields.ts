import { type TSchema, Type } from 'typebox'

export const Id = Type.String({ format: 'uuid' })
export const Time = (description: string) => Type.String({ format: 'date-time', description })
export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** The common members of all resources that people change. */
export const RECORD = {
  id: Id,
  created_at: Time('of its making'),
  created_by: Type.String({ description: 'id of the user or key; `system`: the platform' }),
  updated_at: Time('of its last change'),
  rev: Type.Integer({ minimum: 1, description: 'counts its changes' }),
}

/** A row of such a resource. */
interface RecordRow {
  readonly id: string
  readonly created_at: Date
  readonly created_by: string
  readonly updated_at: Date
  readonly rev: number
}

/** The common members of a row in the form of the interface. */
export function recordOf({ id, created_at, created_by, updated_at, rev }: RecordRow) {
  return { id, created_at: created_at.toISOString(), created_by, updated_at: updated_at.toISOString(), rev }
}
