import type { Stream } from './exchange.testing.ts'
import { TOKENS } from './servers.testing.ts'

/** A generator of random numbers from 0 to 1, such as `mulberry32`. */
export type Random = () => number

/** A reproducible generator. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const BODIES = [
  '{"input":{"age":20}}',
  '{"input":{"age":3}}',
  '{"input":{"age":20},"trace":true}',
  '{"input":{"age":"é漢😀"}}',
  '{"input":{"age":0}}',
  '{"input":{}}',
  '{"input":{"age":12345678901234567890}}',
  '{"input":{"age":1,"age":20}}',
  '{"input":[]}',
  '{"input":{"age":20},"trace":1}',
  '{"input":{"age":20},"trace":true,"trace_values":true}',
  '{"input":{"age":20},"receipt":true}',
  '{}',
  '[]',
  '{"input":',
  'x',
  '\xff\xfe',
  `{"input":{"age":20,"note":"${'n'.repeat(3000)}"}}`,
  `{"input":{"age":20,"note":"${'n'.repeat(33_000)}"}}`,
]
const NAMES = [
  'adult-check',
  'adult-check',
  'adult-check',
  'failing',
  'warning',
  'large',
  'adult-chek',
  'nothing-like-it',
]
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'Application/JSON',
  'text/plain',
  'application/json; charset=latin1',
  '',
]
/** Headers of plain requests; some of them are ignored. */
const HEADERS = [
  'user-agent: test/1',
  'accept: */*',
  'Accept: application/problem+json',
  'accept: application/problem+json;q=0.1, application/json',
  'origin: https://a.example',
  'x-request-id: 4711',
  'X-Request-Id:',
  'x-engine-report: 1',
  'X-Engine-Report: 0',
  'x-engine-hops: 3',
  'x-engine-hops: 9',
  'x-engine-hops: x',
  'x-engine-other: 1',
  'x-engine-peer-address: 1.2.3.4',
  `authorization: Bearer ${TOKENS.execute}`,
  `Authorization: bearer  ${TOKENS.execute}`,
  `authorization: Bearer ${TOKENS.read}`,
  'authorization: Bearer unknown',
  'authorization:',
  `x-api-key: ${TOKENS.execute}`,
  'x-tenant-id: default',
  'x-tenant-id: nobody',
  'X-Tenant-Id:\t ',
  'cookie: a=b; c=d',
  'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'Connection: keep-alive',
  'Connection: Keep-Alive',
  'accept-encoding: gzip, zstd',
  'x-padding: \t a \t b \t',
]
/** Headers that change the framing of a message, and lines that are not headers. */
const ODD_HEADERS = [
  'connection: close',
  'Connection: keep-alive, close',
  'connection: x',
  'transfer-encoding: chunked',
  'transfer-encoding: identity',
  'Transfer-Encoding : chunked',
  'content-length: 0',
  'content-length: 5',
  'content-length: +20',
  'content-length: 020',
  'content-length: 20, 20',
  'content-length: 99999999999999999999',
  'content-encoding: br',
  'expect: 100-continue',
  'expect: 200-ok',
  'te: trailers',
  'trailer: x',
  'keep-alive: timeout=1',
  'proxy-connection: close',
  'host: b',
  'x-api-key: other',
  'content-type: text/html',
  'x: 1\r\n folded',
  'x: 1\ny: 2',
  'x: 1\ry: 2',
  'x: \0',
  'x: é',
  'no colon',
  ': no name',
  'bad name: 1',
  `x: ${'a'.repeat(9000)}`,
  `x: ${'a'.repeat(17_000)}`,
]
const LINES = [
  (name: string) => `POST /api/v1/execute/${name}?x=1 HTTP/1.1`,
  (name: string) => `POST http://a/api/v1/execute/${name} HTTP/1.1`,
  (name: string) => `POST /api/v1/execute/${name} HTTP/1.0`,
  (name: string) => `POST /api/v1/execute/${name} HTTP/1.2`,
  (name: string) => `POST  /api/v1/execute/${name} HTTP/1.1`,
  (name: string) => `post /api/v1/execute/${name} HTTP/1.1`,
  (name: string) => `PUT /api/v1/execute/${name} HTTP/1.1`,
  (name: string) => `POST /api/v1/execute/${name}/batch HTTP/1.1`,
  (name: string) => `POST /api/v1/execute/%61${name} HTTP/1.1`,
  (name: string) => `POST /api/v1/execute/${name}\tHTTP/1.1`,
  (name: string) => `POST /api/v1/execute/${name}`,
  () => 'GET /healthz/live HTTP/1.1',
  () => 'POST /api/v1/execute/ HTTP/1.1',
]
const GET = 'GET /healthz/live HTTP/1.1\r\nhost: a\r\n\r\n'

