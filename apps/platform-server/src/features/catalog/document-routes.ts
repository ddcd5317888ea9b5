import { contractOpenApi, contractSchema, contractTypes } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { type Answer } from '@engine/http-server'
import { type TSchema, Type } from 'typebox'
import { json } from '../../http/json-response.ts'
import type { Compute } from '../../compute/compute.ts'
import type { ContractInUse } from '../../compute/tasks.ts'
import type { Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import { DOCUMENT_BYTES, memberRoute, type Route } from '../../http/route.ts'
import { currentDraft } from '../drafts/repository.ts'
import { subjectOf } from '../drafts/subject.ts'
import { type InProject, inProject } from '../projects/project-scope.ts'
import { checkedContract, contractBy, MAX_CONTRACT_BODY_VALUES } from './contracts.ts'
import { ContractChange, ContractDocument, ContractVerdict, DeriveRequest } from './model.ts'
import { conceptsOf, contractOf, type ContractRow } from './repository.ts'

const group = 'Contracts'
const ALL = '/api/v1/orgs/:oid/projects/:pid/contracts'
const ONE = `${ALL}/:name`

/** What becomes of contracts, and what contracts are made of. */
export function contractDocumentRoutes({
  database,
  compute,
}: {
  readonly database: Database
  readonly compute: Compute
}): readonly Route[] {
  const within = inProject(database)
  const find = ({ member, project }: InProject, { name = '' }: Readonly<Record<string, string>>) =>
    contractBy(member.scope, project.id, name)
  const inUse = async ({ member, project }: InProject, row: ContractRow): Promise<ContractInUse> => ({
    contract: contractOf(row),
    concepts: await conceptsOf(member.scope, project.id),
  })
  const document = (
    name: string,
    summary: string,
    described: { readonly answer: TSchema; readonly produces?: string },
    answer: (found: ContractInUse) => Answer,
  ) =>
    memberRoute({
      method: 'GET',
      path: `${ONE}/${name}`,
      right: 'member',
      summary,
      group,
      within,
      find,
      answers: { 200: described.answer },
      ...(described.produces === undefined ? {} : { produces: described.produces }),
      handle: async ({ place, found }) => answer(await inUse(place, found)),
    })

  return [
    document(
      'schema',
      'The input of a contract as JSON Schema 2020-12',
      { answer: AnyObject },
      ({ contract, concepts }) => json(200, contractSchema(contract, concepts)),
    ),
    document('openapi', 'How an engine is called, as OpenAPI 3.1', { answer: AnyObject }, ({ contract, concepts }) =>
      json(200, contractOpenApi(contract, concepts)),
    ),
    document(
      'types',
      'A contract as TypeScript',
      { answer: Type.String(), produces: 'text/plain' },
      ({ contract, concepts }) => ({
        status: 200,
        body: contractTypes(contract, concepts).text,
        type: 'text/plain; charset=utf-8',
      }),
    ),
    memberRoute({
      method: 'POST',
      path: `${ONE}/check`,
      right: 'member',
      summary: 'What a change of a contract would break, and the usual step of the version',
      group,
      within,
      find,
      maxBodyBytes: DOCUMENT_BYTES,
      maxBodyValues: MAX_CONTRACT_BODY_VALUES,
      body: ContractChange,
      answers: { 200: ContractVerdict },
      async handle({ place, found, body }) {
        const { breaking, breaks, bump } = await checkedContract(place.member.scope, found, body)
        return json(200, { breaking, breaks, bump })
      },
    }),
    memberRoute({
      method: 'POST',
      path: `${ALL}/derive`,
      right: 'member',
      summary: 'A contract for a ruleset that has none, which is not stored',
      group,
      within,
      maxBodyBytes: DOCUMENT_BYTES,
      body: DeriveRequest,
      answers: { 200: ContractDocument },
      handle: async ({ place, body }) => json(200, await derived(compute, place, body.ruleset, body.inputs ?? [])),
    }),
  ]
}

const AnyObject = Type.Object({}, { additionalProperties: true })

async function derived(compute: Compute, { member, project }: InProject, name: string, inputs: readonly Value[]) {
  const stored = await currentDraft(member.scope, project.id, name)
  if (stored === undefined) throw failures.invalid('/ruleset', 'is no ruleset of this project', 'unknown-ruleset')
  // Without its contract, whose place the new one takes.
  const subject = await subjectOf(member.scope, project.id, stored.ruleset, undefined)
  const outcome = await compute.run({ kind: 'derive', subject, inputs })
  if (outcome.kind === 'over') throw failures.invalid('/ruleset', `is too large: ${outcome.message}`)
  if (outcome.result.kind === 'problems')
    throw failures.invalid('/ruleset', 'has errors: a contract is derived from a ruleset that could be published')
  return outcome.result.contract
}
