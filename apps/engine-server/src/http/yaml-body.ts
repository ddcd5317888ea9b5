import type { Value } from '@engine/expression'
import { type BodyLimits, bodyOf, refuseEncoding } from '@engine/http-server'
import { inTurns } from '@engine/process'
import { type ReadRuleFile, ruleFileReading } from '@engine/rule-file'
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { EngineError } from '../errors.ts'
import { readAtStart } from '../store/file-bytes.ts'
import { YamlReader, type YamlSignal } from '../store/yaml-reader.ts'

/** The content type of RFC 9512, and earlier unofficial names. */
const YAML = /^(?:application|text)\/(?:x-)?yaml(?:\s*;\s*charset="?utf-?8"?)?\s*$/i

/** Content type of YAML, for the API description. */
export const YAML_TYPE = 'application/yaml'

/** Maximum size of a YAML body in bytes, which takes about 2 s to parse. */
const MAX_BYTES = 1024 * 1024

/** Largest body parsed in one piece, in bytes: a few milliseconds. */
const MAX_SYNC_BYTES = 1024

/**
 * Limits of one body: twice the need of a typical document of maximum size; higher limits would block other requests
 * for too long.
 */
const LIMITS = { milliseconds: 10_000, megabytes: 256 } as const

/** Maximum number of documents that wait while another one is parsed. */
const MAX_WAITING = 16

/** One document is parsed at a time: several would take processors away from decisions. */
const reader = new YamlReader(LIMITS)
let waiting = 0
let last: Promise<unknown> = Promise.resolve()

/** True if a body is YAML according to its headers. */
export function isYaml({ 'content-type': type = '' }: IncomingMessage['headers']): boolean {
  return YAML.test(type)
}

/**
 * Parses a YAML body with the reader of rule files. Rejects with an `EngineError` or `HttpError`.
 *
 * @param signal aborts when the request ends: its body is no longer parsed or queued
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
  const read = await (bytes.length <= MAX_SYNC_BYTES || !isUtf8(bytes)
    ? readAtStart(NAME, bytes)
    : inTurn(async () => readOnThread(bytes, signal)))
  if ('document' in read) return read.document
  throw new EngineError('invalid-request', `the body cannot be read as YAML: ${read.reason}`)
}

/** Bodies are parsed like files of this name. */
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
