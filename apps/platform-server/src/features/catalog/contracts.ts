import {
  checkContract,
  checkVersion,
  conceptsNamedBy,
  type Contract as ContractDocument,
  type ContractChange as Changes,
  type Concepts,
  decodeContract,
  nextVersion,
} from '@engine/authoring'
import { stringifyJson, type Value } from '@engine/expression'
import { refuseName } from '@engine/ruleset'
import { remainingBudget } from '../../compute/size-budget.ts'
import type { Scope } from '../../database/scope.ts'
import { failures, PlatformError } from '../../errors.ts'
import { refuseRenaming } from '../../resources/document-name.ts'
import { documents } from './documents.ts'
import type { Contract, ContractChange, ContractRequest } from './model.ts'
import { valueOf } from './decoded-document.ts'
import { conceptsOf, contractIn, contractOf, type ContractRow } from './repository.ts'

/** Contracts in the form of the public API. */
export const shownContracts = async (_scope: Scope, _project: string, rows: readonly ContractRow[]) =>
  rows.map(contractOf)

/**
 * A changed contract needs a higher version, and a major step for a breaking change (specification 9.3). The change clears
 * its migration flags.
 */
export const {
  create: createContract,
  replace: changeContract,
  remove: deleteContract,
  rowBy: contractBy,
} = documents({
  noun: 'contract',
  rowIn: contractIn,
  show: shownContracts,
  refuseName(name: string) {
    const refusal = refuseName(name)
    if (refusal !== undefined) throw failures.invalid('/name', `is not a valid name: ${refusal}`, 'bad-name')
  },
  async columnsOf(scope: Scope, project: string, request: ContractRequest) {
    const document = documentOf(request, await conceptsOf(scope, project))
    const { name, version, ...content } = document
    return {
      name,
      version,
      content: stringifyJson(content),
      fields: document.input.fields.map((field) => field.name),
      concepts: [...conceptsNamedBy(document)],
      migrations: '[]',
    }
  },
  insert: (scope, row) => scope.insert('contracts', row).returningAll().executeTakeFirstOrThrow(),
  update: (scope, id, row) =>
    scope.update('contracts').set(row).where('id', '=', id).returningAll().executeTakeFirstOrThrow(),
  delete: (scope, id) => scope.delete('contracts').where('id', '=', id).execute(),
  // An error rolls back the transaction, and with it the change.
  async replaced({ scope }, project, before: Contract, after: Contract) {
    const changes = changesBetween(before, after, await conceptsOf(scope, project))
    refuseVersion(before, after, changes)
    return { breaking: changes.breaking, breaks: [...changes.breaks] }
  },
})

/** Preview a change of a contract without storing it. Throws 400 for an invalid contract. */
export async function checkedContract(scope: Scope, row: ContractRow, request: ContractChange): Promise<Changes> {
  refuseRenaming(row.name, request.name)
  const concepts = await conceptsOf(scope, row.project_id)
  return changesBetween(contractOf(row), documentOf({ ...request, name: row.name }, concepts), concepts)
}

/** Both are compared with the present concepts: a change of a concept flags the contract instead. */
function changesBetween(before: ContractDocument, after: ContractDocument, concepts: Concepts): Changes {
  const present = Array.from(concepts, ([name, fields]) => ({ name, fields }))
  return checkContract({ ...before, concepts: present }, { ...after, concepts: present })
}

/** Throws 400 for a version that is too low for any change, and 409 for one that is too low only for a breaking change. */
function refuseVersion(before: ContractDocument, after: ContractDocument, changes: Changes): void {
  const verdict = checkVersion(before, after, changes)
  if (verdict === 'too-low')
    throw failures.invalid(
      '/version',
      `must be higher than \`${before.version}\`, ${suggestedVersion(before, changes)}`,
      'version-too-low',
    )
  if (verdict !== 'breaking') return
  const message = `the change breaks callers of version \`${before.version}\`: give it ${suggestedVersion(before, changes)}`
  throw new PlatformError('conflict', message, {
    details: [{ path: '/version', message, code: 'breaking_change' }, ...changes.breaks],
  })
}

/** The suggested version, in words: required for a breaking change, advice for others. */
function suggestedVersion({ version }: ContractDocument, { bump, breaking }: Changes): string {
  const next = nextVersion(version, bump === 'none' ? 'patch' : bump)
  if (next === undefined) return 'a higher version'
  return breaking ? `at least \`${next}\`` : `such as \`${next}\``
}

/**
 * Maximum number of values in one contract. It is checked, compared and written on the event loop, which takes some 30 ms for
 * this many and 300 ms for ten times as many.
 */
const MAX_VALUES = 100_000

/** Maximum number of values in a request body that contains a contract. More are refused during parsing (413). */
export const MAX_CONTRACT_BODY_VALUES = 2 * MAX_VALUES

/** Throws 400. */
function documentOf(request: ContractRequest, concepts: Concepts): ContractDocument {
  if (remainingBudget(MAX_VALUES, request, () => 0) < 0)
    throw failures.invalid('', `has more than ${MAX_VALUES} values: lists of values and defaults count`, 'too-large')
  return valueOf(decodeContract(request as Value, concepts))
}
