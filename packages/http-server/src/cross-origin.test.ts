import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { allowCrossOrigin } from './cross-origin.ts'

/** The reaction to a request: whether it was answered, and with which status and headers. */
function reaction(origins: readonly string[], method: string, headers: IncomingMessage['headers']) {
  const sent: Record<string, unknown> = {}
  const response = {
    setHeader: (name: string, value: unknown) => void (sent[name] = value),
    writeHead(status: number, more: object) {
      Object.assign(sent, more, { status })
      return response
    },
    end: () => {},
  }
  const rules = { origins, methods: ['GET', 'POST'], requestHeaders: ['x-a', 'x-b'], answerHeaders: ['etag', 'x-c'] }
  const isAnswered = allowCrossOrigin(rules)(
    { method, headers } as IncomingMessage,
    response as unknown as ServerResponse,
  )
  return { isAnswered, ...sent }
}

const ONE = ['https://a.example']
const PREFLIGHT = {
  status: 204,
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'x-a, x-b',
  'access-control-max-age': '7200',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}
const asking = { 'access-control-request-method': 'POST' }

test.each<
  [title: string, origins: readonly string[], method: string, headers: IncomingMessage['headers'], expected: object]
>([
  ['no page', ONE, 'GET', {}, { isAnswered: false }],
  ['a page of another origin', ONE, 'GET', { origin: 'https://b.example' }, { isAnswered: false, vary: 'origin' }],
  [
    'a preflight of another origin',
    ONE,
    'OPTIONS',
    { origin: 'https://a.example.com', ...asking },
    { isAnswered: false, vary: 'origin' },
  ],
  [
    'a page that is allowed',
    ONE,
    'GET',
    { origin: 'https://a.example' },
    {
      isAnswered: false,
      vary: 'origin',
      'access-control-allow-origin': 'https://a.example',
      'access-control-expose-headers': 'etag, x-c',
    },
  ],
  [
    'its preflight',
    ONE,
    'OPTIONS',
    { origin: 'https://a.example', ...asking },
    { isAnswered: true, vary: 'origin', 'access-control-allow-origin': 'https://a.example', ...PREFLIGHT },
  ],
  [
    'OPTIONS that is no preflight',
    ONE,
    'OPTIONS',
    { origin: 'https://a.example' },
    {
      isAnswered: false,
      vary: 'origin',
      'access-control-allow-origin': 'https://a.example',
      'access-control-expose-headers': 'etag, x-c',
    },
  ],
  [
    'any page where all are allowed',
    [...ONE, '*'],
    'GET',
    { origin: 'https://b.example' },
    { isAnswered: false, 'access-control-allow-origin': '*', 'access-control-expose-headers': 'etag, x-c' },
  ],
  [
    'any preflight where all are allowed',
    ['*'],
    'OPTIONS',
    { origin: 'null', ...asking },
    { isAnswered: true, 'access-control-allow-origin': '*', ...PREFLIGHT },
  ],
])('%s', (_title, origins, method, headers, expected) => {
  expect(reaction(origins, method, headers)).toEqual(expected)
})
