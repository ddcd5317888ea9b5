import { Type } from 'typebox'
import type { ReadonlyStatic } from './static.ts'

/**
 * Messages between an engine and the platform (docs/platform/engine-link.md). The engine initiates: it registers, then
 * sends heartbeats, which the platform holds until the desired state changes. Both sides ignore unknown members, so
 * that engine and platform may have different versions.
 */

/** Upper bounds in seconds of the buckets of durations: 1, 2, 5 µs and so on up to 10 s. */
export const DURATION_BOUNDS: readonly number[] = [-6, -5, -4, -3, -2, -1, 0]
  .flatMap((power) => [1, 2, 5].map((digit) => Number(`${digit}e${power}`)))
  .concat(10)

const Tenant = Type.Union([Type.String({ maxLength: 64 }), Type.Null()], {
  description: 'null: the tenant of requests that name none',
})
const Digest = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 of the canonical JSON without `_signature`, in hexadecimal',
})
const DatabaseId = Type.Optional(
  Type.String({ maxLength: 64, description: 'changes after a restore, which invalidates earlier revisions' }),
)
const Name = Type.String({ minLength: 1, maxLength: 128 })
const Count = Type.Integer({ minimum: 0 })
const Capabilities = Type.Array(Type.String({ maxLength: 128 }), { maxItems: 1000 })

/** Request of `POST /internal/register`. Members that the platform does not know are ignored. */
export const EngineRegistration = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255, description: 'one record per name in an organization' }),
    instance_id: Type.String({ minLength: 1, maxLength: 64 }),
    url: Type.Optional(
      Type.String({ maxLength: 2048, description: 'where the proxy reaches the engine: `http(s)://host[:port]`' }),
    ),
    region: Type.Optional(Type.String({ maxLength: 128 })),
    version: Type.String({ maxLength: 64 }),
    capabilities: Type.Optional(Capabilities),
    tenants: Type.Optional(Type.Boolean({ description: 'whether rulesets belong to tenants; default: false' })),
  },
  {
    title: 'EngineRegistration',
    examples: [{ name: 'engine-1', instance_id: 'engine-1-a', url: 'https://engine-1.example.com', version: '0.2.0' }],
    additionalProperties: true,
  },
)
export type EngineRegistration = ReadonlyStatic<typeof EngineRegistration>

/**
 * `details[0].code` of a registration that is rejected because of the engine's address, and would be accepted without
 * one.
 */
export const ADDRESS_REFUSED = 'address_refused'

/** Its answer. */
export const EngineRegistered = Type.Object(
  {
    server_id: Type.String(),
    server_token: Type.String(),
    heartbeat_interval_secs: Type.Integer({ minimum: 1, maximum: 3600 }),
    proxy_token: Type.String(),
    database_id: DatabaseId,
  },
  { title: 'EngineRegistered' },
)
export type EngineRegistered = ReadonlyStatic<typeof EngineRegistered>

/** Executions of one content of a ruleset since the session of the engine began. */
export const ContentStatistics = Type.Object({
  tenant: Tenant,
  name: Name,
  digest: Digest,
  ok: Count,
  error: Count,
  codes: Type.Record(Type.String(), Count, {
    maxProperties: 1000,
    description: 'successful ones by result code; `(other)` beyond 100 codes',
  }),
  duration: Type.Object({
    counts: Type.Array(Count, { maxItems: 100, description: 'by bucket; the last one has no upper bound' }),
    sum_seconds: Type.Number({ minimum: 0 }),
  }),
  branches: Type.Optional(
    Type.Record(Type.String(), Type.Array(Count), {
      description:
        'how often each branch of a decision was taken, by step; the last number is that of the default, or of no branch',
    }),
  ),
})
export type ContentStatistics = ReadonlyStatic<typeof ContentStatistics>

/** A ruleset that an engine has. */
export const HeldRuleset = Type.Object(
  {
    tenant: Type.Optional(Tenant),
    name: Name,
    version: Type.Optional(Type.String({ maxLength: 256 })),
    digest: Digest,
    delivered: Type.Optional(Type.Boolean({ description: 'whether the platform has delivered it; default: false' })),
  },
  { additionalProperties: true },
)
export type HeldRuleset = ReadonlyStatic<typeof HeldRuleset>

/** An external call of a recorded decision. A failed one has `error`, without the message of the service. */
export const RecordedCall = Type.Object(
  {
    service: Type.String(),
    method: Type.String(),
    parameters: Type.Unknown({ description: 'an object; masked values are `***`' }),
    answer: Type.Optional(Type.Unknown({ description: '`{payload, metadata}`, masked like the parameters' })),
    error: Type.Optional(Type.String()),
  },
  { title: 'RecordedCall' },
)
export type RecordedCall = ReadonlyStatic<typeof RecordedCall>

