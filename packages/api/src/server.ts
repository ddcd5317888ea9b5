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

const Check = Type.String({ description: '`ok`, or a description of the problem' })

/** Response of `GET /health` and `GET /healthz/ready`: specification 2.5, with additions for operators. */
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
        description: 'of the contents of all rulesets, equal on servers that store the same; null while it is computed',
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
      lag_events: Type.Integer({ description: 'events on their way to this reader' }),
      last_applied_seq: Type.Integer({ description: 'position in the stream of the last applied or published event' }),
      outbox: Type.Integer({ description: 'changes of this writer that the broker has not received yet' }),
      digest: Type.String({ description: 'of all rulesets, equal on instances that store the same' }),
      writer_digest: Type.Optional(Type.String({ description: 'of a reader: the last digest of the writer' })),
      refusals: Type.Optional(
        Type.Integer({
          description: 'of a writer: consecutive failed attempts to publish; absent: none',
        }),
      ),
      refusal: Type.Optional(Type.String({ description: 'of a writer: why the last of them failed' })),
      stale_replicas: Type.Optional(
        Type.Integer({
          description: 'of a writer: broker replicas that have lagged for a minute; absent: none',
        }),
      ),
      writer_silent_seconds: Type.Optional(
        Type.Integer({ description: 'of a reader: since the last message of the writer, which is sent every 10 s' }),
      ),
    }),
    debug_mode: Type.Boolean(),
    contracts: Type.Optional(
      Type.Union([Type.Literal('warn'), Type.Literal('off')], {
        description: 'only with `--contracts`: contracts of rulesets are not enforced here',
      }),
    ),
    workers: Type.Optional(
      Type.Object(
        { configured: Type.Integer(), ready: Type.Integer() },
        { description: 'number of answering processes, when more than one' },
      ),
    ),
    platform: Type.Optional(
      Type.Object(
        {
          registered: Type.Boolean({
            description: 'whether the platform knows this server, according to its last answer',
          }),
          server_id: Type.Union([Type.String(), Type.Null()]),
          last_contact: Type.Union([Type.String(), Type.Null()], {
            description: 'ISO 8601 UTC: when the platform last answered; null: not since the start',
          }),
          revision: Type.Integer({ description: 'desired rulesets that are applied here' }),
        },
        { description: 'only with `--platform-url`; does not affect readiness' },
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

/** Answer of `GET /receipts/checkpoint`. */
export const ReceiptCheckpoints = Type.Object(
  {
    checkpoints: Type.Array(
      Type.Object({
        instance: Type.String({ description: '`<instance id>/<UUID>`' }),
        n: Type.Integer({ description: 'number of the checkpoint in its chain' }),
        checkpoint: Type.String({ description: 'the signed text' }),
        signature: Type.String({ description: 'base64url of an Ed25519 signature' }),
      }),
    ),
  },
  { title: 'ReceiptCheckpoints' },
)

/** Answer of `GET /receipts/keys`, which `engine verify-receipt --key` reads. */
export const ReceiptKeys = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        public_key: Type.String({ description: 'base64 of 32 bytes' }),
        key: Type.String({ description: 'its id' }),
        from: Type.Integer({ description: 'epoch milliseconds' }),
        until: Type.Union([Type.Integer(), Type.Null()], { description: 'epoch milliseconds; null: it still signs' }),
      }),
    ),
  },
  { title: 'ReceiptKeys' },
)
