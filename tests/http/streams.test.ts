import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adultCheck, startServer, type TestServer } from './server.testing.ts'

const BATCH = '/api/v1/execute/adult-check/batch'
const NDJSON = { 'content-type': 'application/x-ndjson' }

let server: TestServer

beforeAll(async () => {
  server = await startServer('--max-request-body-bytes', '4096')
  await server.post('/api/v1/rulesets', adultCheck())
})

afterAll(() => server.stop())

type Result = Readonly<Record<string, unknown>>

/** The results of a stream that is sent in one piece. */
async function results(body: string | Uint8Array, query = ''): Promise<readonly Result[]> {
  const reply = await server.request('POST', BATCH + query, { body, headers: NDJSON })
  expect(reply.status).toBe(200)
  return reply.text === ''
    ? []
    : reply.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Result)
}

const failed = (line: number, error: string) => ({
  code: 'error',
  message: error,
  output: null,
  duration_us: expect.any(Number) as number,
  error,
  line,
})
const adult = {
  code: 'ADULT',
  message: 'may order',
  output: { limit: 100 },
  duration_us: expect.any(Number) as number,
  line: expect.any(Number) as number,
}

/** Each row is between two valid lines, which are answered in every case. */
test.each<readonly [what: string, line: string | Uint8Array, answers: readonly Result[]]>([
  ['a good line', '{"age": 18}', [adult]],
  ['a line with white space around', ' \t{"age": 18} \r', [adult]],
  ['an empty line, which is not an input', '', []],
  ['a line of white space', ' \t\r', []],
  ['half a document', '{"age":', [failed(2, 'line 2: expected a value, found the end of the text (column 8)')]],
  ['two documents', '{} {}', [failed(2, 'line 2: unexpected `{` after the end of the document (column 4)')]],
  ['a list', '[1]', [failed(2, '`input` must be an object, found a list')]],
  ['a number', '7', [failed(2, '`input` must be an object, found `7`')]],
  ['null', 'null', [failed(2, '`input` must be an object, found `null`')]],
  ['deep nesting', '['.repeat(3000), [failed(2, 'line 2: nested more than 128 levels deep (column 129)')]],
  ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), [failed(2, 'line 2 is not valid UTF-8')]],
  [
    'an input that the rules fail on',
    '{"age": "x"}',
    [failed(2, '`>=` is not defined for string and number (step `check`)')],
  ],
  ['a line of just the limit', '{"age": 18}'.padEnd(4096), [adult]],
  [
    'a line beyond it',
    '{"age": 18}'.padEnd(4097),
    [failed(2, 'this line is longer than 4096 bytes (--max-request-body-bytes)')],
  ],
  [
    'a line far beyond it',
    ' '.repeat(1_000_000),
    [failed(2, 'this line is longer than 4096 bytes (--max-request-body-bytes)')],
  ],
])('%s', async (_what, line, answers) => {
  const around = Buffer.from('{"age": 20}\n')
  const body = Buffer.concat([around, typeof line === 'string' ? Buffer.from(line) : line, Buffer.from('\n'), around])
  expect(await results(body)).toEqual([adult, ...answers, adult])
})

test('each answer has the number of its line, blank lines counted, and the key of its input', async () => {
  const body =
    '{"age": 18, "order": {"id": "a\\n1"}}\n\n{"age": 18, "order": {"id": 7}}\n{"age": 18, "order": {"id": [1]}}\n[\n'
  const answers = await results(body, '?key=order.id')
  expect(answers.map(({ line, key, code }) => [line, key, code])).toEqual([
    [1, 'a\n1', 'ADULT'],
    [3, 7, 'ADULT'],
    [4, undefined, 'ADULT'],
    [5, undefined, 'error'],
  ])
})

test('the last line needs no line feed, and a stream may be empty', async () => {
  expect(await results('{"age": 18}')).toEqual([adult])
  expect(await results('')).toEqual([])
  expect(await results('\n\n')).toEqual([])
})

test.each([
  ['true', 'check -> yes'],
  ['false', undefined],
])('?trace=%s', async (trace, path) => {
  const [result] = await results('{"age": 18}', `?trace=${trace}`)
  expect((result?.['trace'] as { path: string } | undefined)?.path).toBe(path)
})

test('lines are assembled from any packets, even when split inside a character', async () => {
  const bytes = Buffer.from('{"age": 18, "name": "Zoë"}\n{"age": 18}\n')
  const stream = httpRequest(server.url + BATCH, { method: 'POST', headers: NDJSON })
  const answered = once(stream, 'response')
  for (const byte of bytes) {
    stream.write(new Uint8Array([byte]))
    await new Promise(setImmediate)
  }
  stream.end()
  const [response] = (await answered) as [IncomingMessage]
  const text = (await response.setEncoding('utf8').toArray()).join('')
  expect(text.match(/"ADULT"/g)).toHaveLength(2)
})

test('a client that waits for an answer before it sends the next line gets it', async () => {
  const stream = httpRequest(server.url + BATCH, { method: 'POST', headers: NDJSON })
  stream.write('{"age": 20}\n')
  const [response] = (await once(stream, 'response')) as [IncomingMessage]
  response.setEncoding('utf8')
  for (const [age, code] of [
    [20, 'ADULT'],
    [10, 'MINOR'],
    [30, 'ADULT'],
  ] as const) {
    const [answer] = (await once(response, 'data')) as [string]
    expect(JSON.parse(answer)).toMatchObject({ code })
    stream.write(`{"age": ${age === 20 ? 10 : 30}}\n`)
  }
  stream.destroy()
})

test('results come in the order of their inputs when some of them take longer', async () => {
  const inputs = Array.from({ length: 20_000 }, (_, index) => index % 36)
  const found = await results(inputs.map((age) => `{"age": ${age}}\n`).join(''))
  expect(found.map(({ code }) => code)).toEqual(inputs.map((age) => (age >= 18 ? 'ADULT' : 'MINOR')))
})

test('while a stream runs, others are served', async () => {
  const stream = httpRequest(server.url + BATCH, { method: 'POST', headers: NDJSON })
  const lines = '{"age": 20}\n'.repeat(100_000)
  stream.end(lines)
  const [response] = (await once(stream, 'response')) as [IncomingMessage]
  let text = ''
  const all = once(
    response.setEncoding('utf8').on('data', (part: string) => (text += part)),
    'end',
  )
  const reply = await server.post('/api/v1/execute/adult-check', { input: { age: 20 } })
  expect(reply.status).toBe(200)
  expect(text.match(/"ADULT"/g)?.length ?? 0).toBeLessThan(100_000)
  await all
  expect(text.match(/"ADULT"/g)).toHaveLength(100_000)
})
