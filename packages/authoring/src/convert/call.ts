import type { Value } from '@engine/expression'
import type { Place } from '@engine/ruleset'
import type { CallType, DraftCall } from '../draft/model.ts'
import { messages } from '../problem.ts'
import { type Scope } from '../engine/scope.ts'
import { below } from '../place.ts'

const HTTP_METHODS: ReadonlySet<string> = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options'])
const METHOD_AND_URL = /^([A-Za-z]+)\s+(\S[^]*)$/

/** The default method of a target (appendix of the specification). */
const DEFAULT_METHOD: { readonly [Type in CallType]: string } = { http: 'post', function: 'invoke', grpc: 'call' }

interface Target {
  readonly service: string
  readonly method: string
  /** For `http`. */
  readonly url?: string
}

/** An `externalCalls` item as an `external_call` action (appendix of the specification). */
export function convertCall(scope: Scope, place: Place, engine: Place, call: DraftCall): Value {
  scope.note(engine, place)
  const target = targetOf(call.type, call.target ?? '')
  if (target === undefined) scope.report.error(below(place, 'target'), messages.badTarget(call.type))
  const params = Object.entries(call.params ?? {}).map(
    ([name, text]) => [name, scope.expression(below(place, 'params', name), text)] as const,
  )
  for (const index of params.keys()) scope.note(below(engine, 'params', index), below(place, 'params'))
  const { service = '-', method = '-', url } = target ?? {}
  return {
    action: 'external_call',
    service,
    method,
    params: url === undefined ? params : httpParams(url, params),
    ...(call.resultVariable === undefined ? {} : { result_variable: call.resultVariable }),
    ...(call.timeout === undefined ? {} : { timeout_ms: call.timeout }),
  }
}

function httpParams(url: string, params: readonly (readonly [string, string])[]): Value {
  const body = params.map(([name, text]) => `${JSON.stringify(name)}: ${text}`).join(', ')
  return [['url', JSON.stringify(url)], ...(params.length === 0 ? [] : [['json_body', `{${body}}`]])]
}

function targetOf(type: CallType, target: string): Target | undefined {
  return type === 'http' ? httpTarget(target.trim()) : serviceTarget(type, target.trim())
}

function httpTarget(target: string): Target | undefined {
  const [, word = '', rest = ''] = METHOD_AND_URL.exec(target) ?? []
  const method = word.toLowerCase()
  if (HTTP_METHODS.has(method)) return { service: 'network.http', method, url: rest }
  return target === '' || /\s/.test(target)
    ? undefined
    : { service: 'network.http', method: DEFAULT_METHOD.http, url: target }
}

function serviceTarget(type: CallType, target: string): Target | undefined {
  const [service = '', ...rest] = target.split(/#|::/)
  const method = rest.length === 0 ? DEFAULT_METHOD[type] : target.slice(service.length).replace(/^(#|::)/, '')
  return service === '' || method === '' ? undefined : { service, method }
}
