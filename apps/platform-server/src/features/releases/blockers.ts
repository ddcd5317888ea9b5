import type { ContractMode, Problem } from '@engine/authoring'
import type { Scope } from '../../database/scope.ts'
import { type ConflictCode, PlatformError } from '../../errors.ts'
import { invalidDocument } from '../../resources/invalid-document.ts'
import { hasErrors } from '../drafts/draft-check.ts'
import type { TestRun } from '../test-suites/model.ts'
import type { Copy } from './snapshot.ts'
import { refuseTaken } from './live.ts'
import type { Diff } from './model.ts'
import type { Found } from './request.ts'
import type { RequiredMode } from './requirements.ts'

/** A reason that prevents a release, as an error of the API and as a problem in a preview. */
export interface Blocker {
  readonly error: Error
  readonly problems: readonly Problem[]
}

/** A ruleset with problems of severity `error` cannot be released. */
export const faults = (copies: readonly Copy[], found: Found): readonly Blocker[] =>
  copies.flatMap((copy) => faultsOf(copy, found))

function faultsOf({ name, document, problems }: Copy, { rulesets }: Found): readonly Blocker[] {
  if (document !== undefined && !hasErrors(problems)) return []
  const path = `/rulesets/${rulesets.findIndex((one) => one.name === name)}`
  const shown = problems.filter(({ severity }) => severity === 'error')
  return [
    {
      error: invalidDocument(problems, path),
      problems: shown.map((problem) => ({ ...problem, path: path + problem.path })),
    },
  ]
}

/** Maximum number of cases named in one refusal; further ones are only counted. */
const MAX_NAMED = 20

/** Cases of the attached suites that fail; null if they did not run. */
export function failing(tests: TestRun | null): readonly Blocker[] {
  if (tests === null || tests.failed === 0) return []
  const failed = tests.results.filter(({ passed }) => !passed)
  const message = `${tests.failed} of ${tests.total} cases of the attached suites fail`
  const details = failed.slice(0, MAX_NAMED).map(({ suite, name, failures: why }) => ({
    path: '/rulesets',
    code: 'tests_failed',
    message: `\`${suite}\`, \`${name}\`: ${why.map((one) => one.message).join('; ')}`,
  }))
  return [conflict('tests_failed', message, details, tests)]
}

/** Contracts with breaking changes. */
export function unacknowledged(breaking: readonly Diff[]): readonly Blocker[] {
  if (breaking.length === 0) return []
  const details = breaking.flatMap(({ environment, ruleset, contract }) =>
    (contract?.breaks ?? []).map(({ message }) => ({
      path: '/acknowledge_breaking',
      code: 'breaking_change',
      message: `\`${ruleset}\` in \`${environment}\`: ${message}`,
    })),
  )
  const message = 'a contract breaks: say `acknowledge_breaking` when its callers are ready'
  const current = { breaks: breaking.map(({ environment, ruleset, contract }) => ({ environment, ruleset, contract })) }
  return [conflict('breaking_change', message, details.slice(0, MAX_NAMED), current)]
}

const STRICTNESS: { readonly [Mode in ContractMode]: number } = { off: 0, warn: 1, enforce: 2 }

/** Rulesets without a contract, or with one in a weaker mode than the policy of an environment requires. */
export function weakContracts(
  copies: readonly Copy[],
  required: readonly RequiredMode[],
  { environments, rulesets }: Found,
): readonly Blocker[] {
  const details = required.flatMap(({ environmentId, mode }) =>
    copies.flatMap(({ name, subject: { contract } }) => {
      const { mode: own = 'off' } = contract ?? {}
      if (STRICTNESS[own] >= STRICTNESS[mode]) return []
      const found = contract === undefined ? 'it has no contract' : `its project has \`${own}\``
      const environment = environments.find(({ id }) => id === environmentId)?.name ?? environmentId
      return [
        {
          path: `/rulesets/${rulesets.findIndex((one) => one.name === name)}`,
          code: 'contract_mode',
          message: `\`${environment}\` requires the contract mode \`${mode}\` of \`${name}\`, and ${found}`,
        },
      ]
    }),
  )
  if (details.length === 0) return []
  const message = 'a policy requires contracts that engines check: see `contract_mode` of the project'
  return [conflict('contract_mode', message, details.slice(0, MAX_NAMED), undefined)]
}

/** A name that an engine without tenants already serves for another environment. */
export async function taken(scope: Scope, found: Found): Promise<readonly Blocker[]> {
  const names = found.rulesets.filter(({ kind }) => kind === 'save').map(({ name }) => name)
  if (names.length === 0) return []
  try {
    await refuseTaken(scope, found.environments, names)
    return []
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const problem = { path: '/environments', code: 'name_taken', message: error.message, severity: 'error' as const }
    return [{ error, problems: [problem] }]
  }
}

/** A blocker that causes a 409. */
export function conflict(
  code: ConflictCode,
  message: string,
  details: readonly { readonly path: string; readonly code: string; readonly message: string }[],
  current: unknown,
): Blocker {
  const all = [{ path: '', code, message }, ...details]
  return {
    error: new PlatformError('conflict', message, { details: all, current }),
    problems: (details.length === 0 ? all : details).map((detail) => ({ ...detail, severity: 'error' as const })),
  }
}
