import type { IncomingHttpHeaders } from 'node:http'
import { titleOf } from '../protocol-errors.ts'

/** The requests that a fast lane understands. */
export interface PlainForm<Operation> {
  /** The path prefix of all targets. */
  readonly path: string
  /** Name prefix of headers that belong to this server: a request with an unknown one leaves the lane. */
  readonly ownHeaders: string
  /** Names of headers on which the answer depends, in lower case. Those of HTTP itself are built in. */
  readonly headers: readonly string[]
  /** Names of further headers that make a request leave the lane, in lower case. */
  readonly refused?: readonly string[]
  /** The operation of a target; undefined for any other request. */
  readonly operationOf: (target: string) => Operation | undefined
}

/** The head of a request in plain form. */
export interface PlainHead<Operation> {
  /** Its bytes, including the empty line. */
  readonly bytes: Buffer
  readonly operation: Operation
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** Length of the head with its empty line, in bytes. */
  readonly size: number
  /** Length of the body in bytes. */
  readonly length: number
}

/**
 * Reads the head that begins at a byte. Takes one pass over it.
 *
 * @param last the previous head of the connection: a repeated head is not parsed again
 */
export type ReadPlainHead<Operation> = (
  bytes: Buffer,
  start: number,
  last?: PlainHead<Operation>,
) => PlainHead<Operation> | 'partial' | 'other'

/**
 * Longest head in bytes: far less than the 16 KiB of `node:http`, so that only `node:http` rejects a head as too large.
 */
const MAX_HEAD_BYTES = 8192
/** Longest body in bytes. Longer bodies arrive in many pieces, and are limited by `node:http`. */
const MAX_BODY_BYTES = 65_536

/** Headers that every request may have, and whose values matter. */
const KEPT = ['host', 'connection', 'content-length', 'content-type', 'accept', 'origin'] as const
/** Headers that change how a message is framed, read or forwarded. */
const REFUSED =
  'transfer-encoding content-encoding expect upgrade te trailer keep-alive proxy-connection http2-settings'.split(' ')

/** Request line and headers without the empty line. Unambiguous, so it is tested in linear time. */
const HEAD = /^POST [!-~]+ HTTP\/1\.1\r\n(?:[!#$%&'*+.^_`|~\w-]+:[\t -~]*\r\n)+$/
const LENGTH = /^[1-9]\d{0,5}$/

/** @param maxBytes maximum body size of the server */
export function plainHeadReader<Operation>(
  { path, ownHeaders, headers: own, refused = [], operationOf }: PlainForm<Operation>,
  maxBytes: number,
): ReadPlainHead<Operation> {
  const beginning = Buffer.from(`POST ${path}`)
  const longest = Math.min(MAX_BODY_BYTES, maxBytes)
  /**
   * The key of a name; empty if the header is refused. Contains the usual spellings, so that most names need no
   * conversion.
   */
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
  /** Undefined if a header is refused or repeated. */
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
    if (end === -1) return bytes.length - start > MAX_HEAD_BYTES ? 'other' : 'partial'
    const size = end + 4 - start
    if (size > MAX_HEAD_BYTES) return 'other'
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
