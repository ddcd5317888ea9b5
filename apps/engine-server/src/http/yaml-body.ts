import type { Value } from '@engine/expression'
import { type BodyLimits, bodyOf, refuseEncoding } from '@engine/http-server'
import type { IncomingMessage } from 'node:http'
import { EngineError } from '../errors.ts'
import { readWhileServing } from '../store/read-bytes.ts'

/** RFC 9512, and the names from before it. */
const YAML = /^(?:application|text)\/(?:x-)?yaml(?:\s*;\s*charset="?utf-?8"?)?\s*$/i

/** Content types of YAML, for the description. */
export const YAML_TYPE = 'application/yaml'

/** Bytes of YAML, whose reader takes about 2 s for so many. */
const MOST_BYTES = 1024 * 1024

/** Documents that wait for the one that is being read. */
const MOST_WAITING = 16

let waiting = 0
/** One is read at a time: each has a thread of its own, which decisions would miss. */
let last: Promise<unknown> = Promise.resolve()

/** Whether a body is YAML by its headers. */
export function isYaml({ 'content-type': type = '' }: IncomingMessage['headers']): boolean {
  return YAML.test(type)
}

/** The document in a body of YAML, by the reader of rule files. Rejects with an `EngineError` or `HttpError`. */
export async function yamlBody(request: IncomingMessage, limits: BodyLimits): Promise<Value> {
  const refusal = refuseEncoding(request.headers)
  if (refusal !== undefined) throw refusal
  const bytes = await bodyOf(request, limits)
  if (bytes.length > MOST_BYTES)
    throw new EngineError(
      'payload-too-large',
      `the body is larger than ${MOST_BYTES} bytes, the limit of YAML: send JSON`,
    )
  if (waiting >= MOST_WAITING)
    throw new EngineError('overloaded', 'too many bodies of YAML are waiting to be read: try again, or send JSON', {
      retryAfterSeconds: 1,
    })
  const read = await inTurn(async () => readWhileServing('body.yaml', bytes))
  if ('document' in read) return read.document
  throw new EngineError('invalid-request', `the body cannot be read as YAML: ${read.reason}`)
}

async function inTurn<T>(task: () => Promise<T>): Promise<T> {
  waiting++
  const result = last.then(task)
  last = result.catch(() => undefined)
  try {
    return await result
  } finally {
    waiting--
  }
}
