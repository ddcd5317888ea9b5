import { stringifyJson } from '@engine/expression'
import type { Selectable } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import { freezeFaults } from './freeze-window.ts'
import type { Policy, PolicyChange } from './model.ts'
import type { PolicyRow } from './repository.ts'

/** The columns that requests set. */
export type PolicySettings = Pick<
  Selectable<Tables['release_policies']>,
  | 'priority'
  | 'enabled'
  | 'environments'
  | 'min_count'
  | 'roles'
  | 'exclude_authors'
  | 'auto_run_tests'
  | 'require_contract_mode'
  | 'forbid'
  | 'max_changed'
> & { readonly require_coverage: string | null; readonly freeze_window: string | null }

/** Settings for members that a request omits. */
export const DEFAULTS: PolicySettings = {
  priority: 0,
  enabled: true,
  environments: [],
  min_count: 1,
  roles: [],
  exclude_authors: false,
  auto_run_tests: true,
  require_contract_mode: null,
  forbid: [],
  max_changed: null,
  require_coverage: null,
  freeze_window: null,
}

/**
 * The columns of a policy after a request, which keeps those of members that it omits. Throws 400 for unknown
 * environments, malformed changes of code and invalid windows.
 *
 * @param names of the environments of the project, by their ids
 */
export function changedSettings(
  before: PolicySettings,
  request: PolicyChange,
  names: ReadonlyMap<string, string>,
): PolicySettings {
  const { approvers, match, forbid, max_changed, require_coverage: coverage, freeze_window: window } = request
  if (window !== undefined && window !== null) refuseWindow(window)
  const given = window === null ? null : window && stringifyJson({ ...window })
  return {
    priority: request.priority ?? before.priority,
    enabled: request.enabled ?? before.enabled,
    environments: match === undefined ? before.environments : idsOf(match.environments, names),
    min_count: approvers?.min_count ?? before.min_count,
    roles: approvers?.roles === undefined ? before.roles : [...new Set(approvers.roles)],
    exclude_authors: approvers?.exclude_authors ?? before.exclude_authors,
    auto_run_tests: request.auto_run_tests ?? before.auto_run_tests,
    require_contract_mode:
      request.require_contract_mode === undefined ? before.require_contract_mode : request.require_contract_mode,
    forbid: forbid === undefined ? before.forbid : [...new Set(forbid.map(transitionText))],
    max_changed: max_changed === undefined ? before.max_changed : max_changed,
    require_coverage: coverage === undefined ? before.require_coverage : coverage && stringifyJson({ ...coverage }),
    freeze_window: given === undefined ? before.freeze_window : given,
  }
}

/** A change of code in its one form. Throws 400. */
function transitionText(text: string, index: number): string {
  const [from = '', to = ''] = text.split('->').map((code) => code.trim())
  if (from === '' || to === '') throw failures.invalid(`/forbid/${index}`, 'must name two codes, such as `DENY->ALLOW`')
  return `${from}->${to}`
}

/** The settings of a stored policy. */
export function settingsIn(row: PolicyRow): PolicySettings {
  const { priority, enabled, environments, min_count, roles, exclude_authors } = row
  const { auto_run_tests, require_contract_mode, forbid, max_changed, require_coverage, freeze_window } = row
  return {
    priority,
    enabled,
    environments,
    min_count,
    roles,
    exclude_authors,
    auto_run_tests,
    require_contract_mode,
    forbid,
    max_changed,
    require_coverage: require_coverage === null ? null : stringifyJson(require_coverage),
    freeze_window: freeze_window === null ? null : stringifyJson(freeze_window),
  }
}

function idsOf(given: readonly string[], names: ReadonlyMap<string, string>): string[] {
  const ids = given.map((key, index) => {
    const found = [...names].find(([id, name]) => name === key || id === key.toLowerCase())
    if (found === undefined)
      throw failures.invalid(`/match/environments/${index}`, 'is not an environment of this project')
    return found[0]
  })
  return [...new Set(ids)]
}

function refuseWindow(window: NonNullable<Policy['freeze_window']>): void {
  const [fault] = freezeFaults(window)
  if (fault !== undefined) throw failures.invalid(`/freeze_window/${fault.member}`, fault.message)
}
