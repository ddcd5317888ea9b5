import { ReplaySummary } from '@engine/api'
import { type Static, Type } from 'typebox'
import { BASE } from '../../resources/analysis.ts'
import { Id, orNull, RECORD, Time } from '../../resources/resource-fields.ts'

const Count = (description: string) => Type.Integer({ minimum: 0, description })

const members = {
  ...RECORD,
  rev: Type.Integer({ minimum: 1, description: 'the number of its last event' }),
  ruleset: Type.String(),
  from_seq: orNull(Type.Integer({ description: 'the save that is the candidate; null: a release has it' })),
  release_id: orNull(Id),
  digest: Type.String({ description: 'of the candidate' }),
  environment: Type.String({ description: 'name' }),
  base: Type.Object(BASE.properties, { description: 'the live content when the replay began' }),
  from: orNull(Time('of the first decisions')),
  to: Time('before which the decisions are'),
  status: Type.Enum(['running', 'completed', 'failed']),
  error: orNull(Type.String({ description: 'why it failed' })),
  total: Count('recorded decisions when it began'),
  done: Count('of these, those it has come to'),
  replayed: Count('decisions that both versions have made again'),
  changed: Count('of these, those with another result'),
}

/** A job that repeats recorded decisions with a candidate and with the live content. */
export const Replay = Type.Object(members, { title: 'Replay' })
export type Replay = Static<typeof Replay>

/** Like a replay, with the results so far. */
export const ReplayReport = Type.Object({ ...members, records: ReplaySummary }, { title: 'ReplayReport' })

const Moment = (description: string) => Type.Optional(Type.String({ format: 'date-time', maxLength: 64, description }))

/** Starts a replay. */
export const ReplayRequest = Type.Object(
  {
    ruleset: Type.String({ minLength: 1, maxLength: 128 }),
    environment: Type.String({ minLength: 1, maxLength: 64, description: 'id or name' }),
    from_seq: Type.Optional(Type.Integer({ minimum: 1, description: 'the save that is the candidate' })),
    release_id: Type.Optional(Type.String({ format: 'uuid', description: 'the release whose copy is the candidate' })),
    from: Moment('of the first decisions; default: all that are kept'),
    to: Moment('before which the decisions are; default: now'),
  },
  {
    title: 'ReplayRequest',
    description: 'either `from_seq` or `release_id`',
    examples: [{ ruleset: 'adult-check', environment: 'prod', from_seq: 4 }],
  },
)
export type ReplayRequest = Static<typeof ReplayRequest>
