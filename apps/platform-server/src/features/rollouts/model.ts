import { type Static, Type } from 'typebox'
import { Id, orNull, Time } from '../../resources/resource-fields.ts'

const literals = <const Values extends readonly string[]>(values: Values) => Type.Enum([...values] as Values[number][])

const sides = { canary: Type.Integer({ minimum: 0 }), stable: Type.Integer({ minimum: 0 }) }
const Sides = Type.Object(sides)
const Guard = Type.Object({ ...sides, e: Type.Number({ description: 'evidence against the candidate; 1 is none' }) })

const StageVerdict = Type.Object(
  {
    decision: literals(['continue', 'promote', 'hold', 'rollback']),
    reason: Type.String(),
    errors: Guard,
    latency: Guard,
    codes: Type.Object({ e: Type.Number(), counts: Type.Record(Type.String(), Sides) }),
    requests: Sides,
  },
  { title: 'StageVerdict' },
)

const Stage = Type.Object({
  index: Type.Integer({ minimum: 0 }),
  percent: Type.Number({ description: 'of the requests that candidates answer' }),
  ends_at: Time('by which it is decided or held'),
  verdict: orNull(StageVerdict),
})

const ServerState = Type.Object({
  server_id: Id,
  name: Type.String(),
  environment: Type.String(),
  canary_only: Type.Boolean({ description: 'it has the candidates of canaries, and nothing else' }),
  status: literals(['pending', 'delivering', 'verifying', 'live', 'skipped', 'failed', 'rolled_back']),
  digest: orNull(
    Type.String({ description: 'of the ruleset that it was last to take; null: none yet, or one is taken away' }),
  ),
  error: orNull(Type.String()),
})

/** The execution of a release: its step, the canary stage with its verdict, and each engine's progress. */
export const ReleaseExecution = Type.Object(
  {
    id: Id,
    release_id: Id,
    status: literals(['running', 'paused', 'completed', 'failed', 'cancelled', 'rolled_back']),
    step: literals(['preflight', 'canary', 'full', 'verify', 'done']),
    environment: orNull(Type.String({ description: 'where it is' })),
    stage: orNull(Stage),
    servers: Type.Array(ServerState),
    started_at: Time('of its begin'),
    ended_at: orNull(Time('of its end')),
    error: orNull(Type.String()),
  },
  { title: 'ReleaseExecution' },
)
export type ReleaseExecution = Static<typeof ReleaseExecution>

const Reason = Type.String({ minLength: 1, maxLength: 2000 })

/** Executes a release; the reason is recorded in its history. */
export const ExecuteRequest = Type.Object(
  { emergency_reason: Type.Optional(Reason) },
  { title: 'ExecuteRequest', description: 'with `emergency_reason` an owner executes in a freeze window' },
)
export type ExecuteRequest = Static<typeof ExecuteRequest>

/** Rolls a release back by a new one; the reason becomes part of it. */
export const RollbackRequest = Type.Object({ reason: Type.Optional(Reason) }, { title: 'RollbackRequest' })
export type RollbackRequest = Static<typeof RollbackRequest>
