import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text as bodyOf } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'csv-parse/sync'
import { casesOfProperty } from '../cases.testing.ts'
import { startServer, type TestServer } from './server.testing.ts'

/** Outputs the type and the value of `value`. */
const ECHO = {
  config: { name: 'echo', version: '1.0.0', entry_step: 'has' },
  steps: {
    has: {
      id: 'has',
      type: 'decision',
      branches: [{ condition: 'exists(value)', next_step: 'found' }],
      default_next: 'none',
    },
    found: {
      id: 'found',
      type: 'terminal',
      result: {
        code: 'FOUND',
        message: 'a, "b"',
        output: [
          ['type', 'type(value)'],
          ['value', 'value'],
        ],
      },
    },
    none: { id: 'none', type: 'terminal', result: { code: 'NONE', message: '', rest: [1, 'x'] } },
  },
}

let server: TestServer
beforeAll(async () => {
  server = await startServer('--max-request-body-bytes', '65536')
  const stored = await server.post('/api/v1/rulesets', ECHO)
  if (stored.status !== 201 && stored.status !== 200) throw new Error(stored.text)
})
afterAll(() => server.stop())

const BATCH = '/api/v1/execute/echo/batch'
const send = (body: string | Uint8Array, path = BATCH, headers: Record<string, string> = {}) =>
  server.request('POST', path, { body, headers: { 'content-type': 'text/csv', ...headers } })

const results = async (body: string | Uint8Array, query = '', headers: Record<string, string> = {}) => {
  const { text } = await send(body, `${BATCH}${query}`, headers)
  return text
    .trimEnd()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(line) as {
          code: string
          output: Record<string, unknown>
          line: number
          key?: unknown
          error?: string
        },
    )
}

describe('a batch of CSV', () => {
  test.each<[cell: string, output: object]>([
    ['5', { type: 'number', value: 5 }],
    ['-1.5e2', { type: 'number', value: -150 }],
    ['0.5', { type: 'number', value: 0.5 }],
    ['true', { type: 'boolean', value: true }],
    ['007', { type: 'string', value: '007' }],
    ['"5"', { type: 'string', value: '5' }],
    ['"true"', { type: 'string', value: 'true' }],
    ['""', { type: 'string', value: '' }],
    ['NO', { type: 'string', value: 'NO' }],
    ['"a ""b"",\nc"', { type: 'string', value: 'a "b",\nc' }],
    ['ä€😀', { type: 'string', value: 'ä€😀' }],
  ])('reads the cell %s', async (cell, output) => {
    expect(await results(`id,value\nx,${cell}\n`)).toEqual([
      expect.objectContaining({ code: 'FOUND', output, line: 1 + cell.split('\n').length }),
    ])
  })

  test('an empty cell is absent', async () => {
    expect(await results('id,value\nx,\n')).toEqual([expect.objectContaining({ code: 'NONE', line: 2 })])
  })

  test.each([
    ['semicolons', 'id;value\n1;2,5\n', { type: 'string', value: '2,5' }],
    ['tabs', 'id\tvalue\n1\t2\n', { type: 'number', value: 2 }],
    ['members of objects', 'value.a,value.b\n1,x\n', { type: 'object', value: { a: 1, b: 'x' } }],
    ['CRLF, a byte order mark and no end', '\uFEFFvalue\r\n3', { type: 'number', value: 3 }],
    [
      'a member named __proto__',
      'value.__proto__\n1\n',
      { type: 'object', value: JSON.parse('{"__proto__":1}') as unknown },
    ],
  ])('reads %s', async (_, body, output) => {
    expect(await results(body)).toMatchObject([{ code: 'FOUND', output }])
  })

  test('blank lines are counted, records that cannot be read fail alone, keys are repeated', async () => {
    const read = await results('id,value\n\nx,1\na,b,c\ny,"2"z\nw,3\n', '?key=id')
    expect(read.map(({ line, code, key, error }) => [line, code, key, error])).toEqual([
      [3, 'FOUND', 'x', undefined],
      [4, 'error', undefined, 'line 4: the line has 3 cells, the header 2'],
      [5, 'error', undefined, expect.stringMatching(/^line 5 is not CSV: /)],
      [6, 'FOUND', 'w', undefined],
    ])
  })

  test('a quote without its end takes the rest, and fails', async () => {
    const read = await results('value\n1\n"2\n3\n')
    expect(read.map(({ line, code }) => [line, code])).toEqual([
      [2, 'FOUND'],
      [5, 'error'],
    ])
  })

  test('a record of more than a body may have fails, the next is decided', async () => {
    const read = await results(`value\n"${'x'.repeat(70_000)}"\n1\n`)
    expect(read.map(({ line, code, error }) => [line, code, error])).toEqual([
      [2, 'error', 'this line is longer than 65536 bytes (--max-request-body-bytes)'],
      [3, 'FOUND', undefined],
    ])
  })

  test('compressed, and not UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('value\n'), Buffer.from([0xff]), Buffer.from('\n2\n')])
    const read = await results(gzipSync(body), '', { 'content-encoding': 'gzip' })
    expect(read.map(({ error, output }) => error ?? output)).toEqual([
      'line 2 is not valid UTF-8',
      { type: 'number', value: 2 },
    ])
  })

  test('as many records as a client sends', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => `${index},"r ${index}\n"\n`).join('')
    const read = await results(`value,note\n${rows}`, '?key=value')
    expect(read).toHaveLength(20_000)
    expect(read.at(-1)).toMatchObject({ key: 19_999, line: 40_001, output: { type: 'number', value: 19_999 } })
  })

  test.each([
    ['nothing', '', /it has no header: the first line names the fields/],
    ['blank lines', '\n\r\n', /it has no header/],
    ['a repeated name', 'a,a\n1,2\n', /the header names `a` twice/],
    ['an empty name', 'a,\n1,2\n', /column 2 of the header names no field/],
    ['a field and its member', 'a,a.b\n1,2\n', /the columns `a` and `a\.b` contradict each other/],
    ['a deep name', `${'a.'.repeat(200)}b\n1\n`, /nested more than 128 levels deep/],
    ['too many names', `${'a,'.repeat(20_000)}a\n1\n`, /the header has 20001 columns; at most 16384 are read/],
    ['an open quote', '"a\n1\n', /line 1 is not CSV: /],
  ])('a header is refused as a whole: %s', async (_, body, message) => {
    const { status, body: refused } = await send(body)
    expect([status, refused.code]).toEqual([400, 'BAD_REQUEST'])
    expect(refused.error).toMatch(message)
  })

  test('a refused header keeps the connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    const ports = new Set<number | undefined>()
    for (let count = 0; count < 3; count++) {
      const sent = request(server.url + BATCH, { agent, method: 'POST', headers: { 'content-type': 'text/csv' } })
      sent.end(`a,a\n${'1,2\n'.repeat(2000)}`)
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      ports.add(sent.socket?.localPort)
      expect([answer.statusCode, answer.headers.connection]).toEqual([400, 'keep-alive'])
      await bodyOf(answer)
    }
    expect(ports.size).toBe(1)
  })

  test('of a missing ruleset is 404 with the name that was meant', async () => {
    const { status, body } = await send('value\n1\n', '/api/v1/execute/ecko/batch')
    expect([status, body.error]).toEqual([404, 'ruleset `ecko` not found: did you mean `echo`?'])
  })
})

