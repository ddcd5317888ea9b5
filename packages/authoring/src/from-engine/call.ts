import { type Expression, print, type Value } from '@engine/expression'
import { parseText } from '../expression-text.ts'
import { type Fields, member } from '@engine/ruleset'
import { textOf, writtenText } from './expression.ts'
import { pairsIn } from './document-members.ts'

/** An action of the editor's action step and the part it belongs to: parts run in this order. */
export interface EditorAction {
  readonly order: number
  readonly value: Value
}

/**
 * Converts an `external_call` action to an item of `externalCalls`: a `network.http` call with a constant URL and at
 * most a body becomes an `http` call, everything else a `function` call with the same parameters.
 */
export function editorCall(action: Fields): Value {
  const service = writtenText(action, 'service')
  const method = writtenText(action, 'method')
  const params = paramsOf(action)
  const shared = {
    ...optional('resultVariable', member(action, 'result_variable')),
    ...optional('timeout', member(action, 'timeout_ms')),
  }
  const http = service === 'network.http' ? httpCall(method, params) : undefined
  if (http !== undefined) return { ...http, ...shared }
  return { type: 'function', target: `${service}#${method}`, ...listed(params), ...shared }
}

type Params = readonly (readonly [name: string, text: string])[]

function paramsOf(action: Fields): Params {
  return pairsIn(member(action, 'params')).map(([name, value]) => [name, textOf(value)])
}

function listed(params: Params): { readonly params?: Value } {
  return params.length === 0 ? {} : { params: Object.fromEntries(params) }
}

function optional(key: string, value: Value | undefined): { readonly [key: string]: Value } {
  return value === undefined || value === null ? {} : { [key]: value }
}

function httpCall(method: string, params: Params): { readonly [key: string]: Value } | undefined {
  const [[first, urlText] = [], [second, bodyText] = [], ...others] = params
  const url = urlText === undefined ? undefined : parsed(urlText)
  const isPlain = first === 'url' && others.length === 0 && (second === undefined || second === 'json_body')
  if (!isPlain || url?.kind !== 'literal' || typeof url.value !== 'string' || /^\s|\s$/.test(url.value))
    return undefined
  const target = `${method.toUpperCase()} ${url.value}`
  if (bodyText === undefined) return { type: 'http', target }
  const body = parsed(bodyText)
  if (body?.kind !== 'object' || body.entries.length === 0) return undefined
  return { type: 'http', target, ...listed(body.entries.map(({ key, value }) => [key, print(value)])) }
}

function parsed(text: string): Expression | undefined {
  const found = parseText(text)
  return found.kind === 'parsed' ? found.expression : undefined
}
