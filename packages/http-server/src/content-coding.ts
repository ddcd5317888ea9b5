import { type BodyLimits, ArrivingBytes, refusedBody } from './arriving-bytes.ts'
import { HttpError } from './http-error.ts'
import type { Answer } from './response.ts'
import { quote } from '@engine/expression'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { constants, createGunzip, createZstdDecompress, gzip, zstdCompress } from 'node:zlib'

/** Content codings beside `identity` (RFC 9110 section 8.4). */
const CODINGS = ['gzip', 'zstd'] as const
type Coding = (typeof CODINGS)[number]

/** What a client may send in `content-encoding`, for `accept-encoding` of a 415. */
const ACCEPTED_CODINGS = `${CODINGS.join(', ')}, identity`

/**
 * Memory for looking back, as power of 2, that a body in zstd may ask for: 8 MiB, which RFC 9659 section 3 demands of every
 * receiver. Without it one frame could ask for 128.
 */
const ZSTD = { params: { [constants.ZSTD_d_windowLogMax]: 23 } }

/** The coding of a body, or why it is not understood; undefined: it is not encoded. */
export function codingOf({ 'content-encoding': encoding }: IncomingHttpHeaders): Coding | HttpError | undefined {
  if (encoding === undefined) return undefined
  const name = encoding.trim().toLowerCase()
  if (name === 'identity') return undefined
  // RFC 9110 section 8.4.1.3
  const known = CODINGS.find((coding) => coding === name || `x-${coding}` === name)
  if (known !== undefined) return known
  return new HttpError(
    'unsupported-media-type',
    `the content encoding ${quote(encoding)} is not understood: send the body as it is, or with ${CODINGS.join(' or ')}`,
    { headers: { 'accept-encoding': ACCEPTED_CODINGS } },
  )
}

/**
 * Unfold a body within the limits: it is never larger in memory than a body may be that comes as it is, and counts among
 * those that arrive until all of it is there. `done` is called once.
 */
export function unfold(
  body: Buffer,
  coding: Coding,
  limits: BodyLimits,
  done: (body: Buffer | HttpError) => void,
): void {
  const unfolding = decoderOf(coding)
  const unfolded = new ArrivingBytes(limits)
  let isOver = false
  const end = (result: Buffer | HttpError) => {
    if (isOver) return
    isOver = true
    unfolded.release()
    done(result)
    unfolding.destroy()
  }
  unfolding.on('data', (piece: Buffer) => {
    const refusal = isOver ? undefined : unfolded.append(piece)
    if (refusal !== undefined) end(refusedBody(refusal, limits))
  })
  unfolding.on('end', () => {
    if (!isOver) end(unfolded.take())
  })
  unfolding.on('error', (error: Error) => end(unreadable(coding, error)))
  unfolding.end(body)
}

/**
 * What a stream may unfold to for each byte that has arrived, beyond the size of a body. Text seldom reaches 50; a few bytes
 * that unfold without end would keep a processor busy for nothing that their sender did.
 */
const MAX_UNFOLDED = 100

/**
 * The bytes of a stream of any length, unfolded as they arrive and no faster than they are taken. Throws `HttpError` when they
 * cannot be, after which the request is read and forgotten; where its connection breaks, what reading it throws.
 */
export function unfoldedStream(request: IncomingMessage, limits: BodyLimits): AsyncIterable<Buffer> {
  const coding = codingOf(request.headers)
  if (coding instanceof HttpError) throw coding
  return coding === undefined ? request : unfoldingStream(request, coding, limits)
}

async function* unfoldingStream(request: IncomingMessage, coding: Coding, limits: BodyLimits): AsyncGenerator<Buffer> {
  const unfolding = decoderOf(coding)
  let isBroken = false
  const broken = (error?: Error) => {
    if (request.readableEnded) return
    isBroken = true
    unfolding.destroy(error ?? new Error('the connection is closed'))
  }
  let [arrived, unfolded] = [0, 0]
  request.on('data', ({ length }: Buffer) => (arrived += length))
  request.once('error', broken).once('close', broken).pipe(unfolding)
  try {
    for await (const piece of unfolding as AsyncIterable<Buffer>) {
      unfolded += piece.length
      if (unfolded > limits.maxBytes + arrived * MAX_UNFOLDED)
        throw new HttpError(
          'payload-too-large',
          `the stream unfolds to more than ${MAX_UNFOLDED} times what was sent, and than ${limits.maxBytes} bytes: send less in one, or without ${coding}`,
        )
      yield piece
    }
  } catch (error) {
    if (error instanceof HttpError || isBroken) throw error
    throw unreadable(coding, error as Error)
  } finally {
    request.off('error', broken).off('close', broken)
    request.unpipe(unfolding).resume()
  }
}

const decoderOf = (coding: Coding) => (coding === 'gzip' ? createGunzip() : createZstdDecompress(ZSTD))

const unreadable = (coding: Coding, { message }: Error) =>
  new HttpError('invalid-request', `the body cannot be read as ${coding}: ${message}`)

/** Bytes of an answer from which on it is worth to be compressed. */
const MIN_BYTES = 1024

/** A fifth larger than at the best level, in a third of the time. */
const GZIP = { level: 4 }

/**
 * Encode an answer as its client takes it; `done` is called once, at once when there is nothing to do. An entity tag tells the
 * encoded answer from the plain one, as RFC 9110 section 8.8.3.3 demands.
 */
export function encodeAnswer(answer: Answer, headers: IncomingHttpHeaders, done: (answer: Answer) => void): void {
  const { body = '', status } = answer
  if (status !== 200 || body.length < MIN_BYTES) return done(answer)
  const vary = headers.origin === undefined ? 'accept-encoding' : 'accept-encoding, origin'
  const varying = { ...answer, headers: { ...answer.headers, vary } }
  const coding = chosenCoding(headers['accept-encoding'])
  if (coding === undefined) return done(varying)
  const encoded = (error: Error | null, bytes: Buffer) =>
    done(error === null ? { ...varying, body: bytes, headers: encodedHeaders(varying.headers, coding) } : varying)
  const plain = typeof body === 'string' ? Buffer.from(body) : body
  if (coding === 'gzip') gzip(plain, GZIP, encoded)
  else zstdCompress(plain, encoded)
}

function encodedHeaders(headers: Readonly<Record<string, string>>, coding: Coding): Record<string, string> {
  const { etag } = headers
  const tag = etag === undefined ? {} : { etag: etag.replace(/"$/, `-${coding}"`) }
  return { ...headers, ...tag, 'content-encoding': coding }
}

/** The coding that a client likes best, ours first where it has no preference; undefined: none (RFC 9110 section 12.5.3). */
function chosenCoding(accepted: string | string[] | undefined): Coding | undefined {
  if (typeof accepted !== 'string') return undefined
  const weights = new Map(
    accepted.split(',').map((item) => {
      const [name = '', ...parameters] = item.toLowerCase().split(';')
      const weight = parameters.map((one) => /^\s*q=(\d(?:\.\d*)?)\s*$/.exec(one)?.[1]).find((q) => q !== undefined)
      return [name.trim(), weight === undefined ? 1 : Number(weight)]
    }),
  )
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0
  const [best] = [...PREFERRED].sort((left, right) => weightOf(right) - weightOf(left))
  return best !== undefined && weightOf(best) > 0 ? best : undefined
}

const PREFERRED = ['zstd', 'gzip'] as const