describe('answers as CSV', () => {
  const CSV = { accept: 'text/csv' }
  test('have a column for each member of outputs', async () => {
    const { status, headers, text } = await send('id,value\nx,1\ny,\nz,"7"\nw\n', `${BATCH}?key=id`, CSV)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present'])
    expect(text.split('\r\n')).toEqual([
      'line,key,code,message,output.type,output.value,output.rest,error',
      '2,x,FOUND,"a, ""b""",number,1,,',
      '3,y,NONE,"",,,"[1,""x""]",',
      '4,z,FOUND,"a, ""b""",string,"7",,',
      '5,,error,"line 5: the line has 1 cells, the header 2",,,,"line 5: the line has 1 cells, the header 2"',
      '',
    ])
  })

  test('are those to NDJSON too', async () => {
    const headers = { 'content-type': 'application/x-ndjson', ...CSV }
    const { text } = await send('{"value": "x"}\n{"a": \n', BATCH, headers)
    expect(text.split('\r\n').slice(0, 2)).toEqual([
      'line,code,message,output.type,output.value,output.rest,error',
      '1,FOUND,"a, ""b""",string,x,,',
    ])
    expect(text).toMatch(/^2,error,"?line 2: /m)
  })

  test.each(['trace', 'receipt'])('have no %s', async (name) => {
    const { status, body } = await send('value\n1\n', `${BATCH}?${name}=true`, CSV)
    expect([status, body.error]).toEqual([400, expect.stringContaining('needs answers in NDJSON')])
  })

  test('read by a CSV parser hold the values that were sent', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !text.includes('\u0000')),
      fc.constantFrom('=1+1', ' x', 'x ', 'a;b', 'a\tb', '"', '\n', '\r', '\r\n', 'true', '1', '-0', '1e5', '007'),
    )
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
    await fc.assert(
      fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 8 }), async (cells) => {
        const body = `id,value\n${cells.map((text) => `${randomUUID()},${quoted(text)}\n`).join('')}`
        const { text } = await send(body, BATCH, CSV)
        const rows = parse(text, { columns: true, record_delimiter: '\r\n' }) as readonly Record<string, string>[]
        expect(rows.map((row) => [row['output.type'], row['output.value']])).toEqual(
          cells.map((value) => ['string', value]),
        )
      }),
      casesOfProperty(200),
    )
  })
})
