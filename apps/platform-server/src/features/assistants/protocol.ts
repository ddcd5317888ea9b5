import { isObject, type Value } from '@engine/expression'
import type { Answer } from '@engine/http-server'
import { jsonText } from '@engine/process'
import { json } from '../../http/json-response.ts'

/**
 * The Model Context Protocol (modelcontextprotocol.io) over Streamable HTTP: one JSON-RPC 2.0 message per request, with a
 * JSON response. The server is stateless and never sends messages of its own.
 */

/** Supported protocol versions, the newest first. */
export const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const

/** Error codes of JSON-RPC 2.0. */
const CODES = { invalidRequest: -32600, unknownMethod: -32601, invalidParams: -32602 } as const

/** A request that fails with an error code of the protocol. */
export class ProtocolError extends Error {
  readonly code: number

  constructor(kind: keyof typeof CODES, message: string) {
    super(message)
    this.code = CODES[kind]
  }
}

type Id = string | number | bigint

/** A message as the protocol classifies it. */
type Message =
  | { readonly kind: 'request'; readonly id: Id; readonly method: string; readonly params: Params }
  /** A notification, or a response to a request that the server never sent. */
  | { readonly kind: 'other' }

export type Params = { readonly [name: string]: Value }

/** The methods of a server, by name. */
export type Methods = Readonly<Record<string, (params: Params) => Promise<Value> | Value>>

/** Answer one message. Errors of the methods propagate, except `ProtocolError`, which becomes an error response. */
export async function answerMessage(sent: Value, methods: Methods): Promise<Answer> {
  let id: Id | null = null
  try {
    const message = messageOf(sent)
    if (message.kind === 'other') return { status: 202 }
    id = message.id
    const method = Object.hasOwn(methods, message.method) ? methods[message.method] : undefined
    if (method === undefined) throw new ProtocolError('unknownMethod', `there is no method ${message.method}`)
    return json(200, { jsonrpc: '2.0', id, result: await method(message.params) })
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    return json(200, { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } })
  }
}

function messageOf(sent: Value): Message {
  if (!isObject(sent) || sent['jsonrpc'] !== '2.0')
    throw new ProtocolError('invalidRequest', 'a message is one object of JSON-RPC 2.0')
  const { id, method, params = {} } = sent
  if (method === undefined && ('result' in sent || 'error' in sent)) return { kind: 'other' }
  if (typeof method !== 'string') throw new ProtocolError('invalidRequest', '`method` must be a text')
  if (id === undefined) return { kind: 'other' }
  if (typeof id !== 'string' && typeof id !== 'number' && typeof id !== 'bigint')
    throw new ProtocolError('invalidRequest', '`id` must be a text or a number')
  if (!isObject(params)) throw new ProtocolError('invalidParams', '`params` must be an object')
  return { kind: 'request', id, method, params }
}

/** The protocol version for a client: the requested one, or the newest, which the client may refuse. */
export function negotiated({ protocolVersion }: Params): string {
  return VERSIONS.find((version) => version === protocolVersion) ?? VERSIONS[0]
}

/** A tool result: the value as JSON text for models, and as structured content for programs. */
export async function toolResult(value: Value, isError = false): Promise<Value> {
  const content = [{ type: 'text', text: await jsonText(value) }]
  return { content, ...(isObject(value) && !isError && { structuredContent: value }), ...(isError && { isError }) }
}
