import { HeldRuleset } from '@engine/api'
import { type Static, Type } from 'typebox'
import { Id, Time, RECORD, orNull } from '../../resources/resource-fields.ts'

const token = {
  ...RECORD,
  label: Type.String(),
  prefix: Type.String({ description: 'how the token begins' }),
  last_used_at: orNull(Time('of the last registration with it')),
}

/** Metadata of a connect token, without the token itself. */
export const ConnectToken = Type.Object(token, { title: 'ConnectToken' })
export type ConnectToken = Static<typeof ConnectToken>

/** Response to the creation of a connect token: the only one that contains the token. */
export const CreatedConnectToken = Type.Object(
  { ...token, token: Type.String({ description: 'the token, shown this once' }) },
  { title: 'CreatedConnectToken' },
)

/** The label is for people only; tokens are identified by their prefix where it is empty. */
export const ConnectTokenRequest = Type.Object(
  { label: Type.Optional(Type.String({ maxLength: 200 })) },
  { title: 'ConnectTokenRequest', examples: [{ label: 'production engines' }] },
)

const Status = Type.Union([Type.Literal('online'), Type.Literal('degraded'), Type.Literal('offline')])

const Identity = Type.Union(
  [Type.Literal('proved'), Type.Literal('pending'), Type.Literal('unsupported'), Type.Literal('failed')],
  {
    description:
      'whether the engine has proved that its address belongs to this registration; `pending`: not challenged yet, `unsupported`: its version cannot prove it, `failed`: identity not proved, and no decisions are sent to it',
  },
)

/** A failure that the engine reports, or the reason that it receives no decisions. */
const Problem = Type.Unknown({
  description:
    '`{tenant, name, digest, message, retried}`; `code: "identity_not_proved"` and `"receipts_contradicted"` are set by the platform',
})

/** An engine that has registered: its address, liveness, and the rulesets that it holds and should hold. */
export const Server = Type.Object(
  {
    id: Id,
    org_id: Id,
    name: Type.String(),
    region: Type.String(),
    url: orNull(Type.String()),
    version: Type.String(),
    capabilities: Type.Array(Type.String()),
    tenants: Type.Boolean(),
    healthy: Type.Boolean({ description: 'it reports so, and is in contact' }),
    status: Status,
    identity: Identity,
    last_heartbeat: orNull(Time('of the last contact; a heartbeat that is held is contact')),
    current_rulesets: Type.Array(HeldRuleset),
    desired_revision: Type.Integer(),
    applied_revision: Type.Integer(),
    problems: Type.Array(Problem),
    created_at: Time('of its first registration'),
    updated_at: Time('of its last registration'),
  },
  { title: 'Server' },
)
export type Server = Static<typeof Server>

/** Liveness by heartbeats, and the health record that the engine sent with the last one. */
export const ServerHealth = Type.Object(
  {
    online: Type.Boolean({ description: 'in contact' }),
    healthy: Type.Boolean(),
    last_heartbeat: orNull(Time('of the last contact')),
    health: orNull(Type.Unknown({ description: '`status`, `checks` and `uptime_seconds` of its last report' })),
    problems: Type.Array(Problem),
  },
  { title: 'ServerHealth' },
)

const ReceiptChain = Type.Object({
  instance: Type.String({ description: '`<instance id>/<UUID>`' }),
  n: Type.Integer({ description: 'number of the highest checkpoint that was reported' }),
  entries: Type.Integer({ description: 'entries up to it' }),
  checkpoint: Type.String({ description: 'its signed text' }),
  signature: Type.String({ description: 'base64url of an Ed25519 signature' }),
  continued: Type.Boolean({ description: 'false: another chain has replaced it' }),
  state: Type.Enum(['consistent', 'rolled_back', 'rewritten', 'missing'], {
    description: 'how a later report contradicts the checkpoint; `consistent`: none does',
  }),
  contradicted_at: orNull(Time('of that report')),
  contradiction: orNull(Type.String({ description: 'the checkpoint that was reported instead' })),
  reported_at: Time('of the last report'),
})
export type ReceiptChain = Static<typeof ReceiptChain>

const ReceiptKey = Type.Object({
  key: Type.String({ description: 'id of the key, as checkpoints name it' }),
  public_key: Type.String({ description: 'base64 of 32 bytes' }),
  from: Type.Integer({ description: 'epoch milliseconds' }),
  until: orNull(Type.Integer({ description: 'epoch milliseconds; null: it still signs' })),
})
export type ReceiptKey = Static<typeof ReceiptKey>

/** The chains of receipts of an engine, as its platform has witnessed them. */
export const ReceiptChains = Type.Object(
  {
    chains: Type.Array(ReceiptChain),
    keys: Type.Array(ReceiptKey, { description: 'with which the engine has signed, as it reported them' }),
  },
  { title: 'ReceiptChains' },
)

/** Counts by ruleset and time step, for charts. */
export const ServerMetrics = Type.Object(
  {
    step_seconds: Type.Integer({ minimum: 60 }),
    series: Type.Array(
      Type.Object({
        name: Type.String({ description: '`executions` or `errors` in the step' }),
        labels: Type.Record(Type.String(), Type.String()),
        points: Type.Array(Type.Object({ at: Time('at which the step begins'), value: Type.Number() })),
      }),
    ),
  },
  { title: 'ServerMetrics' },
)

/** The engines that serve an environment. The proxy tries them in this order. */
export const Binding = Type.Object(
  {
    environment: Type.String({ description: 'name' }),
    server_ids: Type.Array(Id, { description: 'the primary first, then the backups' }),
  },
  { title: 'Binding' },
)

/** Replaces the engines of an environment; an empty list unbinds all. */
export const BindingRequest = Type.Object(
  {
    environment: Type.Optional(Type.String({ maxLength: 64, description: 'id or name; default: the current one' })),
    server_ids: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 100 }),
  },
  {
    title: 'BindingRequest',
    examples: [{ environment: 'prod', server_ids: ['01980000-0000-7000-8000-000000000001'] }],
  },
)
