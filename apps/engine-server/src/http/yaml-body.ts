import type { Value } from '@engine/expression'
import { type BodyLimits, bodyOf, refuseEncoding } from '@engine/http-server'
import { inTurns } from '@engine/process'
import { type ReadRuleFile, ruleFileReading } from '@engine/rule-file'
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { EngineError } from '../errors.ts'
import { readAtStart } from '../store/file-bytes.ts'
import { YamlReader, type YamlSignal } from '../store/yaml-reader.ts'

/** RFC 9512, and the names from before it. */
const YAML = /^(?:application|text)\/(?:x-)?yaml(?:\s*;\s*charset="?utf-?8"?)?\s*$/i

/** Content types of YAML, for the description. */
export const YAML_TYPE = 'application/yaml'

/** Bytes of YAML, whose reader takes about 2 s for so many. */
const MAX_BYTES = 1024 * 1024

/** Bytes parsed in one piece, in a few milliseconds. */
const SHORT = 1024

/**
 * Limits of one body: twice the need of a usual document of maximum size; larger ones block other requests for longer
 * than allowed.
 */
const LIMITS = { milliseconds: 10_000, megabytes: 256 } as const

/** Documents that wait for the one that is being read. */
const MAX_WAITING = 16

/** One is read at a time: decisions would miss the processors of several. */
const reader = new YamlReader(LIMITS)
let waiting = 0
let last: Promise<unknown> = Promise.resolve()

/** Whether a body is YAML by its headers. */
export function isYaml({ 'content-type': type = '' }: IncomingMessage['headers']): boolean {
  return YAML.test(type)
}

/**
 * The document in a body of YAML, by the reader of rule files. Rejects with an `EngineError` or `HttpError`.
 *
 * @param signal aborts when the request is over: its body is no longer read or queued
 */
export async function yamlBody(request: IncomingMessage, limits: BodyLimits, signal: YamlSignal): Promise<Value> {
  const refusal = refuseEncoding(request.headers)
  if (refusal !== undefined) throw refusal
  const bytes = await bodyOf(request, limits)
  if (bytes.length > MAX_BYTES)
    throw new EngineError(
      'payload-too-large',
      `the body is larger than ${MAX_BYTES} bytes, the limit of YAML: send JSON`,
    )
  if (waiting >= MAX_WAITING)
    throw new EngineError('overloaded', 'too many bodies of YAML are waiting to be read: try again, or send JSON', {
      retryAfterSeconds: 1,
    })
  const read = await (bytes.length <= SHORT || !isUtf8(bytes)
    ? readAtStart(NAME, bytes)
    : inTurn(async () => readOnThread(bytes, signal)))
  if ('document' in read) return read.document
  throw new EngineError('invalid-request', `the body cannot be read as YAML: ${read.reason}`)
}

/** Bodies are read as files of this name are. */
const NAME = 'body.yaml'

async function readOnThread(bytes: Uint8Array, signal: YamlSignal): Promise<ReadRuleFile> {
  return inTurns(ruleFileReading(NAME, bytes, await reader.convert(bytes, signal)))
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
