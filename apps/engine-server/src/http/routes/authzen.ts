import {
  AccessEvaluation,
  AccessEvaluationRequest,
  AccessEvaluations,
  AccessEvaluationsRequest,
  AccessSearchRequest,
  AccessSearchResult,
  AuthzenConfiguration,
} from '@engine/api'
import { type Answer, json } from '@engine/http-server'
import { EngineError } from '../../errors.ts'
import { isSearchable, SEARCH_KINDS, searchAccess, type SearchKind } from '../../services/access-search.ts'
import { type AuthorizationParts, evaluateAll } from '../../services/authorization.ts'
import type { AuthzenMapping } from '../../standards/standard-files.ts'
import { answerEvaluation, EVALUATION_PATH, mappingFor } from '../access-handler.ts'
import { DIGEST_HEADER, REPORT_HEADER } from '../execution-report.ts'
import { readSent, readText, type Route, type RouteRequest, runOf, singleRunOf, text } from '../route.ts'
import { ACCESS_PATH, AUTHZEN_METADATA_PATH } from '../standard-paths.ts'

const common = {
  scope: 'execute',
  writes: false,
  isServerWide: false,
  group: 'AuthZEN',
  query: 'any',
  method: 'POST',
  standard: 'authzen',
} as const

const SUMMARY_OF_SEARCH: Readonly<Record<SearchKind, string>> = {
  subject: 'Find the subjects that may perform an action on a resource',
  resource: 'Find the resources on which a subject may perform an action',
  action: 'Find the actions that a subject may perform on a resource',
}

/** The AuthZEN Authorization API 1.0, for the tenant of `x-tenant-id`. */
const ACCESS_ROUTES: readonly Route[] = [
  {
    ...common,
    path: EVALUATION_PATH,
    summary: 'Decide whether a subject may perform an action on a resource',
    body: AccessEvaluationRequest,
    headers: { [REPORT_HEADER]: '`1`: a response header identifies the deciding ruleset' },
    answers: { 200: AccessEvaluation },
    answerHeaders: { 200: { [DIGEST_HEADER]: 'with `x-engine-report: 1`: SHA-256 of the ruleset that decided' } },
    async handle(request) {
      const { services, raw } = request
      const body = await readText(request)
      const answer = await answerEvaluation(mappingOf(request), { services, raw, body, run: singleRunOf(request) })
      return typeof answer === 'string' ? text(200, answer) : answer
    },
  },
  {
    ...common,
    path: `${ACCESS_PATH}/evaluations`,
    summary: 'Decide several access requests',
    body: AccessEvaluationsRequest,
    answers: { 200: AccessEvaluations },
    async handle(request) {
      const parts = authorizationOf(request)
      return text(200, await evaluateAll(parts, await readSent(request), runOf(request)))
    },
  },
  ...SEARCH_KINDS.map((kind): Route => ({
    ...common,
    path: `${ACCESS_PATH}/search/${kind}`,
    summary: SUMMARY_OF_SEARCH[kind],
    body: AccessSearchRequest,
    answers: { 200: AccessSearchResult },
    async handle(request) {
      const parts = authorizationOf(request)
      const { pageTokens } = request.server.standards()
      return text(200, await searchAccess(parts, kind, pageTokens, await readSent(request), runOf(request)))
    },
  })),
]

/** The tenant may also be part of the path, because AuthZEN clients do not send the tenant header. */
const forTenant = (route: Route): Route => ({ ...route, path: `/:tenant${route.path}` })

const METADATA_ROUTE: Route = {
  ...common,
  method: 'GET',
  path: AUTHZEN_METADATA_PATH,
  scope: undefined,
  isServerWide: true,
  summary: 'Get the addresses of the AuthZEN interface',
  answers: { 200: AuthzenConfiguration },
  handle: metadata,
}

/** @param hasTenants adds paths for each tenant */
export function authzenRoutes(hasTenants: boolean): readonly Route[] {
  if (!hasTenants) return [...ACCESS_ROUTES, METADATA_ROUTE]
  return [
    ...ACCESS_ROUTES,
    ...ACCESS_ROUTES.map(forTenant),
    METADATA_ROUTE,
    { ...METADATA_ROUTE, path: `${METADATA_ROUTE.path}/:tenant` },
  ]
}

const mappingOf = ({ server, tenant }: Pick<RouteRequest, 'server' | 'tenant'>): AuthzenMapping =>
  mappingFor(server.standards(), tenant)

const authorizationOf = (request: RouteRequest): AuthorizationParts => ({
  ...mappingOf(request),
  execution: request.services.execution,
})

/** Time for which clients may cache the metadata. */
const METADATA_SECONDS = 300

function metadata(request: RouteRequest): Answer {
  const { tenant } = request.params
  const found = mappingOf({ server: request.server, tenant })
  const { base } = found.mapping
  if (base === undefined)
    throw new EngineError('not-found', 'the mapping has no `base`, the address of this server for its clients')
  const address = tenant === undefined ? base : `${base}/${tenant}`
  const searches = SEARCH_KINDS.filter((kind) => isSearchable(found, kind)).map((kind) => [
    `search_${kind}_endpoint`,
    `${address}${ACCESS_PATH}/search/${kind}`,
  ])
  const answer = json(200, {
    policy_decision_point: address,
    access_evaluation_endpoint: `${address}${ACCESS_PATH}/evaluation`,
    access_evaluations_endpoint: `${address}${ACCESS_PATH}/evaluations`,
    ...Object.fromEntries(searches),
  })
  return { ...answer, headers: { 'cache-control': `max-age=${METADATA_SECONDS}` } }
}