/** A stream of valid, odd and mutated requests, cut at random points. */
export function streamOf(random: Random): Stream {
  const chance = (probability: number) => random() < probability
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const oddity = pick([0, 0, 0.1, 0.3])
  const hasToken = chance(0.8)

  function request(): Buffer {
    if (chance(0.03)) return Buffer.from(GET)
    const body = Buffer.from(pick(chance(0.5) ? BODIES.slice(0, 2) : BODIES), 'utf8')
    const sent = body.toString('utf8') === '\xff\xfe' ? Buffer.from([0xff, 0xfe]) : body
    const name = pick(NAMES)
    const line = chance(oddity) ? pick(LINES)(name) : `POST /api/v1/execute/${name} HTTP/1.1`
    const headers = new Set<string>()
    if (hasToken) headers.add(`authorization: Bearer ${TOKENS.execute}`)
    while (chance(0.5)) headers.add(pick(HEADERS))
    while (chance(oddity)) headers.add(pick(ODD_HEADERS))
    if (!chance(0.03)) headers.add(`${pick(['host', 'Host', 'HOST'])}: a`)
    const type = chance(0.9) ? 'application/json' : pick(TYPES)
    if (type !== '') headers.add(`${pick(['content-type', 'Content-Type'])}:${pick(['', ' ', ' \t'])}${type}`)
    if (!chance(0.03)) headers.add(`${pick(['content-length', 'Content-Length'])}: ${sent.length}`)
    const order = [...headers].toSorted(() => random() - 0.5)
    const isChunked = chance(0.3) && headers.has('transfer-encoding: chunked')
    const framed = isChunked ? [`${sent.length.toString(16)}\r\n`, sent, '\r\n0\r\n\r\n'] : [sent]
    const before = chance(oddity / 5) ? '\r\n' : ''
    return Buffer.concat([before, line, '\r\n', ...order.map((one) => `${one}\r\n`), '\r\n', ...framed].map(bytesOf))
  }

  const count = chance(0.02) ? 150 : 1 + Math.floor(random() * 5)
  let bytes: Buffer = Buffer.concat(Array.from({ length: count }, request))
  if (chance(0.3)) bytes = mutated(bytes, random)
  if (chance(0.1)) bytes = bytes.subarray(0, Math.floor(random() * bytes.length))
  const cuts = count > 10 || chance(0.3) ? 0 : Math.floor(random() * 6)
  const points = Array.from({ length: cuts }, () => Math.floor(random() * bytes.length)).toSorted((a, b) => a - b)
  const pieces = [...points, bytes.length].map((to, index) => bytes.subarray(points[index - 1] ?? 0, to))
  return {
    pieces: pieces.filter((piece) => piece.length > 0),
    end: chance(0.05) ? 'reset' : 'half-close',
    pauseMs: chance(0.01) ? 450 : 0,
    readsLate: chance(0.03),
  }
}

const bytesOf = (part: string | Buffer) => (typeof part === 'string' ? Buffer.from(part, 'utf8') : part)

const INTERESTING = Buffer.from('\r\n\0 :\t,;0159aAxX\xff/?', 'latin1')

/** Some bytes changed, inserted, removed or repeated. */
function mutated(bytes: Buffer, random: Random): Buffer {
  let result: Buffer = bytes
  for (let count = 0; count < 3 && (count === 0 || random() < 0.4); count++) {
    const at = Math.floor(random() * result.length)
    const one = INTERESTING.subarray(Math.floor(random() * INTERESTING.length)).subarray(0, 1)
    const [before, after] = [result.subarray(0, at), result.subarray(at)]
    const kind = Math.floor(random() * 4)
    if (kind === 0) result = Buffer.concat([before, one, after.subarray(1)])
    else if (kind === 1) result = Buffer.concat([before, one, after])
    else if (kind === 2) result = Buffer.concat([before, after.subarray(1 + Math.floor(random() * 8))])
    else result = Buffer.concat([before, after.subarray(0, Math.floor(random() * 40)), after])
  }
  return result
}
