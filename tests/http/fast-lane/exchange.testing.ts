import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Side } from './servers.testing.ts'

/** The bytes of a client, and how it sends them. */
export interface Stream {
  readonly pieces: readonly Buffer[]
  /** How the client ends. */
  readonly end: 'half-close' | 'reset'
  /** Milliseconds between two pieces; 0: some turns of the event loop. */
  readonly pauseMs?: number
  /** The client reads nothing until everything is sent. */
  readonly readsLate?: boolean
  /** Turns of the event loop without a byte after which everything is answered. Default: those of a server in this process. */
  readonly quietTurns?: number
}

interface Received {
  readonly text: string
  /** The server closed the connection while the client was sending, so that the end of the text may be lost. */
  readonly isCut: boolean
}

/** Turns of the event loop without a byte after which a server in this process has answered everything. */
const QUIET_TURNS = 12

/** Where a server listens. */
type Place = Pick<Side, 'url' | 'socketPath'>

/** Sends a stream; everything received until the server closes the connection. */
async function exchange({ url, socketPath }: Place, stream: Stream): Promise<Received> {
  const { pieces, end, pauseMs = 0, readsLate, quietTurns = QUIET_TURNS } = stream
  const place = socketPath === undefined ? { port: Number(new URL(url).port), host: '127.0.0.1' } : { path: socketPath }
  const socket = connect({ ...place, noDelay: true, allowHalfOpen: true })
  let text = ''
  let isCut = false
  let quiet = 0
  socket.setEncoding('latin1')
  socket.on('error', () => (isCut = true))
  const closed = new Promise((resolve) => void socket.once('close', resolve))
  const read = () =>
    socket.on('data', (chunk: string) => {
      quiet = 0
      text += chunk
    })
  await once(socket, 'connect')
  if (readsLate !== true) read()
  for (const piece of pieces) {
    if (socket.destroyed || socket.readableEnded) break
    socket.write(piece)
    if (pauseMs > 0) await delay(pauseMs)
    else for (let count = 0; count < 3; count++) await turn()
  }
  if (readsLate === true) {
    await delay(50)
    read()
  }
  for (quiet = 0; quiet < quietTurns && !socket.readableEnded && !socket.destroyed; quiet++) {
    await delay(1)
    await turn()
  }
  if (end === 'reset') reset(socket)
  else socket.end()
  await closed
  return { text, isCut }
}

/** A Unix socket has no reset: it is closed with answers that are not read. */
function reset(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy()
  else socket.resetAndDestroy()
}

/** `node:http` finds the unknown method of a request only where it begins its packet or a line. */
const UNKNOWN_METHOD =
  /HTTP\/1\.1 501 Not Implemented\r\n((?:.+\r\n)*)\r\n\{"error":"the method `[^`]+` is not supported","code":"NOT_IMPLEMENTED"(,"request_id":"…")?\}$/
const NOT_HTTP =
  'HTTP/1.1 400 Bad Request\r\n$1\r\n{"error":"this is not a valid HTTP/1.1 request","code":"BAD_REQUEST"$2}'

/** The server closes a connection whose request has not arrived yet, and `node:http` that of one which waits for leave to send. */
const CLOSED = /^(?:connection: close\r\nDate: …|Date: …\r\nConnection: close)\r\n/gm

/** A text whose dates, durations, lengths and random values are replaced. */
function comparable(text: string): string {
  return text
    .replaceAll(/^Date: .*\r\n/gm, 'Date: …\r\n')
    .replaceAll(/"(duration_us|total_duration_us|start_us|end_us)":\d+/g, '"$1":0')
    .replaceAll(/^x-request-id: [0-9a-f-]{36}\r\n/gm, 'x-request-id: …\r\n')
    .replaceAll(/"(request_id|instance)":"[0-9a-f-]{36}"/g, '"$1":"…"')
    .replaceAll(/(nonce-|csp-nonce" content=")[\w+/]+=*/g, '$1…')
    .replaceAll(/^content-length: \d+\r\n/gm, 'content-length: …\r\n')
    .replaceAll(CLOSED, 'Date: …\r\nConnection: close\r\n')
    .replace(UNKNOWN_METHOD, NOT_HTTP)
}

/** The answer to bytes that are not HTTP, with which a connection ends. It has no date, as all other answers have. */
const REFUSED =
  /HTTP\/1\.1 (?:400 Bad Request|431 Request Header Fields Too Large|501 Not Implemented)\r\n(?:(?!Date: )[^\r\n]+\r\n)+\r\n(?:(?!HTTP\/1\.1 \d)[^])*$/

/** Every answer has as many bytes as its head announces. */
function requireFraming(text: string): void {
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\r\n\r\n', at)
    expect(end, text.slice(at)).toBeGreaterThan(at)
    const head = text.slice(at, end)
    expect(head).toMatch(/^HTTP\/1\.1 \d{3} /)
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
    at = end + 4 + length
    expect(at, 'the announced length').toBeLessThanOrEqual(text.length)
  }
}

/** Times that a stream is sent: how packets are split, and which timer comes first, can make a difference too. */
const ATTEMPTS = 3

/**
 * Sends a stream to both servers, and expects the same answers. The only difference allowed: `node:http` forgets the answers
 * to requests that arrive in one packet with bytes that are not HTTP, so their number depends on the packets, and is larger in the
 * fast lane.
 */
export async function expectAlike({ fast, plain }: Record<'fast' | 'plain', Place>, stream: Stream): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const [mine, theirs] = await Promise.all([exchange(fast, stream), exchange(plain, stream)])
    if (stream.end === 'reset') return mine.text
    if (!mine.isCut) requireFraming(mine.text)
    if (areAlike(mine, theirs)) return mine.text
    if (attempt < ATTEMPTS) continue
    const sent = stream.pieces.map((piece) => JSON.stringify(piece.toString('latin1')).slice(0, 2000)).join('\n')
    expect(comparable(mine.text), sent).toBe(comparable(theirs.text))
  }
}

function areAlike(mine: Received, theirs: Received): boolean {
  const [actual, expected] = [comparable(mine.text), comparable(theirs.text)]
  if (actual === expected) return true
  const isCut = mine.isCut || theirs.isCut
  if (isCut && oneBeginsOther(actual, expected)) return true
  const [refusal, expectedRefusal] = [REFUSED.exec(actual)?.[0], REFUSED.exec(expected)?.[0]]
  const [answers, expectedAnswers] = [actual.replace(REFUSED, ''), expected.replace(REFUSED, '')]
  // Whether a refusal follows an answer that closes the connection depends on the packets too. So it does after an answer
  // that was given before the body arrived: the connection is closed if the rest comes late.
  const [ends, expectedEnds] = [answers, expectedAnswers].map(
    (text) => /^connection: close\r$/im.test(text) || /HTTP\/1\.1 40[13] (?:(?!HTTP\/1\.1 )[^])*$/.test(text),
  )
  const isRefused = refusal !== undefined || expectedRefusal !== undefined
  const isSame = refusal === expectedRefusal || (refusal === undefined ? ends : expectedEnds) === true
  if (!isCut && !(isRefused && isSame)) return false
  return oneBeginsOther(answers, expectedAnswers)
}

const oneBeginsOther = (left: string, right: string) => left.startsWith(right) || right.startsWith(left)
