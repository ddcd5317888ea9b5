import type { components } from '../api/schema.ts'
import type { PolicyTexts } from '../texts/en/policies.ts'

export type Policy = components['schemas']['ReleasePolicy']
type PolicyRequest = components['schemas']['ReleasePolicyRequest']

/** The measures of coverage that a rule can require. */
export const MEASURES = ['branches', 'conditions', 'boundaries', 'mutants'] as const

/** The requirements of a rule, as phrases. */
export function requirementsOf(policy: Policy, { sentences, contractModes, coverage }: PolicyTexts): readonly string[] {
  const { approvers, auto_run_tests, require_contract_mode: mode, forbid, max_changed, require_coverage } = policy
  const { min_count: count, roles, exclude_authors } = approvers
  return [
    count === 0
      ? sentences.noApproval
      : [sentences.approvals(count, roles.join(sentences.or)), ...(exclude_authors ? [sentences.notAuthors] : [])].join(
          ', ',
        ),
    ...(auto_run_tests ? [sentences.tests] : []),
    ...(mode === null ? [] : [sentences.contract(contractModes[mode])]),
    ...forbid.map((change) => sentences.forbidden(change)),
    ...(max_changed === null ? [] : [sentences.changed(max_changed)]),
    ...MEASURES.flatMap((measure) => {
      const percent = require_coverage?.[measure]
      return percent === undefined ? [] : [sentences.covered(coverage[measure], percent)]
    }),
    ...(policy.freeze_window === null ? [] : [sentences.frozen]),
  ]
}

/** The form values of a rule; number fields hold text. */
export interface PolicyValues {
  readonly name: string
  readonly priority: string
  readonly enabled: boolean
  readonly match: readonly string[]
  readonly min_count: string
  readonly roles: readonly string[]
  readonly exclude_authors: boolean
  readonly auto_run_tests: boolean
  readonly require_contract_mode: 'none' | 'warn' | 'enforce'
  readonly forbid: string
  readonly max_changed: string
  readonly branches: string
  readonly conditions: string
  readonly boundaries: string
  readonly mutants: string
  readonly cron: string
  readonly duration: string
  readonly time_zone: string
}

const textOf = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : String(value)

/** The initial form values. @param zone the user's time zone */
export function valuesOf(policy: Policy | undefined, zone: string): PolicyValues {
  return {
    name: policy?.name ?? '',
    priority: textOf(policy?.priority ?? 0),
    enabled: policy?.enabled ?? true,
    match: policy?.match.environments ?? [],
    min_count: textOf(policy?.approvers.min_count ?? 1),
    roles: policy?.approvers.roles ?? [],
    exclude_authors: policy?.approvers.exclude_authors ?? true,
    auto_run_tests: policy?.auto_run_tests ?? true,
    require_contract_mode: policy?.require_contract_mode ?? 'none',
    forbid: policy?.forbid.join('\n') ?? '',
    max_changed: textOf(policy?.max_changed),
    branches: textOf(policy?.require_coverage?.branches),
    conditions: textOf(policy?.require_coverage?.conditions),
    boundaries: textOf(policy?.require_coverage?.boundaries),
    mutants: textOf(policy?.require_coverage?.mutants),
    cron: policy?.freeze_window?.cron ?? '',
    duration: policy?.freeze_window?.duration ?? '',
    time_zone: policy?.freeze_window?.time_zone ?? zone,
  }
}

/** The request for the form values. */
export function requestOf(values: PolicyValues): PolicyRequest {
  const covered = MEASURES.flatMap((measure) => (values[measure] === '' ? [] : [[measure, Number(values[measure])]]))
  const { cron, duration, time_zone, require_contract_mode: mode } = values
  return {
    name: values.name,
    priority: Number(values.priority),
    enabled: values.enabled,
    match: { environments: [...values.match] },
    approvers: {
      min_count: Number(values.min_count),
      roles: [...values.roles],
      exclude_authors: values.exclude_authors,
    },
    auto_run_tests: values.auto_run_tests,
    require_contract_mode: mode === 'none' ? null : mode,
    forbid: values.forbid
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    max_changed: values.max_changed === '' ? null : Number(values.max_changed),
    require_coverage: covered.length === 0 ? null : Object.fromEntries(covered),
    freeze_window: cron === '' && duration === '' ? null : { cron, duration, ...(time_zone !== '' && { time_zone }) },
  }
}

/** The enabled policy with the highest priority that matches; of equal ones the oldest. */
export function policyOf({ name }: { readonly name: string }, policies: readonly Policy[]): Policy | undefined {
  return policies
    .filter(({ enabled, match }) => enabled && (match.environments.length === 0 || match.environments.includes(name)))
    .toSorted(
      (left, right) => right.priority - left.priority || Date.parse(left.created_at) - Date.parse(right.created_at),
    )[0]
}
