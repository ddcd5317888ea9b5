import { byteChunks } from '@engine/process'
import { type BodyLimits, ArrivingBytes, refusedBody } from './arriving-bytes.ts'
import { HttpError } from './http-error.ts'
import type { Answer } from './response.ts'
import { quote } from '@engine/expression'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { constants, createGunzip, createZstdDecompress, gzip, zstdCompress } from 'node:zlib'

/** Supported content codings besides `identity` (RFC 9110 section 8.4). */
const CODINGS = ['gzip', 'zstd'] as const
type Coding = (typeof CODINGS)[number]

/** The `accept-encoding` header of a 415 response. */
const ACCEPTED_CODINGS = `${CODINGS.join(', ')}, identity`

/**
 * Window size that a zstd body may request, as a power of 2: 8 MiB, which RFC 9659 section 3 requires of every
 * receiver. By default one frame could request 128 MiB.
 */
const ZSTD = { params: { [constants.ZSTD_d_windowLogMax]: 23 } }

/** The coding of a body, or an error; undefined if it is not encoded. */
export function codingOf({ 'content-encoding': encoding }: IncomingHttpHeaders): Coding | HttpError | undefined {
  if (encoding === undefined) return undefined
  const name = encoding.trim().toLowerCase()
  if (name === 'identity') return undefined
  // RFC 9110 section 8.4.1.3
  const known = CODINGS.find((coding) => coding === name || `x-${coding}` === name)
  if (known !== undefined) return known
  return new HttpError(
    'unsupported-media-type',
    `the content encoding ${quote(encoding)} is not supported: send the body unencoded, or with ${CODINGS.join(' or ')}`,
    { headers: { 'accept-encoding': ACCEPTED_CODINGS } },
  )
}

/**
 * Decompresses a body within the limits: it never takes more memory than an uncompressed one may, and is charged as
 * arriving until it is complete. `done` is called once.
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
 * Maximum expansion of a stream in relation to the bytes received, beyond the size limit of a body. Text rarely reaches
 * 50; a few bytes that expand endlessly would occupy a processor at no cost to the sender.
 */
const MAX_UNFOLDED = 100

/**
 * Decompresses a stream of any length as it arrives, and no faster than it is consumed. Throws `HttpError` when that
 * fails, after which the rest of the request is discarded; when its connection breaks, throws the read error.
 */
export function unfoldedStream(request: IncomingMessage, limits: BodyLimits): AsyncIterable<Buffer> {
  const coding = codingOf(request.headers)
  if (coding instanceof HttpError) throw coding
  // If a reader stops early, the request is kept open: destroying it would close the connection before the answer.
  return coding === undefined ? request.iterator({ destroyOnReturn: false }) : unfoldingStream(request, coding, limits)
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
    for await (const piece of byteChunks(unfolding)) {
      unfolded += piece.length
      if (unfolded > limits.maxBytes + arrived * MAX_UNFOLDED)
        throw new HttpError(
          'payload-too-large',
          `the stream expands to more than ${MAX_UNFOLDED} times its compressed size and more than ${limits.maxBytes} bytes: send less in one request, or without ${coding}`,
        )
      yield piece
    }
  } catch (error) {
    if (error instanceof HttpError || isBroken) throw error
    throw unreadable(coding, error instanceof Error ? error : new Error(String(error)))
  } finally {
    request.off('error', broken).off('close', broken)
    request.unpipe(unfolding).resume()
  }
}

const decoderOf = (coding: Coding) => (coding === 'gzip' ? createGunzip() : createZstdDecompress(ZSTD))

const unreadable = (coding: Coding, { message }: Error) =>
  new HttpError('invalid-request', `the body cannot be read as ${coding}: ${message}`)

/** Minimum size in bytes for compressing an answer. */
const MIN_BYTES = 1024

/** Output is a fifth larger than at the best level, in a third of the time. */
const GZIP = { level: 4 }

/**
 * Encodes a response according to the client's preferences; `done` is called once, synchronously if nothing has to be
 * encoded. The entity tag distinguishes the encoded response from the plain one, as RFC 9110 section 8.8.3.3 requires.
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

/**
 * The client's preferred coding; without a preference, the server's; undefined if none is accepted (RFC 9110 section
 * 12.5.3).
 */
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
