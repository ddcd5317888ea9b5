import {
  checkContract,
  checkVersion,
  conceptsNamedBy,
  type Contract as ContractDocument,
  type ContractChange as Changes,
  decodeContract,
} from '@engine/authoring'
import { stringifyJson, type Value } from '@engine/expression'
import { refuseName } from '@engine/ruleset'
import { leftOf } from '../../compute/left-of.ts'
import type { Scope } from '../../database/scope.ts'
import { failures, PlatformError } from '../../errors.ts'
import { documents, refuseRenaming } from './documents.ts'
import type { Contract, ContractChange, ContractRequest } from './model.ts'
import { valueOf } from './refusal.ts'
import { conceptsOf, contractIn, contractOf, type ContractRow } from './repository.ts'

/** Contracts as the interface shows them. */
export const shownContracts = async (_scope: Scope, _project: string, rows: readonly ContractRow[]) =>
  rows.map(contractOf)

/**
 * A contract is replaced by a version that suffices for what changes (specification 9.3); its flags of migration end.
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
    if (refusal !== undefined) throw failures.invalid('/name', `is no name: ${refusal}`, 'bad-name')
  },
  async columnsOf(scope: Scope, project: string, request: ContractRequest) {
    const document = await documentOf(scope, project, request)
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
  // Thrown out of the transaction: nothing of the change stays.
  async replaced(_change, _project, before: Contract, after: Contract) {
    const changes = checkContract(before, after)
    refuseVersion(before, after, changes)
    return { breaking: changes.breaking, breaks: [...changes.breaks] }
  },
})

/** What would change, without changing it. Throws 400 for a contract that is none. */
export async function checkedContract(scope: Scope, row: ContractRow, request: ContractChange): Promise<Changes> {
  refuseRenaming(row.name, request.name)
  return checkContract(contractOf(row), await documentOf(scope, row.project_id, { ...request, name: row.name }))
}

/** Throws 400 for a version that is too low for any change, and 409 for one that is too low for a break alone. */
function refuseVersion(before: ContractDocument, after: ContractDocument, changes: Changes): void {
  const verdict = checkVersion(before, after, changes)
  if (verdict === 'too-low')
    throw failures.invalid(
      '/version',
      `must be higher than ${before.version}: the change needs a ${changes.bump === 'none' ? 'patch' : changes.bump} step`,
      'version-too-low',
    )
  if (verdict !== 'breaking') return
  const message = `the change breaks what callers rely on: \`/version\` needs a step that says so, after ${before.version}`
  throw new PlatformError('conflict', message, {
    details: [{ path: '/version', message, code: 'breaking_change' }, ...changes.breaks],
  })
}

/** Values of one contract. It is checked, compared and written where it arrives: these in some 30 ms, ten times as many in 300. */
const MOST_VALUES = 100_000

/** Throws 400. */
async function documentOf(scope: Scope, project: string, request: ContractRequest): Promise<ContractDocument> {
  if (leftOf(MOST_VALUES, request, () => 0) < 0)
    throw failures.invalid('', `has more than ${MOST_VALUES} values: lists of values and defaults count`, 'too-large')
  return valueOf(decodeContract(request as Value, await conceptsOf(scope, project)))
}
