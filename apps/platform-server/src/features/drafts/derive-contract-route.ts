import type { Value } from '@engine/expression'
import type { Compute } from '../../compute/compute.ts'
import type { Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import { json } from '../../http/json-response.ts'
import { DOCUMENT_BYTES, memberRoute, type Route } from '../../http/route.ts'
import { ContractDocument, DeriveRequest } from '../catalog/model.ts'
import { type InProject, inProject } from '../projects/project-scope.ts'
import { currentDraft } from './repository.ts'
import { subjectOf } from './subject.ts'

/** Route that derives a contract from a ruleset; the contract is not stored. */
export function deriveContractRoute({
  database,
  compute,
}: {
  readonly database: Database
  readonly compute: Compute
}): Route {
  return memberRoute({
    method: 'POST',
    path: '/api/v1/orgs/:oid/projects/:pid/contracts/derive',
    right: 'member',
    summary: 'Derive a contract from a ruleset without storing it',
    group: 'Contracts',
    within: inProject(database),
    maxBodyBytes: DOCUMENT_BYTES,
    body: DeriveRequest,
    answers: { 200: ContractDocument },
    handle: async ({ place, body }) => json(200, await derived(compute, place, body.ruleset, body.inputs ?? [])),
  })
}

async function derived(compute: Compute, { member, project }: InProject, name: string, inputs: readonly Value[]) {
  const stored = await currentDraft(member.scope, project.id, name)
  if (stored === undefined) throw failures.invalid('/ruleset', 'is not a ruleset of this project', 'unknown-ruleset')
  // The present contract is ignored: the derived one replaces it.
  const subject = await subjectOf(member.scope, project.id, stored.ruleset, undefined)
  const outcome = await compute.run({ kind: 'derive', subject, inputs })
  if (outcome.kind === 'over') throw failures.invalid('/ruleset', `is too large: ${outcome.message}`)
  if (outcome.result.kind === 'problems')
    throw failures.invalid('/ruleset', 'has errors: a contract is derived from a ruleset that could be published')
  return outcome.result.contract
}
