import { Type } from 'typebox'
import type { ReadonlyStatic } from './static.ts'

/**
 * What an engine and the platform tell each other (docs/platform/engine-link.md). The engine asks: first to be registered,
 * then with heartbeats, which the platform holds until it wants something else of the engine. Members that are not known are
 * ignored on both sides, so that engine and platform need not be of one version.
 */

/** Upper bounds in seconds of the buckets of durations: 1, 2, 5 µs and so on up to 10 s. */
export const DURATION_BOUNDS: readonly number[] = [-6, -5, -4, -3, -2, -1, 0]
  .flatMap((power) => [1, 2, 5].map((digit) => Number(`${digit}e${power}`)))
  .concat(10)

const Tenant = Type.Union([Type.String({ maxLength: 64 }), Type.Null()], {
  description: 'null: the one of requests that name none',
})
const Digest = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 of the canonical JSON without `_signature`, in hexadecimal',
})
const DatabaseId = Type.Optional(
  Type.String({ maxLength: 64, description: 'differs after a restore: revisions of before mean nothing then' }),
)
const Name = Type.String({ minLength: 1, maxLength: 128 })
const Count = Type.Integer({ minimum: 0 })
const Capabilities = Type.Array(Type.String({ maxLength: 128 }), { maxItems: 1000 })

/** Request of `POST /internal/register`. Members that the platform does not know are ignored. */
export const EngineRegistration = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255, description: 'one record a name in an organization' }),
    instance_id: Type.String({ minLength: 1, maxLength: 64 }),
    url: Type.Optional(
      Type.String({ maxLength: 2048, description: 'where the proxy reaches the engine: `http(s)://host[:port]`' }),
    ),
    region: Type.Optional(Type.String({ maxLength: 128 })),
    version: Type.String({ maxLength: 64 }),
    capabilities: Type.Optional(Capabilities),
    tenants: Type.Optional(Type.Boolean({ description: 'whether rulesets belong to tenants; default: false' })),
  },
  { title: 'EngineRegistration', additionalProperties: true },
)
export type EngineRegistration = ReadonlyStatic<typeof EngineRegistration>

/** `details[0].code` of a registration that is refused for the address of the engine, and would be taken without one. */
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
    counts: Type.Array(Count, { maxItems: 100, description: 'by bucket, the last one without upper bound' }),
    sum_seconds: Type.Number({ minimum: 0 }),
  }),
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

/** A decision that an engine keeps for the platform; the values of masked paths are `***` in it. */
export const DecisionSample = Type.Object({
  seq: Type.Integer({ minimum: 1, description: 'counts the samples of the session' }),
  at: Type.String({ format: 'date-time' }),
  tenant: Tenant,
  name: Name,
  digest: Digest,
  code: Type.String(),
  input: Type.String({ maxLength: 512 * 1024, description: 'JSON text: as a value it could be nested too deeply' }),
  output: Type.String({ maxLength: 512 * 1024, description: 'JSON text' }),
})
export type DecisionSample = ReadonlyStatic<typeof DecisionSample>

/** What is to be kept of the decisions of a ruleset. */
export const RecordingRule = Type.Object({
  tenant: Tenant,
  name: Name,
  rate: Type.Number({ minimum: 0, maximum: 100, description: 'percent of its decisions' }),
  mask: Type.Array(Type.String(), { description: 'dotted paths whose values the engine does not keep' }),
})
export type RecordingRule = ReadonlyStatic<typeof RecordingRule>

/** What an engine that samples decisions is to keep of them. Rulesets that are not named keep nothing. */
export const RecordingRules = Type.Object({
  tag: Type.String({ maxLength: 64, description: 'differs when the rules do' }),
  rules: Type.Array(RecordingRule),
})
export type RecordingRules = ReadonlyStatic<typeof RecordingRules>

/** What an engine with `--sample-decisions` says of its samples. */
export const RecordingReport = Type.Object(
  {
    tag: Type.Union([Type.String({ maxLength: 64 }), Type.Null()], { description: 'of the rules that it has' }),
    decisions: Type.Array(Type.Unknown(), { maxItems: 1000, description: 'oldest first, those not answered to yet' }),
  },
  { additionalProperties: true },
)

/** What the platform wants and the engine could not do. */
export interface DeliveryProblem {
  readonly tenant: string | null
  readonly name: string
  /** Null: it was to be deleted. */
  readonly digest: string | null
  readonly message: string
  /** False: the content is refused, and another one is needed. */
  readonly retried: boolean
}

/**
 * Request of `POST /internal/heartbeat`. Members that the platform does not know are ignored, also those of reports: what an
 * engine reports must never keep it from hearing what it should have.
 */
export const EngineHeartbeat = Type.Object(
  {
    session: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'of the process: statistics count from its start',
    }),
    health: Type.Optional(
      Type.Unknown({ description: '`{status, checks, uptime_seconds}` as in `/health`; well is `healthy`' }),
    ),
    version: Type.Optional(Type.String({ maxLength: 64 })),
    capabilities: Type.Optional(Capabilities),
    applied_revision: Type.Integer({ minimum: 0, description: '0: everything is to be told' }),
    digest: Type.Optional(
      Type.Union([Type.String({ maxLength: 128 }), Type.Null()], {
        description: 'of all rulesets of the engine; null while it is made',
      }),
    ),
    rulesets: Type.Optional(
      Type.Array(HeldRuleset, { maxItems: 20_000, description: 'where they differ from what was answered last' }),
    ),
    problems: Type.Optional(
      Type.Array(Type.Unknown(), { maxItems: 1000, description: '`{tenant, name, digest, message, retried}`' }),
    ),
    stats: Type.Optional(
      Type.Array(Type.Unknown(), {
        maxItems: 5000,
        description: '`{tenant, name, digest, ok, error, codes, duration}` of contents whose counts have changed',
      }),
    ),
    recording: Type.Optional(Type.Unknown({ description: '`{tag, decisions}` of an engine that samples decisions' })),
    wait_ms: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 25_000, description: 'for how long the answer may be held; default: 0' }),
    ),
  },
  { title: 'EngineHeartbeat', additionalProperties: true },
)

/** The same as an engine of this build sends it. */
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
  /** Absent: the engine samples no decisions. */
  readonly recording?: { readonly tag: string | null; readonly decisions: readonly DecisionSample[] }
  readonly wait_ms: number
}

/** One ruleset as it is wanted: its content, or its absence. */
export const DesiredChange = Type.Object({
  tenant: Type.Optional(Tenant),
  name: Name,
  digest: Type.Optional(Digest),
  deleted: Type.Optional(Type.Boolean()),
})
export type DesiredChange = ReadonlyStatic<typeof DesiredChange>

/**
 * Answer of `POST /internal/heartbeat`: what has changed after the applied revision. In answer to revision 0 it is everything
 * that is wanted. Changes of an unchanged revision repair contents that differ from those wanted.
 */
export const HeartbeatAnswer = Type.Object(
  {
    revision: Type.Integer({ minimum: 0 }),
    changes: Type.Array(DesiredChange),
    recording: Type.Optional(RecordingRules),
    database_id: DatabaseId,
    report_rulesets: Type.Optional(
      Type.Boolean({ description: 'true: the next heartbeat is to have `rulesets`, whatever its `digest` is' }),
    ),
  },
  { title: 'HeartbeatAnswer' },
)
export type HeartbeatAnswer = ReadonlyStatic<typeof HeartbeatAnswer>
