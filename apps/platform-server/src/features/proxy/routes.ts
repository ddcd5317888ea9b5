import { quote } from '@engine/expression'
import { createCircuit } from '@engine/process'
import type { TSchema } from 'typebox'
import type { Caller } from '../../access/caller.ts'
import { failures } from '../../errors.ts'
import { authorOf } from '../../resources/author.ts'
import { type HandlerRequest, DOCUMENT_BYTES, type Finder, memberRoute, type Route } from '../../http/route.ts'
import type { Streams } from '../../http/streams.ts'
import type { RefusalAudit } from '../audit/refusals.ts'
import type { Tally } from '../rollouts/tally.ts'
import type { Comparison } from '../shadows/comparison.ts'
import type { DestinationParts, Destinations, FindDestinations } from './destinations.ts'
import type { Forwarder } from './forwarder.ts'
import { createLiveness, probeBy } from './health-probes.ts'
import type { ProxyMetrics } from './metrics.ts'
import { forwardedHeaders, headerOf } from './headers.ts'
import { findChain, type FindChain, keptBy } from './proxied-receipt.ts'
import { httpExchange, plainExchange } from './exchange.ts'
import { inProxiedProject, type ProxyPlace } from './proxied-project.ts'
import { answeringEnvironment, environmentFor, forward, type ProxiedRequest, type ProxyParts } from './service.ts'
import {
  forwardedQuery,
  listQuery,
  receiptPlace,
  refuseRulesetName,
  type UpstreamRequest,
  versionNumber,
} from './upstream-request.ts'
import { UPSTREAM_ROUTES, type UpstreamRoute } from './upstream-routes.ts'

export interface ProxyRouteParts extends Pick<DestinationParts, 'database'> {
  readonly find: FindDestinations
  readonly forwarder: Forwarder
  readonly metrics: ProxyMetrics
  readonly streams: Streams
  readonly tally: Pick<Tally, 'count'>
  readonly comparison: Comparison
  readonly refusals: RefusalAudit
  /** Timeout for a decision of an engine in milliseconds, after which another one is tried. */
  readonly engineAnswerMs: number
}

const group = 'Proxy'
const AT = '/api/v1/engine/:pid'
const ADDED = {
  'x-engine-server': 'id of the engine that answered',
  'x-engine-retried': 'id of the engine that was asked first, where it gave no answer and another one did',
  'x-release-id': 'of the release whose content answered, where it came by one',
} as const
const HEADERS = {
  'x-environment': 'id or name; default: the current one of the project',
  'x-canary-key': 'requests with the same key get the same side of a split',
} as const

const CSV_HEADER = { accept: '`text/csv`: answers to lines are CSV; default: NDJSON' } as const

const RULESET_HEADER = { 'x-ruleset': 'name of the ruleset where the query has none' } as const

/** Decisions by the engines of a project, and their rulesets. */
export function proxyRoutes(parts: ProxyRouteParts): readonly Route[] {
  const circuit = createCircuit(() => performance.now())
  const liveness = createLiveness(probeBy(parts.forwarder), () => performance.now())
  const within = inProxiedProject(parts.database, parts.find)
  return routesOf({ ...parts, proxy: { ...parts, circuit, liveness }, within, chain: findChain })
}

/** The dependencies of the routes. */
export interface ForwardingParts {
  readonly proxy: ProxyParts
  readonly within: Finder<ProxyPlace>
  readonly streams: Pick<Streams, 'opened'>
  readonly refusals: RefusalAudit
  readonly chain: FindChain
}

/**
 * The routes over given dependencies: tests run them without a database.
 *
 * @internal
 */
