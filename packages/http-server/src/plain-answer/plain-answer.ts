import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { STATUS_CODES } from '../node-http.ts'
import { type Answer, frameAnswer, MEDIA, SECURITY_HEADERS } from '../response.ts'

/** The parts of a request that its answer depends on. */
export interface AnsweredRequest {
  readonly headers: IncomingHttpHeaders
  /** Headers of the answer that are set before there is one. */
  readonly early: Readonly<Record<string, string>> | undefined
}

/** An answer as it is sent. */
export interface PlainText {
  readonly text: string
  readonly status: number
  /** Every character is one byte, in UTF-8 and in Latin-1. */
  readonly isAscii: boolean
}

/** An answer whose headers are complete but for those of the connection, such as that of another server. */
export interface WholeAnswer {
  readonly status: number
  /** With the length of the content; without one the content is sent in chunks. */
  readonly headers: Readonly<Record<string, string>>
  /** A stream that breaks off closes the connection. */
  readonly content: Buffer | Readable
}

/** Status codes of answers without content. */
const EMPTY: ReadonlySet<number> = new Set([204, 304])

export const isChunked = ({ status, headers }: WholeAnswer): boolean =>
  headers['content-length'] === undefined && !EMPTY.has(status)

const SECURITY = linesOf(SECURITY_HEADERS)
const OK = `HTTP/1.1 200 OK\r\n${SECURITY}content-type: ${MEDIA.json}\r\ncontent-length: `

/** Writes answers with the bytes that `node:http` would send. */
export class PlainAnswers {
  readonly #keepAlive: string
  #second = 0
  #date = ''
  #kept = ''

  /** @param keepAliveMs announced with each answer that keeps its connection */
  constructor(keepAliveMs: number) {
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`
  }

  /**
   * @param answered an answer, or the JSON text of one with status 200
   * @param closes whether the connection is closed after it
   */
  textOf({ headers, early }: AnsweredRequest, answered: string | Answer, closes: boolean): PlainText {
    const end = this.#endOf(closes)
    if (typeof answered === 'string' && early === undefined) {
      const bytes = Buffer.byteLength(answered)
      return { text: `${OK}${bytes}\r\n${end}${answered}`, status: 200, isAscii: bytes === answered.length }
    }
    const whole = typeof answered === 'string' ? { status: 200, body: answered } : answered
    const requestId = early?.['x-request-id'] ?? headers['x-request-id']
    const framed = frameAnswer(whole, headers, typeof requestId === 'string' ? requestId : undefined)
    const { status, bytes } = framed
    const body = framed.body.toString()
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${linesOf({ ...early, ...framed.headers })}`
    return { text: `${head}${end}${body}`, status, isAscii: bytes === body.length }
  }

  /** The head of a whole answer. */
  headOf({ early }: Pick<AnsweredRequest, 'early'>, answer: WholeAnswer, closes: boolean): string {
    const { status, headers } = answer
    const lines = early === undefined ? linesOf(headers) : linesOf(early) + linesOf(headers)
    const framing = isChunked(answer) ? 'Transfer-Encoding: chunked\r\n' : ''
    return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines}${framing}${this.#endOf(closes)}`
  }

  /** The clock is read once an answer, the text of the date once a second. */
  #endOf(closes: boolean): string {
    const now = Date.now()
    const second = Math.floor(now / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#date = `Date: ${new Date(now).toUTCString()}\r\n`
      this.#kept = this.#date + this.#keepAlive
    }
    return closes ? `connection: close\r\n${this.#date}\r\n` : this.#kept
  }
}

function linesOf(headers: Readonly<Record<string, unknown>>): string {
  return Object.entries(headers).reduce((lines, [name, value]) => `${lines}${name}: ${String(value)}\r\n`, '')
}
