import { Type, type Static } from 'typebox'

const limit = (description: string) =>
  Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()], {
      default: null,
      description,
    }),
  )

const settings = {
  name: Type.Optional(Type.String({ description: 'for people; default: the id' })),
  enabled: Type.Optional(Type.Boolean({ default: true, description: 'false: every request is answered with 403' })),
  qps_limit: limit('requests a second; null: any number'),
  max_rulesets: limit('rulesets that may be stored; null: any number'),
  execution_timeout_ms: limit('longest execution in milliseconds, also of rulesets that allow more; null: theirs'),
  metadata: Type.Optional(Type.Record(Type.String(), Type.String(), { default: {} })),
}

/** A tenant as `tenants.json` describes it, and the request of `PUT /tenants/:id`. */
export const TenantSettings = Type.Object(settings)
export type TenantSettings = Readonly<Static<typeof TenantSettings>>

/** Request of `POST /tenants`. */
export const TenantRequest = Type.Object({
  id: Type.String({ description: '1 to 64 letters, digits, `_`, `-`' }),
  ...settings,
})
export type TenantRequest = Readonly<Static<typeof TenantRequest>>

/** A tenant with every setting filled in. */
export interface Tenant {
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  readonly qps_limit: number | null
  readonly max_rulesets: number | null
  readonly execution_timeout_ms: number | null
  readonly metadata: { readonly [key: string]: string }
}

const Limit = Type.Union([Type.Integer(), Type.Null()])

/** Answer of `GET /tenants/:id`, `POST /tenants`, `PUT /tenants/:id`. */
export const TenantSummary = Type.Object({
  id: Type.String(),
  name: Type.String(),
  enabled: Type.Boolean(),
  qps_limit: Limit,
  max_rulesets: Limit,
  execution_timeout_ms: Limit,
  metadata: Type.Record(Type.String(), Type.String()),
  rules_count: Type.Integer(),
})
/** A tenant, and how many rulesets it has. */
export interface TenantSummary extends Tenant {
  readonly rules_count: number
}

/** Answer of `GET /tenants`, by id. */
export const TenantList = Type.Array(TenantSummary)
