import { describe, expect, test } from 'vitest'
import { plainHeadReader } from './plain-head.ts'

const LIMIT = 1000
const read = plainHeadReader(
  {
    path: '/buy/',
    ownHeaders: 'x-shop-',
    headers: ['x-api-key', 'x-shop-report'],
    operationOf: (target) => /^\/buy\/([a-z]+)$/.exec(target)?.[1],
  },
  LIMIT,
)

const LENGTH = 'content-length: 2\r\n'
const head = (headers: string, line = 'POST /buy/book HTTP/1.1') => `${line}\r\nhost: a\r\n${headers}\r\n`
const readText = (text: string, start = 0) => read(Buffer.from(text, 'latin1'), start)

describe('the plain form', () => {
  test.each<[what: string, headers: string, expected: object]>([
    ['the least', LENGTH, { host: 'a', 'content-length': '2' }],
    ['any case', 'CONTENT-length: 2\r\nX-API-KEY: k\r\n', { 'x-api-key': 'k' }],
    ['blanks and tabs around values', `x-api-key:\t k \t\r\n${LENGTH}`, { 'x-api-key': 'k' }],
    ['no blank', `x-api-key:k\r\n${LENGTH}`, { 'x-api-key': 'k' }],
    ['an empty value', `x-api-key:\r\n${LENGTH}`, { 'x-api-key': '' }],
    ['keep-alive', `Connection: Keep-Alive\r\n${LENGTH}`, { connection: 'Keep-Alive' }],
    ['a colon in a value', `x-api-key: a:b\r\n${LENGTH}`, { 'x-api-key': 'a:b' }],
    ['a known header of the server', `x-shop-report: 1\r\n${LENGTH}`, { 'x-shop-report': '1' }],
  ])('%s', (_what, headers, expected) => {
    const text = head(headers)
    expect(readText(`${text}{}`)).toMatchObject({
      operation: 'book',
      url: '/buy/book',
      size: text.length,
      length: 2,
      headers: expected,
    })
    expect(readText(`xyz${text}{}`, 3)).toMatchObject({ size: text.length, headers: expected })
  })

  test('has further headers, which are not kept, even repeated', () => {
    const found = readText(head(`user-agent: x\r\nuser-agent: y\r\n!#$%&'*+.^_\`|~09-: z\r\n${LENGTH}`))
    expect(found).toMatchObject({ headers: { host: 'a', 'content-length': '2' } })
    expect(Object.keys((found as { headers: object }).headers)).toEqual(['host', 'content-length'])
  })
})

test('may have the largest body', () => {
  expect(readText(head(`content-length: ${LIMIT}\r\n`))).toMatchObject({ length: LIMIT })
})

test('is partial until its empty line', () => {
  const text = head(LENGTH)
  for (let size = 0; size < text.length; size++)
    expect([size, readText(text.slice(0, size))]).toEqual([size, 'partial'])
})

test('a head with the bytes of the last one is that one, wherever it begins, and any other byte makes another', () => {
  const text = head(`x-api-key: k\r\n${LENGTH}`)
  const last = readText(text)
  if (typeof last === 'string') throw new Error(last)
  const again = (sent: string, start = 0) => read(Buffer.from(sent, 'latin1'), start, last)
  expect(again(`${text}{}`)).toBe(last)
  expect(again(`xyz${text}`, 3)).toBe(last)
  for (let size = 0; size < text.length; size++) expect([size, again(text.slice(0, size))]).toEqual([size, 'partial'])
  for (let at = 0; at < text.length; at++) {
    const changed = `${text.slice(0, at)}${text[at] === '3' ? '4' : '3'}${text.slice(at + 1)}`
    expect([at, again(`${changed}{}`)]).toEqual([at, readText(`${changed}{}`)])
    expect(again(`${changed}{}`)).not.toBe(last)
  }
})

test('a head outlives the bytes that it was read from', () => {
  const bytes = Buffer.from(head(LENGTH))
  const last = read(bytes, 0)
  if (typeof last === 'string') throw new Error(last)
  bytes.fill(0)
  expect(read(Buffer.from(head(LENGTH)), 0, last)).toBe(last)
})

describe('anything else is left to node:http', () => {
  test.each<[what: string, text: string]>([
    ['another method', head(LENGTH, 'GET /buy/book HTTP/1.1')],
    ['another method, before the line is complete', 'GE'],
    ['another path, before the line is complete', 'POST /sell'],
    ['another target', head(LENGTH, 'POST /buy/ HTTP/1.1')],
    ['a query', head(LENGTH, 'POST /buy/book?a HTTP/1.1')],
    ['the absolute form', head(LENGTH, 'POST http://a/buy/book HTTP/1.1')],
    ['HTTP/1.0', head(LENGTH, 'POST /buy/book HTTP/1.0')],
    ['two blanks', head(LENGTH, 'POST /buy/book  HTTP/1.1')],
    ['an empty line before it', `\r\n${head(LENGTH)}`],
    ['a tab in the line', head(LENGTH, 'POST /buy/book\tHTTP/1.1')],
    ['a bare line feed', head(`x: 1\n${LENGTH}`)],
    ['a bare carriage return', head(`x: 1\r${LENGTH}`)],
    ['a folded header', head(`x: 1\r\n 2\r\n${LENGTH}`)],
    ['a blank before the colon', head(`x : 1\r\n${LENGTH}`)],
    ['a header without a name', head(`: 1\r\n${LENGTH}`)],
    ['a line without a colon', head(`x\r\n${LENGTH}`)],
    ['a control character', head(`x: \0\r\n${LENGTH}`)],
    ['a byte beyond ASCII', head(`x: \xe9\r\n${LENGTH}`)],
    ['no host', `POST /buy/book HTTP/1.1\r\n${LENGTH}\r\n`],
    ['no length', head('')],
    ...['0', '02', '+2', '-2', '2,2', '2 2', '0x2', '', '1e1', String(LIMIT + 1), '99999999'].map(
      (length): [string, string] => [`the length \`${length}\``, head(`content-length: ${length}\r\n`)],
    ),
    ...['close', 'keep-alive, close', 'upgrade', ''].map((value): [string, string] => [
      `connection: ${value}`,
      head(`connection: ${value}\r\n${LENGTH}`),
    ]),
    ...['transfer-encoding', 'content-encoding', 'expect', 'upgrade', 'te', 'trailer', 'proxy-connection'].map(
      (name): [string, string] => [name, head(`${name}: x\r\n${LENGTH}`)],
    ),
    ...['host', 'content-length', 'x-api-key', 'x-shop-report', 'accept', 'content-type'].map(
      (name): [string, string] => [
        `${name} twice`,
        head(`${name}: 2\r\n${name.toUpperCase()}: 2\r\n${name === 'content-length' ? '' : LENGTH}`),
      ],
    ),
    ['an unknown header of the server', head(`X-Shop-Other: 1\r\n${LENGTH}`)],
    ['a long head', head(`x: ${'a'.repeat(8192)}\r\n${LENGTH}`)],
    ['a long head, before it is complete', `POST /buy/book HTTP/1.1\r\nx: ${'a'.repeat(8192)}`],
  ])('%s', (_what, text) => {
    expect(readText(text)).toBe('other')
  })
})