/** Where the masked paths of a ruleset apply in a `RecordedCall`. */
export const MASKED_PLACES_OF_CALL = [['parameters'], ['answer', 'payload'], ['answer', 'metadata']] as const

/** A violation of a contract, without the value that was found. */
export const RecordedViolation = Type.Object(
  {
    path: Type.String({ description: 'JSON pointer from the request: `/input/applicant/age`' }),
    code: Type.String({ description: 'the broken rule: `required`, `type`, `digits`, `decimals`, `enum`, `range`' }),
    expected: Type.String(),
  },
  { title: 'RecordedViolation' },
)
export type RecordedViolation = ReadonlyStatic<typeof RecordedViolation>

/** A decision recorded for the platform, or an input that its contract refused, with masked paths replaced by `***`. */
export const DecisionSample = Type.Object({
  seq: Type.Integer({ minimum: 1, description: 'counts the samples of the session' }),
  at: Type.String({ format: 'date-time' }),
  tenant: Tenant,
  name: Name,
  digest: Digest,
  code: Type.Optional(Type.String({ description: 'absent: the input was refused' })),
  violations: Type.Optional(
    Type.Array(RecordedViolation, { maxItems: 100, description: 'the first ones, of a refused input' }),
  ),
  input: Type.String({ maxLength: 512 * 1024, description: 'JSON text: as a value it could be nested too deeply' }),
  output: Type.String({ maxLength: 512 * 1024, description: 'JSON text; `null` of a refused input' }),
  receipt: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_.-]{1,80}/[0-9a-f-]{36}#[0-9]{1,16}$',
      description: 'place of its receipt: `<instance>#<seq>`; absent: it has none',
    }),
  ),
  calls: Type.Optional(
    Type.String({
      maxLength: 512 * 1024,
      description: 'JSON text: the `RecordedCall`s whose answers it waited for; absent: they are not recorded',
    }),
  ),
})
export type DecisionSample = ReadonlyStatic<typeof DecisionSample>

/** The recording settings of a ruleset. */
export const RecordingRule = Type.Object({
  tenant: Tenant,
  name: Name,
  rate: Type.Number({ minimum: 0, maximum: 100, description: 'percentage of its decisions' }),
  mask: Type.Array(Type.String(), { description: 'dotted paths whose values are not recorded' }),
  answers: Type.Optional(
    Type.Boolean({ description: 'whether external calls and their answers are recorded; default: false' }),
  ),
})
export type RecordingRule = ReadonlyStatic<typeof RecordingRule>

/** The recording settings of an engine that samples decisions. Other rulesets are not recorded. */
export const RecordingRules = Type.Object({
  tag: Type.String({ maxLength: 64, description: 'changes with the rules' }),
  rules: Type.Array(RecordingRule),
})
export type RecordingRules = ReadonlyStatic<typeof RecordingRules>

/** The samples reported by an engine with `--sample-decisions`. */
export const RecordingReport = Type.Object(
  {
    tag: Type.Union([Type.String({ maxLength: 64 }), Type.Null()], { description: 'of the rules in effect' }),
    decisions: Type.Array(Type.Unknown(), { maxItems: 1000, description: 'oldest first, those not yet acknowledged' }),
  },
  { additionalProperties: true },
)

const SignedCheckpoint = Type.Union([
  Type.Object({ checkpoint: Type.String({ maxLength: 4096 }), signature: Type.String({ maxLength: 256 }) }),
  Type.Null(),
])

/** A chain of receipts (docs/receipts.md), which an engine reports to the platform as its witness. */
export const ReportedChain = Type.Object({
  instance: Type.String({ maxLength: 128, description: '`<instance id>/<UUID>`' }),
  opening: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'another one whenever a process opens the chain: within one, an earlier `latest` is a late report',
  }),
  opened: Type.Union(SignedCheckpoint.anyOf, { description: 'the latest checkpoint at the opening; null: none' }),
  latest: Type.Union(SignedCheckpoint.anyOf, { description: 'the latest checkpoint on disk; null: none' }),
  continued: Type.Boolean({ description: 'false: a new chain has replaced it' }),
})
export type ReportedChain = ReadonlyStatic<typeof ReportedChain>

