import type { IncomingHttpHeaders } from 'node:http'
import { titleOf } from '../protocol-errors.ts'

/** The requests that a fast lane understands. */
export interface PlainForm<Operation> {
  /** Path with which every target begins. */
  readonly path: string
  /** Beginning of the names of headers that belong to this server: an unknown one leaves the lane. */
  readonly ownHeaders: string
  /** Names of the headers that the answer depends on, in lower case. The lane knows those of HTTP itself. */
  readonly headers: readonly string[]
  /** Names of further headers with which a request leaves the lane, in lower case. */
  readonly refused?: readonly string[]
  /** The operation of a target; undefined: another request. */
  readonly operationOf: (target: string) => Operation | undefined
}

/** The head of a request in plain form. */
export interface PlainHead<Operation> {
  /** Its bytes with the empty line. */
  readonly bytes: Buffer
  readonly operation: Operation
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** Bytes of the head with its empty line. */
  readonly size: number
  /** Bytes of the body. */
  readonly length: number
}

/**
 * Reads the head that begins at a byte. Costs one pass over it.
 *
 * @param last the last head of the connection: one that is repeated is not read again
 */
export type ReadPlainHead<Operation> = (
  bytes: Buffer,
  start: number,
  last?: PlainHead<Operation>,
) => PlainHead<Operation> | 'partial' | 'other'

/** Bytes of a head: far less than the 16 KiB of `node:http`, so that only its parser finds one too large. */
const MAX_HEAD = 8192
/** Bytes of a body. Longer ones arrive in many pieces, and are limited by `node:http`. */
const MAX_BODY = 65_536

/** Headers that every request may have, and whose values count. */
const KEPT = ['host', 'connection', 'content-length', 'content-type', 'accept', 'origin'] as const
/** Headers that change how a message is framed, read or forwarded. */
const REFUSED =
  'transfer-encoding content-encoding expect upgrade te trailer keep-alive proxy-connection http2-settings'.split(' ')

/** Request line and headers without the empty line. Unambiguous, so it is tested in linear time. */
const HEAD = /^POST [!-~]+ HTTP\/1\.1\r\n(?:[!#$%&'*+.^_`|~\w-]+:[\t -~]*\r\n)+$/
const LENGTH = /^[1-9]\d{0,5}$/

/** @param maxBytes largest body of the server */
export function plainHeadReader<Operation>(
  { path, ownHeaders, headers: own, refused = [], operationOf }: PlainForm<Operation>,
  maxBytes: number,
): ReadPlainHead<Operation> {
  const beginning = Buffer.from(`POST ${path}`)
  const longest = Math.min(MAX_BODY, maxBytes)
  /** The key of a name; empty: its header is refused. In the usual spellings, so that most names need no conversion. */
  const keys = new Map<string, string>()
  const add = (name: string, key: string) => keys.set(name, key).set(titleOf(name), key)
  for (const name of [...KEPT, ...own]) add(name, name)
  for (const name of [...REFUSED, ...refused]) add(name, '')
  const keyOf = (name: string): string | undefined => {
    const known = keys.get(name)
    if (known !== undefined) return known
    const lower = name.toLowerCase()
    return keys.get(lower) ?? (lower.startsWith(ownHeaders) ? '' : undefined)
  }
  /** Undefined: a header is refused, or repeated. */
  const headersIn = (text: string, first: number): IncomingHttpHeaders | undefined => {
    const headers: IncomingHttpHeaders = {}
    for (let at = first; at < text.length;) {
      const colon = text.indexOf(':', at)
      const end = text.indexOf('\r\n', colon)
      const key = keyOf(text.slice(at, colon))
      at = end + 2
      if (key === undefined) continue
      if (key === '' || headers[key] !== undefined) return undefined
      headers[key] = text.slice(colon + 1, end).trim()
    }
    return headers
  }
  return (bytes, start, last) => {
    if (last !== undefined && bytes.length - start >= last.size) {
      if (last.bytes.compare(bytes, start, start + last.size) === 0) return last
    }
    const known = Math.min(beginning.length, bytes.length - start)
    if (beginning.compare(bytes, start, start + known, 0, known) !== 0) return 'other'
    const end = bytes.indexOf('\r\n\r\n', start, 'latin1')
    if (end === -1) return bytes.length - start > MAX_HEAD ? 'other' : 'partial'
    const size = end + 4 - start
    if (size > MAX_HEAD) return 'other'
    const text = bytes.toString('latin1', start, end + 2)
    if (!HEAD.test(text)) return 'other'
    const line = text.indexOf('\r\n')
    const url = text.slice('POST '.length, line - ' HTTP/1.1'.length)
    const operation = operationOf(url)
    const headers = operation === undefined ? undefined : headersIn(text, line + 2)
    if (operation === undefined || headers?.host === undefined) return 'other'
    const { connection = 'keep-alive', 'content-length': length = '' } = headers
    if (connection !== 'keep-alive' && connection.toLowerCase() !== 'keep-alive') return 'other'
    if (!LENGTH.test(length) || Number(length) > longest) return 'other'
    return {
      bytes: Buffer.from(bytes.subarray(start, start + size)),
      operation,
      url,
      headers,
      size,
      length: Number(length),
    }
  }
}
