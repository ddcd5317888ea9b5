import { quote } from '@engine/expression'
import { createCircuit } from '@engine/process'
import type { IncomingMessage } from 'node:http'
import { type TSchema, Type } from 'typebox'
import type { Action } from '../../access/actions.ts'
import { failures } from '../../errors.ts'
import { DOCUMENT_BYTES, memberRoute, type Route } from '../../http/route.ts'
import type { Streams } from '../../http/streams.ts'
import { isCandidate } from '../engines/candidates.ts'
import { inProject } from '../projects/place.ts'
import type { Tally } from '../rollouts/tally.ts'
import type { Comparison } from '../shadows/comparison.ts'
import { createDestinations, type DestinationParts, type Destinations } from './destinations.ts'
import type { Forwarder } from './forward.ts'
import type { ProxyMetrics } from './metrics.ts'
import { headerOf } from './headers.ts'
import { environmentFor, forward, type ProxyParts } from './service.ts'

export interface ProxyRouteParts extends DestinationParts {
  readonly forwarder: Forwarder
  readonly metrics: ProxyMetrics
  readonly streams: Streams
  readonly tally: Pick<Tally, 'count'>
  readonly comparison: Comparison
}

const group = 'Proxy'
const AT = '/api/v1/engine/:pid'
const Passed = Type.Unknown({ description: 'as the engine answers' })
const ADDED = {
  'x-engine-server': 'id of the engine that answered',
  'x-release-id': 'of the release whose content answered, where it came by one',
} as const
const HEADERS = {
  'x-environment': 'id or name; default: the current one of the project',
  'x-canary-key': 'requests with the same key get the same side of a split',
} as const

/** Decisions of the engines of a project. What an engine answers passes untouched. */
export function proxyRoutes(parts: ProxyRouteParts): readonly Route[] {
  const within = inProject(parts.database)
  const proxy: ProxyParts = {
    find: createDestinations(parts),
    forwarder: parts.forwarder,
    circuit: createCircuit(() => performance.now()),
    metrics: parts.metrics,
    tally: parts.tally,
    comparison: parts.comparison,
  }

  /** @param targetOf the path at an engine, without its query */
  const passing = (
    method: 'GET' | 'POST',
    path: string,
    right: Action,
    summary: string,
    targetOf: (asked: Target) => string = ({ rest }) => rest,
  ): Route =>
    memberRoute({
      method,
      path: `${AT}/${path}`,
      right,
      summary,
      group,
      within,
      headers: HEADERS,
      query: 'any',
      isUnlimited: true,
      ...(method === 'POST' ? { passes: BODY } : {}),
      answers: { 200: Passed },
      answerHeaders: { 200: ADDED },
      async handle({ raw, response, params, caller, place, requestId, progress }) {
        if (isCandidate(params['name'] ?? '')) throw failures.notFound('ruleset', params['name'] ?? '')
        const { chosen } = await environmentFor(proxy, { raw, caller, place })
        const target = targetOf({ ...splitTarget(raw.url ?? '', place.project.id), chosen, ruleset: rulesetOf(raw) })
        if (isStream(raw)) parts.streams.opened(caller, response)
        const decides = decidedName(target)
        const request = {
          raw,
          response,
          caller,
          place,
          requestId,
          target,
          decides,
          mostBytes: DOCUMENT_BYTES,
          progress,
        }
        await forward(proxy, request, chosen)
        return undefined
      },
    })

  const refusing = (method: 'POST' | 'PUT' | 'DELETE', path: string): Route =>
    memberRoute({
      method,
      path: `${AT}/${path}`,
      right: 'decision.execute',
      summary: 'Always refused: rules are changed by releases',
      group,
      within,
      query: 'any',
      isUnlimited: true,
      answers: {},
      handle() {
        throw failures.forbidden('the proxy changes no engine: rules are changed by releases', 'read-only')
      },
    })

  return [
    passing('POST', 'execute/:name', 'decision.execute', 'Decide about one input'),
    passing('POST', 'execute/:name/batch', 'decision.execute', 'Decide about many inputs'),
    passing('POST', 'execute', 'decision.execute', 'Decide with the ruleset that a header or the query names', bare),
    passing('POST', 'eval', 'decision.execute', 'Evaluate one expression'),
    passing('GET', 'rulesets', 'server.manage', 'The rulesets of the engine'),
    passing('GET', 'rulesets/:name', 'server.manage', 'A ruleset as the engine has it'),
    passing('GET', 'rulesets/:name/versions', 'server.manage', 'The versions of the engine that were replaced'),
    passing('GET', 'rulesets/:name/versions/:seq', 'server.manage', 'One of them'),
    passing('POST', 'rulesets/:name/filter', 'server.manage', 'A ruleset as a condition for a database'),
    passing('POST', 'rulesets/:name/sql', 'server.manage', 'A ruleset as one SQL query'),
    refusing('POST', 'rulesets'),
    refusing('DELETE', 'rulesets/:name'),
    refusing('POST', 'rulesets/:name/rollback'),
    refusing('PUT', 'config/audit-sample-rate'),
    refusing('POST', 'tenants'),
    refusing('PUT', 'tenants/:id'),
    refusing('DELETE', 'tenants/:id'),
  ]
}

/** Passed on unread; an engine says what is wrong with it. */
const BODY: TSchema = Type.Object(
  {},
  { additionalProperties: true, title: 'EngineRequest', description: 'as the engine takes it' },
)

/** A request and where it goes. */
interface Target {
  /** Behind the project, with the query. */
  readonly rest: string
  readonly chosen: Destinations
  /** As the request names it beside its path. */
  readonly ruleset: string | undefined
}

/** A batch of lines lasts for as long as its sender writes. */
const isStream = ({ headers }: Pick<IncomingMessage, 'headers'>) =>
  headers['content-type']?.split(';')[0]?.trim().toLowerCase() === 'application/x-ndjson'

const splitTarget = (url: string, project: string) => ({
  rest: url.slice(url.toLowerCase().indexOf(project.toLowerCase()) + project.length + 1),
})

/** The ruleset of a path at an engine that asks for one decision: batches have no candidate, since their answers are not read. */
function decidedName(target: string): string | undefined {
  const name = /^execute\/([^/?]+)(?:\?.*)?$/.exec(target)?.[1]
  if (name === undefined) return undefined
  try {
    return decodeURIComponent(name)
  } catch {
    return undefined
  }
}

/** A ruleset in the query wins over the header. */
function rulesetOf(raw: Parameters<typeof headerOf>[0] & { readonly url?: string | undefined }): string | undefined {
  const [, query = ''] = (raw.url ?? '').split('?')
  return new URLSearchParams(query).get('ruleset') ?? headerOf(raw, 'x-ruleset')
}

/** The only live ruleset where none is named. Throws 400 where that is not one. */
function bare({ rest, chosen: { live, name: environment }, ruleset }: Target): string {
  const [only, another] = live
  const name = ruleset ?? (another === undefined ? only : undefined)
  if (name === undefined)
    throw failures.refused(
      `name a ruleset (\`?ruleset=\` or \`x-ruleset\`): in the environment ${quote(environment)} ${live.length} are live`,
    )
  if (isCandidate(name)) throw failures.notFound('ruleset', name)
  const [, query = ''] = rest.split('?')
  const others = new URLSearchParams(query)
  others.delete('ruleset')
  const text = others.toString()
  return `execute/${encodeURIComponent(name)}${text === '' ? '' : `?${text}`}`
}
