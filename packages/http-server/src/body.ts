import { type ParsedJson, type ParseJsonOptions, quote, type Value } from '@engine/expression'
import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { ArrivingBytes, type BodyLimits, refusedBody } from './arriving-bytes.ts'
import { codingOf, unfold } from './content-coding.ts'
import { askForBody } from './continuation.ts'
import { HttpError, httpErrors } from './http-error.ts'
import { countReceived } from './receive-throttle.ts'
import { type Awaitable, parsedJson, whenThere } from '@engine/process'

/** The policy for duplicate keys in an object: reject them in stored documents; in inputs the last one wins. */
export type DuplicateKeys = 'refuse' | 'last'

const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-?8"?)?\s*$/i

/**
 * Why the headers rule out reading a body as JSON, or undefined. Requiring `application/json` also makes browsers send
 * a preflight for cross-origin requests.
 *
 * @param others further content types, for the error message
 */
export function refuseContentType(headers: IncomingHttpHeaders, others?: string): HttpError | undefined {
  const type = headers['content-type']
  if (type !== 'application/json' && (type === undefined || !JSON_TYPE.test(type)))
    return unsupported(type === undefined ? 'the content type is missing' : `${quote(type)} is not supported`, others)
  return refuseEncoding(headers)
}

function unsupported(fault: string, others: string | undefined): HttpError {
  const json = `${fault}: send JSON with \`content-type: application/json\``
  return new HttpError('unsupported-media-type', others === undefined ? json : `${json}, or ${others}`)
}

/** Why the transfer encoding of a body is not supported, or undefined. */
export function refuseEncoding(headers: IncomingHttpHeaders): HttpError | undefined {
  const { 'transfer-encoding': coding } = headers
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return new HttpError(
      'unsupported-media-type',
      `the transfer encoding ${quote(coding)} is not supported: send the body unencoded, or \`chunked\``,
    )
  const folded = codingOf(headers)
  return folded instanceof HttpError ? folded : undefined
}

/**
 * Collects a request's body within the limits, decompressed. `done` is called once, with the body or the error; never
 * when the sender disconnects. Bytes beyond the limits are discarded.
 */
export function collectBody(
  request: IncomingMessage,
  limits: BodyLimits,
  done: (body: Buffer | HttpError) => void,
): void {
  const expected = Number(request.headers['content-length'])
  if (expected > limits.maxBytes) return done(httpErrors.tooLarge(limits.maxBytes))
  askForBody(request)
  let whole: Buffer | undefined
  let arriving: ArrivingBytes | undefined
  let isOver = false
  const end = (result: Buffer | HttpError) => {
    isOver = true
    if (request.headers['content-encoding'] === undefined || result instanceof HttpError) return done(result)
    const coding = codingOf(request.headers)
    if (coding === undefined) done(result)
    else if (coding instanceof HttpError) done(coding)
    else unfold(result, coding, limits, done)
  }
  request.on('data', (piece: Buffer) => {
    // Most bodies arrive in one piece, and complete ones are not charged.
    if (piece.length === expected) return void (whole = piece)
    countReceived(request, piece.length)
    if (isOver) return
    arriving ??= arrivingOf(request, limits)
    const refusal = arriving.append(piece)
    if (refusal !== undefined) end(refusedBody(refusal, limits))
  })
  request.on('end', () => {
    if (!isOver) end(whole ?? arriving?.take() ?? EMPTY)
  })
}

function arrivingOf(request: IncomingMessage, limits: BodyLimits): ArrivingBytes {
  const arriving = new ArrivingBytes(limits)
  request.once('close', () => arriving.release())
  return arriving
}

const EMPTY = Buffer.alloc(0)

/** `collectBody` as a promise, which never settles when the sender disconnects. */
export function bodyOf(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    collectBody(request, limits, (body) => (body instanceof HttpError ? reject(body) : resolve(body)))
  })
}

/** The text of a body. Throws `HttpError` if it is not UTF-8. */
export function textOf(body: Buffer): string {
  if (!isUtf8(body)) throw httpErrors.notText()
  return body.toString('utf8')
}

/**
 * Parses JSON text; a promise for a long one, which is parsed in pieces between other requests. Throws or rejects with
 * an `HttpError` with line and column.
 *
 * @param values charged for each value. Default: unlimited
 */
export function jsonOf(
  text: string,
  duplicateKeys: DuplicateKeys,
  options: Omit<ParseJsonOptions, 'duplicateKeys'> = {},
): Awaitable<Value> {
  return whenThere(parsedJson(text, { ...options, duplicateKeys }), valueOf)
}

function valueOf(parsed: ParsedJson): Value {
  if (parsed.kind === 'parsed') return parsed.value
  throw httpErrors.notJson(parsed.problem)
}
