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

const Result = (description: string) => Type.String({ minLength: 1, maxLength: 2000, description })
const Share = Type.Number({
  exclusiveMinimum: 0,
  maximum: 1,
  description: 'largest share of the requests with `from` that change; of each `x-canary-key` the first counts',
})
const transition = {
  from: Result('result code of the live version, or `error:` and the code of the error'),
  to: Result('result code of the candidate'),
}

/** A change of result that holds no stage. */
const ExpectedTransition = Type.Object(
  {
    ...transition,
    share: orNull(Share),
    environments: Type.Array(Type.String(), { description: 'those whose impact names it' }),
  },
  { title: 'ExpectedTransition' },
)

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
    expected: Type.Array(ExpectedTransition, { description: 'changes of results that hold no stage' }),
    servers: Type.Array(ServerState),
    started_at: Time('of its begin'),
    ended_at: orNull(Time('of its end')),
    error: orNull(Type.String()),
  },
  { title: 'ReleaseExecution' },
)
export type ReleaseExecution = Static<typeof ReleaseExecution>

const Rate = Type.Object({
  ...sides,
  e: Type.Number({ description: 'evidence against the candidate; 1 is none' }),
  alarm: Type.Number({ description: 'from this `e` on the stage fails' }),
  alarm_at: orNull(
    Type.Integer({
      minimum: 0,
      description:
        'events of the candidate from which the stage fails, those of the control being as they are; null: no number is',
    }),
  ),
  ratio: Type.Object(
    {
      estimate: orNull(Type.Number({ description: 'null: the control has no event' })),
      low: Type.Number({ description: '0: no lower bound' }),
      high: orNull(Type.Number({ description: 'null: no upper bound' })),
    },
    {
      description: 'how many times as often the candidate has events, with a confidence of 95 % at all looks together',
    },
  ),
})

const Both = Type.Object({ before: Type.Integer({ minimum: 0 }), after: Type.Integer({ minimum: 0 }) })

/** The canary of an execution in one environment: its stages, and the compared measures over all of them. */
export const CanaryProgress = Type.Object(
  {
    environment: Type.String(),
    alpha: Type.Number({ description: 'accepted rate of false alarms' }),
    on_failure: literals(['pause', 'rollback']),
    on_inconclusive: literals(['hold', 'promote']),
    slow_above_ms: orNull(Type.Number({ description: 'an answer that takes longer is slow; null: not yet measured' })),
    stages: Type.Array(
      Type.Object({
        index: Type.Integer({ minimum: 0 }),
        percent: Type.Number({ description: 'of the requests that candidates answer' }),
        duration_s: Type.Integer({ minimum: 0 }),
        min_requests: Type.Integer({ minimum: 0, description: 'of the candidate, before it is promoted' }),
        begun_at: orNull(Time('of its begin; null: not begun')),
        ends_at: orNull(Time('by which it is decided or held')),
        ended_at: orNull(Time('of its end; null: not ended')),
        requests: Sides,
        errors: Sides,
      }),
    ),
    measures: orNull(
      Type.Object(
        {
          requests: Sides,
          errors: Rate,
          latency: Rate,
          codes: Type.Object({
            e: Type.Number(),
            alarm: Type.Number({ description: 'from this `e` on the stage is held' }),
            counts: Type.Record(Type.String(), Sides),
          }),
        },
        { description: 'over all stages; null: none has begun' },
      ),
    ),
    predicted: orNull(
      Type.Object(
        { replayed: Type.Integer({ minimum: 0 }), codes: Type.Record(Type.String(), Both) },
        {
          description:
            'results of recorded decisions by the live and the released version, as replayed when the release was created; null: none were',
        },
      ),
    ),
  },
  { title: 'CanaryProgress' },
)
export type CanaryProgress = Static<typeof CanaryProgress>

const Reason = Type.String({ minLength: 1, maxLength: 2000 })

/** Executes a release; both members are recorded in its history. */
export const ReleaseExecuteRequest = Type.Object(
  {
    emergency_reason: Type.Optional(Reason),
    expect: Type.Optional(
      Type.Array(Type.Object({ ...transition, share: Type.Optional(Share) }), {
        maxItems: 50,
        description: 'changes of results that hold no stage of a canary; each is named by the impact of the release',
      }),
    ),
  },
  {
    title: 'ReleaseExecuteRequest',
    examples: [{ emergency_reason: 'production incident 4711' }],
    description: 'with `emergency_reason` an owner executes in a freeze window',
  },
)
export type ReleaseExecuteRequest = Static<typeof ReleaseExecuteRequest>

/** Rolls a release back by a new one; the reason becomes part of it. */
export const ReleaseRollbackRequest = Type.Object(
  { reason: Type.Optional(Reason) },
  { title: 'ReleaseRollbackRequest', examples: [{ reason: 'refusals doubled' }] },
)
export type ReleaseRollbackRequest = Static<typeof ReleaseRollbackRequest>
