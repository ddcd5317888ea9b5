import { defined } from '@engine/expression'
import type { TSchema } from 'typebox'
import type { Static } from 'typebox'
import { json } from '../../http/json-response.ts'
import type { Action } from '../../access/actions.ts'
import type { Compute } from '../../compute/compute.ts'
import type { Database } from '../../database/database.ts'
import type { CutPage, Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import { type Acting, actingIn } from '../../resources/acting.ts'
import { created, LOCATION } from '../../resources/created-response.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { ETAG } from '../../resources/revision.ts'
import { changeRoute, deleteRoute, readRoute } from '../../resources/revision-routes.ts'
import { BODY_BYTES, DOCUMENT_BYTES, memberRoute, type Route } from '../../http/route.ts'
import { type InProject, inProject } from '../projects/project-scope.ts'
import { atBothPaths } from '../projects/routes.ts'
import { changeConcept, conceptBy, createConcept, deleteConcept, shownConcepts } from './concepts.ts'
import {
  changeContract,
  contractBy,
  createContract,
  deleteContract,
  MAX_CONTRACT_BODY_VALUES,
  shownContracts,
} from './contracts.ts'
import { contractDocumentRoutes } from './document-routes.ts'
import { changeFact, createFact, deleteFact, factBy, shownFacts } from './facts.ts'
import {
  ChangedConcept,
  ChangedContract,
  ChangedFact,
  Concept,
  ConceptChange,
  ConceptRequest,
  Contract,
  ContractChange,
  ContractRequest,
  Fact,
  FactChange,
  FactRequest,
} from './model.ts'
import { conceptsOn, contractsOn, factsOn } from './repository.ts'
import { usageRoute } from './usage-route.ts'

/** Dependencies of the catalog routes. */
export interface CatalogParts {
  readonly database: Database
  readonly compute: Compute
  readonly basePath: string
}

const SORTS = ['name', 'created_at', 'updated_at'] as const
const PROJECT = '/api/v1/orgs/:oid/projects/:pid'

/** Routes of a project's facts, concepts and contracts. */
export function catalogRoutes(parts: CatalogParts): readonly Route[] {
  return atBothPaths([
    ...namedRoutes(parts, {
      noun: 'fact',
      group: 'Facts',
      right: 'fact.edit',
      maxBodyBytes: BODY_BYTES,
      shown: Fact,
      changed: ChangedFact,
      request: FactRequest,
      change: FactChange,
      rowsOn: factsOn,
      rowBy: factBy,
      show: shownFacts,
      create: createFact,
      replace: changeFact,
      remove: deleteFact,
    }),
    ...namedRoutes(parts, {
      noun: 'concept',
      group: 'Concepts',
      right: 'fact.edit',
      maxBodyBytes: BODY_BYTES,
      shown: Concept,
      changed: ChangedConcept,
      request: ConceptRequest,
      change: ConceptChange,
      rowsOn: conceptsOn,
      rowBy: conceptBy,
      show: shownConcepts,
      create: createConcept,
      replace: changeConcept,
      remove: deleteConcept,
    }),
    ...namedRoutes(parts, {
      noun: 'contract',
      group: 'Contracts',
      right: 'contract.edit',
      maxBodyBytes: DOCUMENT_BYTES,
      maxBodyValues: MAX_CONTRACT_BODY_VALUES,
      shown: Contract,
      changed: ChangedContract,
      request: ContractRequest,
      change: ContractChange,
      rowsOn: contractsOn,
      rowBy: contractBy,
      show: shownContracts,
      create: createContract,
      replace: changeContract,
      remove: deleteContract,
    }),
    ...contractDocumentRoutes(parts),
    usageRoute(parts),
  ])
}

interface NamedRow {
  readonly id: string
  readonly name: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly rev: number
}

type Named = { readonly id: string; readonly name: string; readonly rev: number }

/** A kind of project resource that is identified by name. */
interface NamedResource<Row extends NamedRow, Shown extends Named, Request extends TSchema, Changed extends TSchema> {
  readonly noun: string
  readonly group: string
  readonly right: Action
  readonly maxBodyBytes: number
  readonly maxBodyValues?: number
  readonly shown: TSchema
  readonly changed: TSchema
  readonly request: Request
  readonly change: Changed
  readonly rowsOn: (scope: Scope, project: string, page: Page) => Promise<CutPage<Row>>
  /** Throws `not-found`. */
  readonly rowBy: (scope: Scope, project: string, name: string) => Promise<Row>
  readonly show: (scope: Scope, project: string, rows: readonly Row[]) => Promise<readonly Shown[]>
  readonly create: (acting: Acting<InProject>, request: Static<Request>) => Promise<Shown>
  readonly replace: (
    acting: Acting<InProject>,
    name: string,
    change: Static<Changed>,
    rev: number | undefined,
  ) => Promise<Named>
  readonly remove: (acting: Acting<InProject>, name: string, rev: number | undefined) => Promise<void>
}

/** The list, create, show, replace and delete routes of one kind. */
function namedRoutes<Row extends NamedRow, Shown extends Named, Request extends TSchema, Changed extends TSchema>(
  { database, basePath }: Omit<CatalogParts, 'compute'>,
  resource: NamedResource<Row, Shown, Request, Changed>,
): readonly Route[] {
  const { noun, group, right, shown, maxBodyBytes, maxBodyValues } = resource
  const limits = { maxBodyBytes, ...(maxBodyValues !== undefined && { maxBodyValues }) }
  const within = inProject(database)
  const all = `${PROJECT}/${noun}s`
  const one = `${all}/:name`
  const find = ({ member, project }: InProject, { name = '' }: Readonly<Record<string, string>>) =>
    resource.rowBy(member.scope, project.id, name)
  const show = async ({ member, project }: InProject, rows: readonly Row[]) =>
    resource.show(member.scope, project.id, rows)

  const common = { path: one, group, within, find }

  return [
    memberRoute({
      method: 'GET',
      path: all,
      right: 'member',
      summary: `List ${noun}s`,
      group,
      within,
      query: listQuery(SORTS),
      answers: { 200: ListOf(shown, `${group.slice(0, -1)}List`) },
      async handle({ place, query }) {
        const { rows, page } = await resource.rowsOn(place.member.scope, place.project.id, pageOf(query, SORTS))
        const items = await show(place, rows.slice(0, page.limit))
        const cut = listed(
          rows,
          page,
          (row) => row[page.sort],
          (row) => row.id,
        )
        return json(200, { ...cut, items })
      },
    }),
    memberRoute({
      method: 'POST',
      path: all,
      right,
      summary: `Create a ${noun}`,
      group,
      within,
      ...limits,
      body: resource.request,
      answers: { 201: shown },
      answerHeaders: { 201: { ...LOCATION, ...ETAG } },
      hasConflicts: true,
      async handle(asked) {
        const { place, body } = asked
        const made = await resource.create(actingIn(database, asked), body)
        const { org_id, id } = place.project
        const path = `${basePath}/api/v1/orgs/${org_id}/projects/${id}/${noun}s/${encodeURIComponent(made.name)}`
        return created(made, path)
      },
    }),
    readRoute({
      ...common,
      summary: `Get a ${noun}`,
      answer: shown,
      current: async ({ place, found }) => defined((await show(place, [found]))[0]),
    }),
    changeRoute({
      ...common,
      right,
      summary: `Replace a ${noun}`,
      ...limits,
      body: resource.change,
      answer: resource.changed,
      current: ({ found }) => found,
      change: (asked) => resource.replace(actingIn(database, asked), asked.found.name, asked.body, asked.rev),
    }),
    deleteRoute({
      ...common,
      right,
      summary: `Delete a ${noun}`,
      current: ({ found }) => found,
      remove: (asked) => resource.remove(actingIn(database, asked), asked.found.name, asked.rev),
    }),
  ]
}
