import { contractOpenApi, contractSchema, contractTypes } from '@engine/authoring'
import { type Answer } from '@engine/http-server'
import { type TSchema, Type } from 'typebox'
import { json } from '../../http/json-response.ts'
import type { ContractInUse } from '../../compute/tasks.ts'
import type { Database } from '../../database/database.ts'
import { DOCUMENT_BYTES, memberRoute, type Route } from '../../http/route.ts'
import { type InProject, inProject } from '../projects/project-scope.ts'
import { checkedContract, contractBy, MAX_CONTRACT_BODY_VALUES } from './contracts.ts'
import { ContractChange, ContractVerdict } from './model.ts'
import { conceptsOf, contractOf, type ContractRow } from './repository.ts'

const group = 'Contracts'
const ONE = '/api/v1/orgs/:oid/projects/:pid/contracts/:name'

/** Routes that publish a contract in other formats, and preview a change. */
export function contractDocumentRoutes({ database }: { readonly database: Database }): readonly Route[] {
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
      'Get the input of a contract as JSON Schema 2020-12',
      { answer: AnyObject },
      ({ contract, concepts }) => json(200, contractSchema(contract, concepts)),
    ),
    document(
      'openapi',
      'Get the OpenAPI 3.1 document for calls with this contract',
      { answer: AnyObject },
      ({ contract, concepts }) => json(200, contractOpenApi(contract, concepts)),
    ),
    document(
      'types',
      'Get the TypeScript types of a contract',
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
      summary: 'Check which breaking changes a new contract contains and which version bump it needs',
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
  ]
}

const AnyObject = Type.Object({}, { additionalProperties: true })
