import { type TSchema, type TSchemaOptions, Type } from 'typebox'
import type { ReadonlyStatic } from './static.ts'

/** Limits on the settings of a tenant. Lengths are in UTF-16 units. */
export const TENANT_LIMITS = {
  /** Of `qps_limit`, `max_rulesets` and `execution_timeout_ms`. */
  number: 1_000_000_000,
  name: 256,
  metadataEntries: 64,
  metadataKey: 128,
  metadataValue: 1024,
} as const

/** `null` counts as absent. */
const setting = <Schema extends TSchema>(schema: Schema, options: TSchemaOptions) =>
  Type.Optional(Type.Union([schema, Type.Null()], options))

const limit = (description: string) =>
  setting(Type.Integer({ minimum: 1, maximum: TENANT_LIMITS.number }), { default: null, description })

const settings = {
  name: setting(Type.String({ maxLength: TENANT_LIMITS.name }), { description: 'for people; default: the id' }),
  enabled: setting(Type.Boolean(), { default: true, description: 'false: every request is answered with 403' }),
  qps_limit: limit('requests a second; null: any number'),
  max_rulesets: limit('rulesets that may be stored; null: any number'),
  execution_timeout_ms: limit('longest execution in milliseconds, also of rulesets that allow more; null: theirs'),
  metadata: setting(
    Type.Record(Type.String(), Type.String({ maxLength: TENANT_LIMITS.metadataValue }), {
      maxProperties: TENANT_LIMITS.metadataEntries,
    }),
    { default: {}, description: `keys of at most ${TENANT_LIMITS.metadataKey} characters` },
  ),
}

/** A tenant as `tenants.json` describes it, and the request of `PUT /tenants/:id`. */
export const TenantSettings = Type.Object(settings, {
  title: 'TenantSettings',
  additionalProperties: false,
  examples: [{ name: 'ACME', qps_limit: 500 }],
})
export type TenantSettings = ReadonlyStatic<typeof TenantSettings>

/** Request of `POST /tenants`. */
export const TenantRequest = Type.Object(
  { id: Type.String({ description: '1 to 64 letters, digits, `_`, `-`' }), ...settings },
  { title: 'TenantRequest', additionalProperties: false, examples: [{ id: 'acme', name: 'ACME', qps_limit: 500 }] },
)
export type TenantRequest = ReadonlyStatic<typeof TenantRequest>

const Limit = Type.Union([Type.Integer(), Type.Null()])

/** A tenant with every setting filled in. */
const Tenant = Type.Object({
  id: Type.String(),
  name: Type.String(),
  enabled: Type.Boolean(),
  qps_limit: Limit,
  max_rulesets: Limit,
  execution_timeout_ms: Limit,
  metadata: Type.Record(Type.String(), Type.String()),
})
export type Tenant = ReadonlyStatic<typeof Tenant>

/** Answer of `GET /tenants/:id`, `POST /tenants`, `PUT /tenants/:id`: a tenant, and its number of rulesets. */
export const TenantSummary = Type.Object(
  { ...Tenant.properties, rules_count: Type.Integer() },
  {
    title: 'Tenant',
    examples: [
      {
        id: 'acme',
        name: 'ACME',
        enabled: true,
        qps_limit: 500,
        max_rulesets: null,
        execution_timeout_ms: null,
        metadata: {},
        rules_count: 3,
      },
    ],
  },
)
export type TenantSummary = ReadonlyStatic<typeof TenantSummary>

/** Answer of `GET /tenants`, by id. */
export const TenantList = Type.Array(TenantSummary)
