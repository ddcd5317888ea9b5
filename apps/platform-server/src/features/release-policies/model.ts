import { type Static, Type } from 'typebox'
import { Id, orNull, RECORD, Time } from '../../resources/resource-fields.ts'
import { Name } from '../organizations/model.ts'

/** The number of required approvers, and their roles. */
export const APPROVERS = {
  min_count: Type.Integer({ minimum: 0, maximum: 100, description: 'distinct people' }),
  roles: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
    maxItems: 50,
    description: 'names of roles or actions, of which a person needs one; empty: `release.approve`',
  }),
  exclude_authors: Type.Boolean({ description: 'authors of the released content do not count' }),
}

/** The rule for counting the approvals of a release. */
export const Approvers = Type.Object(APPROVERS, { title: 'Approvers' })
export type Approvers = Static<typeof Approvers>

const Match = Type.Object({
  environments: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
    maxItems: 100,
    description: 'names or ids; empty: all of the project, also later ones',
  }),
})

const FreezeWindow = Type.Object(
  {
    cron: Type.String({ minLength: 1, maxLength: 200, description: 'five fields; when the window begins' }),
    duration: Type.String({ minLength: 1, maxLength: 20, description: '`90m`, `2h`, `1d`' }),
    time_zone: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'of IANA; default: UTC' })),
  },
  { title: 'FreezeWindow' },
)

const Percent = Type.Optional(Type.Number({ minimum: 0, maximum: 100 }))

const Coverage = Type.Object(
  { branches: Percent, conditions: Percent, boundaries: Percent, mutants: Percent },
  {
    title: 'RequiredCoverage',
    minProperties: 1,
    description: 'percent that the cases of each released ruleset have to reach (docs/analysis.md#coverage)',
  },
)

const members = {
  priority: Type.Integer({
    minimum: -1_000_000,
    maximum: 1_000_000,
    description: 'of several that match an environment the highest counts, of equal ones the oldest',
  }),
  enabled: Type.Boolean(),
  match: Match,
  approvers: Approvers,
  auto_run_tests: Type.Boolean({ description: 'a case that fails blocks the release' }),
  require_contract_mode: orNull(
    Type.Enum(['warn', 'enforce'], {
      description: 'each released ruleset carries its contract in this mode or a stricter one; null: in any or none',
    }),
  ),
  forbid: Type.Array(Type.String({ pattern: '^[^>]+->[^>]+$', maxLength: 500 }), {
    maxItems: 100,
    description: 'changes of code that must be proved absent, such as `DENY->ALLOW`; `*` is any code',
  }),
  max_changed: orNull(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'percent of the recorded decisions whose result may change; null: any number',
    }),
  ),
  require_coverage: orNull(Coverage),
  freeze_window: orNull(FreezeWindow),
}

/** Required approvals of releases into environments, and freeze windows. */
export const Policy = Type.Object({ ...RECORD, name: Name, ...members }, { title: 'ReleasePolicy' })
export type Policy = Static<typeof Policy>

const settings = {
  priority: Type.Optional(members.priority),
  enabled: Type.Optional(members.enabled),
  match: Type.Optional(members.match),
  approvers: Type.Optional(Type.Partial(Approvers)),
  auto_run_tests: Type.Optional(members.auto_run_tests),
  require_contract_mode: Type.Optional(members.require_contract_mode),
  forbid: Type.Optional(members.forbid),
  max_changed: Type.Optional(members.max_changed),
  require_coverage: Type.Optional(members.require_coverage),
  freeze_window: Type.Optional(members.freeze_window),
}

/** A time at which releases into an environment are not executed. */
export const FrozenTime = Type.Object(
  {
    environment: Type.String(),
    policy_id: Id,
    policy: Type.String({ description: 'name of the policy that applies to the environment' }),
    from: Time('from which the window holds'),
    to: Time('at which it ends'),
  },
  { title: 'FrozenTime' },
)
export type FrozenTime = Static<typeof FrozenTime>

/** A policy to create; omitted members have the defaults of docs/platform/releases.md. */
export const PolicyRequest = Type.Object(
  { name: Name, ...settings },
  {
    title: 'ReleasePolicyRequest',
    examples: [
      {
        name: 'Production',
        priority: 10,
        match: { environments: ['prod'] },
        approvers: { min_count: 2, exclude_authors: true },
        auto_run_tests: true,
        freeze_window: { cron: '0 18 * * 5', duration: '62h', time_zone: 'Europe/Berlin' },
      },
    ],
  },
)
export type PolicyRequest = Static<typeof PolicyRequest>

/** Releases that await approval are evaluated against the changed policy. */
export const PolicyChange = Type.Object(
  { name: Type.Optional(Name), ...settings },
  {
    title: 'ReleasePolicyChange',
    examples: [{ approvers: { min_count: 1 } }],
    description: 'omitted members keep their values',
  },
)
export type PolicyChange = Static<typeof PolicyChange>
