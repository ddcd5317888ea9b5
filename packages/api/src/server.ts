import { Type } from 'typebox'
import type { ReadonlyStatic } from './static.ts'

/** Answer of `GET /config/audit-sample-rate`. */
export const SampleRate = Type.Object(
  { sample_rate: Type.Integer({ description: 'percent' }) },
  { title: 'SampleRate', examples: [{ sample_rate: 10 }] },
)
export type SampleRate = ReadonlyStatic<typeof SampleRate>

/** Request of `PUT /config/audit-sample-rate`. */
export const SampleRateRequest = Type.Object(
  {
    sample_rate: Type.Integer({ minimum: 0, maximum: 100, description: 'percent' }),
  },
  { title: 'SampleRateRequest', examples: [{ sample_rate: 10 }] },
)
export type SampleRateRequest = ReadonlyStatic<typeof SampleRateRequest>

/** Answer of `PUT /config/audit-sample-rate`. */
export const SampleRateChange = Type.Object(
  { sample_rate: Type.Integer(), previous: Type.Integer() },
  { title: 'SampleRateChange', examples: [{ sample_rate: 10, previous: 0 }] },
)
export type SampleRateChange = ReadonlyStatic<typeof SampleRateChange>

const InstanceRole = Type.Union([Type.Literal('standalone'), Type.Literal('writer'), Type.Literal('reader')], {
  title: 'InstanceRole',
})

const Check = Type.String({ description: '`ok`, or what is wrong' })

/** Answer of `GET /health` and `GET /healthz/ready`: specification 2.5, and what an operator wants beside it. */
export const Health = Type.Object(
  {
    status: Type.Union([Type.Literal('healthy'), Type.Literal('unhealthy')]),
    version: Type.String(),
    uptime_seconds: Type.Integer(),
    instance_id: Type.String(),
    role: InstanceRole,
    checks: Type.Object({
      store_lock: Check,
      disk_writable: Check,
      accepting_requests: Check,
      sync: Check,
      platform: Type.Optional(Check),
    }),
    storage: Type.Object({
      mode: Type.Union([Type.Literal('persistent'), Type.Literal('memory')]),
      rules_dir: Type.String({ description: 'empty in memory mode' }),
      rules_count: Type.Integer(),
      digest: Type.Union([Type.String(), Type.Null()], {
        description: 'of the contents of all rulesets: servers that store the same say the same; null while it is made',
      }),
      rejected_count: Type.Integer({ description: 'files in the rules directory that are not served' }),
      rejected: Type.Array(Type.Object({ file: Type.String(), reason: Type.String() }), {
        description: 'the first 100 of them',
      }),
    }),
    audit: Type.Object({
      enabled: Type.Boolean(),
      sample_rate: Type.Integer(),
      dropped: Type.Integer({ description: 'events that could not be written' }),
      fault: Type.Union([Type.String(), Type.Null()], {
        description:
          'why no event can be written at present, and therefore nothing is changed; null: events can be written',
      }),
    }),
    sync: Type.Object({
      connected: Type.Boolean({ description: 'to the broker' }),
      role: InstanceRole,
      lag_events: Type.Integer({ description: 'events that are on their way to this reader' }),
      last_applied_seq: Type.Integer({ description: 'place in the stream of what was applied, or published, last' }),
      outbox: Type.Integer({ description: 'changes of this writer that the broker does not have yet' }),
      digest: Type.String({ description: 'of all rulesets: instances that store the same give the same' }),
      writer_digest: Type.Optional(Type.String({ description: 'of a reader: the last digest of the writer' })),
      refusals: Type.Optional(
        Type.Integer({
          description: 'of a writer: attempts to publish that failed, one after the other; absent: none',
        }),
      ),
      refusal: Type.Optional(Type.String({ description: 'of a writer: why the last of them failed' })),
      stale_replicas: Type.Optional(
        Type.Integer({
          description: 'of a writer: replicas of the broker that have not been current for a minute; absent: none',
        }),
      ),
      writer_silent_seconds: Type.Optional(
        Type.Integer({ description: 'of a reader: since the writer said something new, which it does every 10' }),
      ),
    }),
    debug_mode: Type.Boolean(),
    workers: Type.Optional(
      Type.Object(
        { configured: Type.Integer(), ready: Type.Integer() },
        { description: 'processes that answer; only with more than one' },
      ),
    ),
    platform: Type.Optional(
      Type.Object(
        {
          registered: Type.Boolean({ description: 'whether the platform knows this server, as far as was heard last' }),
          server_id: Type.Union([Type.String(), Type.Null()]),
          last_contact: Type.Union([Type.String(), Type.Null()], {
            description: 'ISO 8601 UTC: when the platform answered last; null: not since the start',
          }),
          revision: Type.Integer({ description: 'of the rulesets that the platform wants here and that are here' }),
        },
        { description: 'only with `--platform-url`; no part of readiness' },
      ),
    ),
  },
  { title: 'Health' },
)

export type HealthRecord = ReadonlyStatic<typeof Health>

/** Answer of `GET /healthz/live`. */
export const Liveness = Type.Object(
  { status: Type.Literal('alive') },
  { title: 'Liveness', examples: [{ status: 'alive' }] },
)
