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
import { randomUUIDv7 } from 'node:crypto'
import type { Caller } from '../../access/caller.ts'
import type { Author } from '../../database/audit.ts'
import type { Database } from '../../database/database.ts'
import type { Scope } from '../../database/scope.ts'
import { failures, PlatformError } from '../../errors.ts'
import { creatorOf } from '../../http/author.ts'
import { staleRevision } from '../../http/revision.ts'
import type { InProject } from '../projects/place.ts'
import type { ChangedContract, Contract, ContractChange, ContractRequest } from './model.ts'
import { asDuplicate, refuseRenaming } from './names.ts'
import { valueOf } from './refusal.ts'
import { conceptsOf, contractIn, contractOf, type ContractRow } from './repository.ts'

export function createContract(
  database: Database,
  { member, project }: InProject,
  caller: Caller,
  author: Author,
  request: ContractRequest,
): Promise<Contract> {
  const refusal = refuseName(request.name)
  if (refusal !== undefined) throw failures.invalid('/name', `is no name: ${refusal}`, 'bad-name')
  return asDuplicate('contracts', request.name, () =>
    database.change(member.org, author, async ({ scope, audit, lock }) => {
      await lock()
      const document = await documentOf(scope, project.id, request)
      const row = { id: randomUUIDv7(), project_id: project.id, created_by: creatorOf(caller), ...columnsOf(document) }
      const made = await scope.insert('contracts', row).returningAll().executeTakeFirstOrThrow()
      const contract = contractOf(made)
      await audit({ action: 'contract.created', object: made, after: contract, projectId: project.id })
      return contract
    }),
  )
}

/**
 * Replace a contract by a version that suffices for what changes (specification 9.3). Its flags of migration end.
 *
 * @param rev that it must have; undefined: any
 */
export function changeContract(
  database: Database,
  { member, project }: InProject,
  author: Author,
  name: string,
  request: ContractChange,
  rev: number | undefined,
): Promise<ChangedContract> {
  refuseRenaming(name, request.name)
  return database.change(member.org, author, async ({ scope, audit, lock }) => {
    await lock()
    const row = await contractBy(scope, project.id, name)
    const before = contractOf(row)
    if (rev !== undefined && row.rev !== rev) throw staleRevision(before)
    const document = await documentOf(scope, project.id, { ...request, name })
    const changes = checkContract(before, document)
    refuseVersion(before, document, changes)
    const changed = await scope
      .update('contracts')
      .set({ ...columnsOf(document), migrations: '[]', updated_at: new Date(), rev: row.rev + 1 })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const after = contractOf(changed)
    await audit({ action: 'contract.updated', object: changed, before, after, projectId: project.id })
    return { ...after, breaking: changes.breaking, breaks: [...changes.breaks] }
  })
}

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

export async function deleteContract(
  database: Database,
  { member, project }: InProject,
  author: Author,
  name: string,
  rev: number | undefined,
): Promise<void> {
  await database.change(member.org, author, async ({ scope, audit, lock }) => {
    await lock()
    const row = await contractBy(scope, project.id, name)
    const before = contractOf(row)
    if (rev !== undefined && row.rev !== rev) throw staleRevision(before)
    await scope.delete('contracts').where('id', '=', row.id).execute()
    await audit({ action: 'contract.deleted', object: row, before, projectId: project.id })
  })
}

/** Throws 400. */
async function documentOf(scope: Scope, project: string, request: ContractRequest): Promise<ContractDocument> {
  return valueOf(decodeContract(request as Value, await conceptsOf(scope, project)))
}

function columnsOf(document: ContractDocument) {
  const { name, version, ...content } = document
  return {
    name,
    version,
    content: stringifyJson(content),
    fields: document.input.fields.map((field) => field.name),
    concepts: [...conceptsNamedBy(document)],
  }
}

/** Throws `not-found`. */
export async function contractBy(scope: Scope, project: string, name: string): Promise<ContractRow> {
  const row = await contractIn(scope, project, name)
  if (row === undefined) throw failures.notFound('contract', name)
  return row
}
