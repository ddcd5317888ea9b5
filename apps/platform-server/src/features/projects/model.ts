import type { ContractMode as Mode } from '@engine/authoring'
import { type Static, Type } from 'typebox'
import { Id, RECORD } from '../../resources/resource-fields.ts'
import { Description, Name } from '../organizations/model.ts'

/** The treatment of inputs that break the contract of their ruleset. */
const ContractMode = Type.Enum(['off', 'warn', 'enforce'] satisfies Mode[], {
  description:
    'inputs that break the contract of their ruleset are refused (`enforce`) or counted (`warn`) by engines, from the next release on; `off`: rulesets carry no contract',
})

/** A project: rulesets with their facts, contracts, tests, environments and releases. */
export const Project = Type.Object(
  {
    ...RECORD,
    org_id: Id,
    name: Type.String(),
    description: Type.String(),
    current_environment: Type.String({ description: 'name of the one for requests that name none' }),
    contract_mode: ContractMode,
    public_key: Type.Union([Type.String(), Type.Null()], { description: 'by which its rulesets are signed' }),
  },
  { title: 'Project' },
)
export type Project = Static<typeof Project>

/** A project to create. Its name is unique in the organization; it gets the environments `dev`, `staging` and `prod`. */
export const ProjectRequest = Type.Object(
  { name: Name, description: Type.Optional(Description), contract_mode: Type.Optional(ContractMode) },
  { title: 'ProjectRequest', examples: [{ name: 'Loans', description: 'Approval of consumer loans' }] },
)
export type ProjectRequest = Static<typeof ProjectRequest>

/** An environment's name is a part of paths and a value of a header. */
const EnvironmentName = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$' })

/** Omitted members keep their values. */
export const ProjectChange = Type.Object(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    current_environment: Type.Optional(EnvironmentName),
    contract_mode: Type.Optional(ContractMode),
  },
  { title: 'ProjectChange', examples: [{ current_environment: 'staging' }] },
)
export type ProjectChange = Static<typeof ProjectChange>

const Stage = Type.Object({
  percent: Type.Number({ minimum: 0, maximum: 100 }),
  duration_s: Type.Integer({ minimum: 1, maximum: 30 * 24 * 3600 }),
  min_requests: Type.Optional(Type.Integer({ minimum: 0 })),
})

const canary = {
  stages: Type.Array(Stage, { maxItems: 20 }),
  on_failure: Type.Union([Type.Literal('pause'), Type.Literal('rollback')]),
  on_inconclusive: Type.Union([Type.Literal('hold'), Type.Literal('promote')]),
  alpha: Type.Number({ exclusiveMinimum: 0, maximum: 0.5, description: 'share of false alarms that is accepted' }),
  canary_target_env_id: Type.Union([Id, Type.Null()], { description: 'environment of the standing split' }),
  canary_percentage: Type.Number({
    minimum: 0,
    maximum: 100,
    description: 'of the requests that go to its servers between releases',
  }),
}

/** The canary settings that are stored in one column: stages, reactions, and the standing split. */
export const CanarySettings = Type.Object(canary)
export type CanarySettings = Static<typeof CanarySettings>
const bound = {
  servers: Type.Array(Id, {
    maxItems: 20,
    description: 'engines for candidates alone; none: those that serve the environment have them too',
  }),
}

/** How releases into the environment go through a canary, and on which engines. */
export const Canary = Type.Object({ ...canary, ...bound }, { title: 'Canary' })
export type Canary = Static<typeof Canary>

/** Omitted members keep their values. */
export const CanaryChange = Type.Partial(Type.Object({ ...canary, ...bound }), {
  title: 'CanaryChange',
  examples: [
    {
      stages: [
        { percent: 5, duration_s: 600 },
        { percent: 50, duration_s: 1800, min_requests: 1000 },
      ],
      on_failure: 'rollback',
    },
  ],
})
export type CanaryChange = Static<typeof CanaryChange>

const recording = {
  rate: Type.Number({ minimum: 0, maximum: 100, description: 'percent of the decisions' }),
  retention_days: Type.Integer({ minimum: 1, maximum: 3650 }),
  mask: Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
    maxItems: 1000,
    description: 'dotted paths of the input whose values are not kept',
  }),
  answers: Type.Optional(
    Type.Boolean({
      description: 'whether external calls and their answers are kept, for replays; masked; absent: they are not',
    }),
  ),
}

/** Which decisions of the environment are stored, masked by `mask`, and for how long. */
export const Recording = Type.Object(recording, { title: 'Recording' })
export type Recording = Static<typeof Recording>

/** Omitted members keep their values. */
export const RecordingChange = Type.Partial(Type.Object(recording), {
  title: 'RecordingChange',
  examples: [{ rate: 5, retention_days: 30, mask: ['customer.email'] }],
})
export type RecordingChange = Static<typeof RecordingChange>

/** Settings of a new environment: releases reach all engines in one step. */
export const NO_CANARY: CanarySettings = {
  stages: [],
  on_failure: 'pause',
  on_inconclusive: 'hold',
  alpha: 0.01,
  canary_target_env_id: null,
  canary_percentage: 0,
}

/** Settings of a new environment: no decision is stored. */
export const NO_RECORDING: Recording = { rate: 0, retention_days: 30, mask: [] }

/** A stage of a project, such as `prod`, in which one version of each ruleset is live. */
export const Environment = Type.Object(
  {
    ...RECORD,
    project_id: Id,
    name: Type.String(),
    order: Type.Integer({ description: 'releases go through environments in this order' }),
    is_default: Type.Boolean({ description: 'the current one of the project' }),
    requires_release: Type.Boolean({ description: 'nothing is published here without a release' }),
    tenant_id: Type.String({ description: 'of the engines that have tenants' }),
    server_ids: Type.Array(Id, { description: 'the primary first, then the backups' }),
    canary: Canary,
    recording: Recording,
    hold_before: Type.Boolean({ description: 'a release pauses in front of it' }),
    allow_local_rulesets: Type.Boolean({
      description:
        'the proxy also reaches rulesets that were stored on the engine directly and that no environment owns',
    }),
  },
  { title: 'Environment' },
)
export type Environment = Static<typeof Environment>

const settings = {
  order: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
  requires_release: Type.Optional(Type.Boolean()),
  hold_before: Type.Optional(Type.Boolean()),
  allow_local_rulesets: Type.Optional(Type.Boolean({ description: 'default: false' })),
}

/** An environment to create; by default it is the last in order. */
export const EnvironmentRequest = Type.Object(
  { name: EnvironmentName, ...settings },
  { title: 'EnvironmentRequest', examples: [{ name: 'canary', order: 3, requires_release: true }] },
)
export type EnvironmentRequest = Static<typeof EnvironmentRequest>

/** Omitted members keep their values. */
export const EnvironmentChange = Type.Object(
  { name: Type.Optional(EnvironmentName), ...settings },
  { title: 'EnvironmentChange', examples: [{ requires_release: true }] },
)
export type EnvironmentChange = Static<typeof EnvironmentChange>
