import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { STATUS_CODES } from '../node-http.ts'
import { type Answer, frameAnswer, MEDIA, SECURITY_HEADERS } from '../response.ts'

/** The properties of a request on which its answer depends. */
export interface AnsweredRequest {
  readonly headers: IncomingHttpHeaders
  /** Headers of the answer that are set in advance. */
  readonly early: Readonly<Record<string, string>> | undefined
}

/** An answer in wire format. */
export interface PlainText {
  readonly text: string
  readonly status: number
  /** True if every character is one byte, in UTF-8 and in Latin-1. */
  readonly isAscii: boolean
}

/** An answer with complete headers except those of the connection, such as the answer of another server. */
export interface WholeAnswer {
  readonly status: number
  /** Includes the length of the content; otherwise the content is sent in chunks. */
  readonly headers: Readonly<Record<string, string>>
  /** If a stream breaks off, the connection is closed. */
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

  /** @param keepAliveMs announced with each answer that keeps the connection open */
  constructor(keepAliveMs: number) {
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`
  }

  /**
   * @param answered an answer, or the JSON text of an answer with status 200
   * @param closes true if the connection is closed afterwards
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

  /** The head of a complete answer. */
  headOf({ early }: Pick<AnsweredRequest, 'early'>, answer: WholeAnswer, closes: boolean): string {
    const { status, headers } = answer
    const lines = early === undefined ? linesOf(headers) : linesOf(early) + linesOf(headers)
    const framing = isChunked(answer) ? 'Transfer-Encoding: chunked\r\n' : ''
    return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines}${framing}${this.#endOf(closes)}`
  }

  /** The clock is read once per answer, the text of the date is built once per second. */
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