export function routesOf({ proxy, within, streams, refusals, chain }: ForwardingParts): readonly Route[] {
  const passing = (upstream: UpstreamRoute): Route =>
    memberRoute<ProxyPlace>({
      method: upstream.method,
      path: `${AT}/${upstream.path}`,
      right: upstream.right,
      summary: upstream.summary,
      group,
      within,
      headers: {
        ...HEADERS,
        ...(upstream.ruleset === 'request' ? RULESET_HEADER : {}),
        ...(upstream.bodies.includes('text/csv') ? CSV_HEADER : {}),
      },
      query: upstream.query,
      isUnlimited: true,
      isDecision: true,
      ...(upstream.request === undefined ? {} : { passes: upstream.request, consumes: upstream.bodies }),
      answers: { 200: upstream.answer },
      ...(upstream.produces === undefined ? {} : { produces: upstream.produces }),
      ...(upstream.otherAnswers === undefined ? {} : { otherAnswers: upstream.otherAnswers }),
      ...(upstream.bodyExamples === undefined ? {} : { bodyExamples: upstream.bodyExamples }),
      answerHeaders: { 200: ADDED },
      async handle({ raw, response, params, query, caller, place, requestId, progress }) {
        const { answering, validated } = checked(upstream, { raw, params, query, caller, place })
        if (isStream(validated.headers['content-type'])) streams.opened(caller, response)
        const { receipt } = validated
        const keeping = receipt && keptBy(answering, await chain(place.member.scope, receipt.instance), receipt)
        const exchange = httpExchange(raw, response, DOCUMENT_BYTES, progress)
        await forward(proxy, { raw, exchange, caller, place, requestId, upstream: validated }, keeping ?? answering)
        return undefined
      },
      ...(upstream.path === PLAIN_PATH
        ? {
            handlePlain: ({ request: raw, params, caller, place, requestId }) =>
              new Promise((resolve, reject) => {
                const query = NO_QUERY
                const { answering, validated } = checked(upstream, { raw, params, query, caller, place })
                const exchange = plainExchange(raw, resolve)
                const request = { raw, exchange, caller, place, requestId, upstream: validated }
                forward(proxy, request, answering).then(() => resolve(undefined), reject)
              }),
          }
        : {}),
    })

  const refusing = (method: 'POST' | 'PUT' | 'DELETE', path: string): Route =>
    memberRoute({
      method,
      path: `${AT}/${path}`,
      right: 'decision.execute',
      summary: 'Always rejected: rules are changed by releases',
      group,
      within,
      isDescribed: false,
      query: 'any',
      isUnlimited: true,
      isDecision: true,
      answers: {},
      async handle(asked) {
        const { caller, place } = asked
        const { id, name } = place.project
        const refusal = failures.forbidden('the proxy changes no engine: rules are changed by releases', 'read-only')
        await refusals.record(place.member.org, authorOf(caller, asked), {
          action: 'project.engine_write_refused',
          object: { id, name },
          projectId: id,
          reason: refusal.message,
          asked: { method, path },
        })
        throw refusal
      },
    })

  return [
    ...UPSTREAM_ROUTES.map(passing),
    refusing('POST', 'rulesets'),
    refusing('DELETE', 'rulesets/:name'),
    refusing('POST', 'rulesets/:name/rollback'),
    refusing('PUT', 'config/audit-sample-rate'),
    refusing('POST', 'tenants'),
    refusing('PUT', 'tenants/:id'),
    refusing('DELETE', 'tenants/:id'),
  ]
}

/** The route of single decisions, which the fast lane answers too. */
const PLAIN_PATH = 'execute/:name'
const NO_QUERY = new URLSearchParams()

type Asked = Pick<HandlerRequest<Caller, TSchema>, 'params' | 'query' | 'caller'> &
  Pick<ProxiedRequest, 'raw' | 'place'>

/** The environment that answers a request, and the request to its engine. Throws 400, 403, 404 and 415. */
function checked(
  upstream: UpstreamRoute,
  { raw, params, query, caller, place }: Asked,
): { readonly answering: Destinations; readonly validated: UpstreamRequest } {
  const environment = environmentFor({ raw, caller, place })
  const named = rulesetOf(upstream, { raw, params, query })
  if (named !== undefined) refuseRulesetName(named)
  const ruleset = named ?? (upstream.ruleset === 'request' ? onlyLive(environment.own) : undefined)
  const answering = answeringEnvironment(environment, { raw }, upstream, ruleset)
  const receipt = upstream.ruleset === 'receipt' ? receiptPlace(params) : undefined
  const { seq } = params
  const validated = {
    route: upstream,
    ruleset,
    seq: seq === undefined || receipt !== undefined ? undefined : versionNumber(seq),
    receipt,
    query: forwardedQuery(query),
    list: upstream.isList ? listQuery(query) : undefined,
    headers: forwardedHeaders(upstream, raw.headers),
  }
  return { answering, validated }
}

/** Requests of lines are answered while they arrive. */
const isStream = (type: string | undefined) => type === 'application/x-ndjson' || type === 'text/csv'

/** The ruleset that a request names; undefined if it names none. The query takes precedence over the header. */
function rulesetOf(
  { ruleset }: UpstreamRoute,
  { raw, params, query }: Pick<Asked, 'raw' | 'params' | 'query'>,
): string | undefined {
  switch (ruleset) {
    case 'path':
      return params['name'] ?? ''
    case 'request':
      return query.get('ruleset') ?? headerOf(raw, 'x-ruleset')
    case 'receipt':
    case 'none':
      return undefined
  }
}

/** The only live ruleset of an environment. Throws 400 if there are none or several. */
function onlyLive({ live, name: environment }: Destinations): string {
  const [only, another] = live
  if (only !== undefined && another === undefined) return only
  throw failures.refused(
    `name a ruleset (\`?ruleset=\` or \`x-ruleset\`): in the environment ${quote(environment)} ${live.size} are live`,
  )
}
