import { isObject, parseJson, stringifyJson, type Value } from '@engine/expression'
import type { IncomingHttpHeaders } from 'node:http'
import { STATUS_CODES } from './node-http.ts'

/** Content type of problem details (RFC 9457). */
const PROBLEM_TYPE = 'application/problem+json'

/** The page of a server that explains its error codes; the fragment is the code. */
export const ERRORS_PAGE = '/docs/errors'

/** The parts of an answer that determine its form. */
interface FormedAnswer {
  readonly status: number
  readonly body?: string | Buffer
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly errorCode?: string | undefined
}

/**
 * The answer to a failed request in the form that its sender accepts: problem details (RFC 9457) if `accept` names them
 * and does not prefer `application/json`, otherwise unchanged.
 *
 * @param requestId undefined if the request has none
 */
export function inAcceptedForm<A extends FormedAnswer>(
  answer: A,
  headers: IncomingHttpHeaders,
  requestId: string | undefined,
): A & FormedAnswer {
  const { errorCode, body, status } = answer
  if (errorCode === undefined || typeof body !== 'string') return answer
  const vary = headers.origin === undefined ? 'accept' : 'accept, origin'
  const varying = { ...answer, headers: { ...answer.headers, vary } }
  if (!prefersProblem(headers.accept)) return varying
  const parsed = parseJson(body, { duplicateKeys: 'last', numbers: 'exact' })
  const members = parsed.kind === 'parsed' && isObject(parsed.value) ? parsed.value : {}
  const { error, message, ...rest } = members
  const problem: { [name: string]: Value } = {
    ...rest,
    type: `${ERRORS_PAGE}#${errorCode}`,
    title: STATUS_CODES[status] ?? errorCode,
    status,
    // Refusals with their own form have the reason in `message`.
    detail: message ?? error ?? '',
    code: errorCode,
    ...(requestId === undefined ? {} : { instance: requestId }),
  }
  return { ...varying, type: PROBLEM_TYPE, body: stringifyJson(problem) }
}

/** True if `accept` names problem details with at least the weight of `application/json` (RFC 9110 section 12.5.1). */
function prefersProblem(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(PROBLEM_TYPE)) return false
  const weights = new Map<string, number>()
  for (const item of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    const weight = parameters.map((one) => /^q=(\d(?:\.\d{0,3})?)$/.exec(one)?.[1]).find((q) => q !== undefined)
    weights.set(name, weight === undefined ? 1 : Number(weight))
  }
  const weight = weights.get(PROBLEM_TYPE) ?? 0
  return weight > 0 && weight >= (weights.get('application/json') ?? 0)
}
