import type { ErrorDetail } from '@engine/api'
import { isList, isObject, parseJson, stringifyJson, type Value } from '@engine/expression'
import { batchOf, decidedOf, evaluatedOf, filteredOf, receiptOf } from './answer.ts'
import { ClientError, type ClientErrorKind, type Repeatable } from './errors.ts'
import type { BatchItem, Sending, Transport } from './transport.ts'

/** The address of an engine over HTTP. */
export interface HttpOptions {
  /** Base URL without a path: `http://127.0.0.1:8080`. */
  readonly url: string
  /** Sent with each request: token and tenant. */
  readonly headers: Readonly<Record<string, string>>
}

/** An engine over HTTP. Node keeps connections alive and reuses them. */
export function createHttpTransport({ url, headers }: HttpOptions): Transport {
  const base = `${url.replace(/\/+$/, '')}/api/v1`

  async function ask(path: string, body: Value | undefined, sending: Sending): Promise<string> {
    const response = await fetched(`${base}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: stringifyJson(body) }),
      // A redirect is an ordinary answer: it is not followed, and does not mean that the engine is unavailable.
      redirect: 'manual',
      signal: sending.signal,
    })
    const text = await response.text().catch((cause: unknown) => {
      throw networkError(cause, sending.signal)
    })
    if (!response.ok) throw failureOf(response, text)
    return text

    async function fetched(address: string, init: RequestInit): Promise<Response> {
      try {
        return await fetch(address, init)
      } catch (cause) {
        throw networkError(cause, sending.signal)
      }
    }
  }

  const path = (name: string) => `/execute/${encodeURIComponent(name)}`
  return {
    async execute(name, input, { tracing, receipt }, sending) {
      const traced = tracing === 'values' ? { trace: true, trace_values: true } : { trace: true }
      const body: Value = { input, ...(tracing === false ? {} : traced), ...(receipt ? { receipt } : {}) }
      return decidedOf(await ask(path(name), body, sending))
    },
    async batch(name, inputs, { receipt }, sending) {
      const body: Value = receipt ? { inputs, options: { receipt } } : { inputs }
      const answer = batchOf(await ask(`${path(name)}/batch`, body, sending))
      return { ...answer, results: answer.results.map(itemOf) }
    },
    async evaluate(expression, context, sending) {
      return evaluatedOf(await ask('/eval', { expression, context }, sending))
    },
    async filter(name, request, sending) {
      return filteredOf(await ask(`/rulesets/${encodeURIComponent(name)}/filter`, request, sending))
    },
    ruleset: (name, sending) => ask(`/rulesets/${encodeURIComponent(name)}`, undefined, sending),
    close: () => Promise.resolve(),
  }
}

/** A failed result has only its error and its receipt. */
const itemOf = (item: BatchItem): BatchItem =>
  item.error === undefined
    ? item
    : { error: item.error, ...(item.receipt === undefined ? {} : { receipt: item.receipt }) }

const KINDS: ReadonlyMap<number, readonly [ClientErrorKind, Repeatable]> = new Map([
  [401, ['unauthorized', 'never']],
  [403, ['forbidden', 'never']],
  [404, ['not-found', 'never']],
  [429, ['too-many-requests', 'safe']],
  [500, ['execution', 'never']],
  [502, ['unavailable', 'ambiguous']],
  [503, ['unavailable', 'ambiguous']],
  [504, ['timeout', 'ambiguous']],
])

/** By error code of the engine, for statuses that are ambiguous by themselves. */
const REPEATABLE: ReadonlyMap<string | undefined, Repeatable> = new Map([
  // An engine that is shutting down rejects requests before it executes them.
  ['UNAVAILABLE', 'safe'],
  // The rules may have run.
  ['RECEIPTS_UNAVAILABLE', 'ambiguous'],
  // The rules ran, and took too long.
  ['TIMEOUT', 'never'],
])

function failureOf(response: Response, text: string): ClientError {
  const { status, headers } = response
  const parsed = parseJson(text, { duplicateKeys: 'last' })
  const body = parsed.kind === 'parsed' && isObject(parsed.value) ? parsed.value : {}
  const textAt = (member: string) => (typeof body[member] === 'string' ? body[member] : undefined)
  const code = textAt('code')
  // For rejected signatures and writes to a reader, `message` is more specific.
  const message = textAt('message') ?? textAt('error') ?? `the engine answered with status ${status}`
  const [kind, repeatable] = KINDS.get(status) ?? [status < 500 ? 'invalid' : 'server', 'never']
  const seconds = Number(headers.get('retry-after'))
  return new ClientError(code === 'TIMEOUT' ? 'timeout' : kind, message, {
    repeatable: REPEATABLE.get(code) ?? repeatable,
    status,
    details: isList(body['details']) ? body['details'].filter(isErrorDetail) : [],
    retryAfterMs: seconds > 0 ? seconds * 1000 : undefined,
    receipt: receiptOf(body['receipt']),
  })
}

function isErrorDetail(value: unknown): value is ErrorDetail {
  return typeof value === 'object' && value !== null && 'path' in value && 'message' in value
}

/** The connection was never established, so nothing ran. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

function networkError(cause: unknown, signal: AbortSignal): ClientError {
  if (signal.aborted) return signal.reason instanceof ClientError ? signal.reason : closedError(cause)
  const code = codeOf(cause)
  return new ClientError('unavailable', `the engine cannot be reached (${code})`, {
    repeatable: NEVER_SENT.has(code) ? 'safe' : 'ambiguous',
    cause,
  })
}

function closedError(cause: unknown): ClientError {
  return new ClientError('closed', 'the call was cancelled', { cause })
}

/** `fetch` nests the system error in causes. */
function codeOf(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code
    if (at instanceof AggregateError) return codeOf(at.errors[0])
  }
  return 'unknown error'
}