/** The chains of receipts of an engine with receipts. */
export const ReceiptsReport = Type.Object({
  chains: Type.Array(Type.Unknown(), { maxItems: 1000, description: '`ReportedChain`s' }),
  kept: Type.Array(Type.String({ maxLength: 128 }), {
    maxItems: 10_000,
    description: 'the chains of these instance ids that are in the directory of receipts, the newest ones',
  }),
  keys: Type.Optional(
    Type.Array(Type.Unknown(), {
      maxItems: 100,
      description: '`{key, public_key, from, until}` of the keys that signed in the directory, the newest ones',
    }),
  ),
})
export interface ReceiptsReport {
  readonly chains: readonly ReportedChain[]
  readonly kept: readonly string[]
  readonly keys?: readonly Readonly<Record<string, unknown>>[]
}

/** A change that the engine could not apply. */
export interface DeliveryProblem {
  readonly tenant: string | null
  readonly name: string
  /** Null for a deletion. */
  readonly digest: string | null
  readonly message: string
  /** False: the content is rejected, and other content is needed. */
  readonly retried: boolean
}

/**
 * Request of `POST /internal/heartbeat`. Unknown members are ignored, also in reports: nothing that an engine reports
 * may prevent it from receiving its desired state.
 */
export const EngineHeartbeat = Type.Object(
  {
    session: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'of the process: statistics count from its start',
    }),
    health: Type.Optional(
      Type.Unknown({ description: '`{status, checks, uptime_seconds}` as in `/health`; normal is `healthy`' }),
    ),
    version: Type.Optional(Type.String({ maxLength: 64 })),
    capabilities: Type.Optional(Capabilities),
    applied_revision: Type.Integer({ minimum: 0, description: '0: request the complete state' }),
    digest: Type.Optional(
      Type.Union([Type.String({ maxLength: 128 }), Type.Null()], {
        description: 'of all rulesets of the engine; null while it is computed',
      }),
    ),
    rulesets: Type.Optional(
      Type.Array(HeldRuleset, {
        maxItems: 20_000,
        description: 'present when they differ from the last acknowledged ones',
      }),
    ),
    problems: Type.Optional(
      Type.Array(Type.Unknown(), { maxItems: 1000, description: '`{tenant, name, digest, message, retried}`' }),
    ),
    stats: Type.Optional(
      Type.Array(Type.Unknown(), {
        maxItems: 5000,
        description: '`{tenant, name, digest, ok, error, codes, duration}` of contents with changed counts',
      }),
    ),
    recording: Type.Optional(Type.Unknown({ description: '`{tag, decisions}` of an engine that samples decisions' })),
    receipts: Type.Optional(Type.Unknown({ description: '`{chains, kept}` of an engine that keeps receipts' })),
    wait_ms: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 25_000, description: 'how long the answer may be held; default: 0' }),
    ),
  },
  {
    title: 'EngineHeartbeat',
    examples: [{ session: 'c0ffee', applied_revision: 12, wait_ms: 25000 }],
    additionalProperties: true,
  },
)

/** A heartbeat as engines of this build send it. */
export interface EngineHeartbeat {
  readonly session: string
  readonly health: {
    readonly status: 'healthy' | 'unhealthy'
    readonly checks: Readonly<Record<string, string>>
    readonly uptime_seconds: number
  }
  readonly version: string
  readonly capabilities: readonly string[]
  readonly applied_revision: number
  readonly digest: string | null
  readonly rulesets?: readonly HeldRuleset[]
  readonly problems: readonly DeliveryProblem[]
  readonly stats: readonly ContentStatistics[]
  /** Absent if the engine does not sample decisions. */
  readonly recording?: { readonly tag: string | null; readonly decisions: readonly DecisionSample[] }
  /** Absent if the engine does not write receipts. */
  readonly receipts?: ReceiptsReport
  readonly wait_ms: number
}

/** The desired state of one ruleset: its content, or its absence. */
export const DesiredChange = Type.Object({
  tenant: Type.Optional(Tenant),
  name: Name,
  digest: Type.Optional(Digest),
  deleted: Type.Optional(Type.Boolean()),
})
export type DesiredChange = ReadonlyStatic<typeof DesiredChange>

/**
 * Response of `POST /internal/heartbeat`: the changes after the applied revision. For revision 0 it is the complete
 * desired state. Changes of an unchanged revision repair contents that deviate from it.
 */
export const HeartbeatAnswer = Type.Object(
  {
    revision: Type.Integer({ minimum: 0 }),
    changes: Type.Array(DesiredChange),
    recording: Type.Optional(RecordingRules),
    database_id: DatabaseId,
    report_rulesets: Type.Optional(
      Type.Boolean({ description: 'true: the next heartbeat must include `rulesets`, regardless of its `digest`' }),
    ),
  },
  { title: 'HeartbeatAnswer' },
)
export type HeartbeatAnswer = ReadonlyStatic<typeof HeartbeatAnswer>
