import { expect, test } from 'vitest'
import { createLog } from './log.ts'

/** The text that a log writes. */
function written(log: (target: ReturnType<typeof createLog>) => void, worker?: number): string {
  const text: string[] = []
  const identity = { level: 'debug', service: 'engine-server', instance: 'i1', format: 'text' } as const
  log(
    createLog({ ...identity, ...(worker === undefined ? {} : { worker }) }, { write: (line) => void text.push(line) }),
  )
  return text.join('').replaceAll(/^\d\d:\d\d:\d\d\.\d{3}Z/gm, 'TIME')
}

test.each<[what: string, fields: object, message: string, line: string]>([
  ['fields as pairs', { port: 8080, url: 'http://a' }, 'listening', 'listening  port=8080 url=http://a'],
  ['no fields', {}, 'stopped', 'stopped'],
  ['a text with a space or quotes as JSON', { a: 'x y', b: '"', c: '' }, 'm', String.raw`m  a="x y" b="\"" c=""`],
  ['a text that would look like a pair as JSON', { a: 'b=c' }, 'm', 'm  a="b=c"'],
  ['objects and lists as JSON', { a: { b: [1, null] } }, 'm', 'm  a={"b":[1,null]}'],
  ['line breaks as escapes', { a: 'x\nTIME info' }, 'b\r\nc', String.raw`b\u000d\u000ac  a="x\nTIME info"`],
  ['what moves a cursor as escapes', { a: '\u001B[2J\u009B1m' }, '\u001B[H', String.raw`\u001b[H  a=\u001b[2J\u009b1m`],
  ['what reverses text as escapes', { a: '\u202Eabc' }, 'm', String.raw`m  a=\u202eabc`],
  ['what isolates text as escapes', { a: '\u2066abc\u2069' }, '\u200E', String.raw`\u200e  a=\u2066abc\u2069`],
  ['names as values', { 'a b': 1 }, 'm', 'm  "a b"=1'],
])('%s', (_, fields, message, line) => {
  expect(written((log) => log.info(fields, message))).toBe(`TIME info  engine-server: ${line}\n`)
})

test('an error has its stack below the line', () => {
  const err = new Error('no\u001B[2J')
  err.stack = 'Error: no\u001B[2J\n    at place'
  expect(written((log) => log.error({ err, id: 1 }, 'failed'))).toBe(
    'TIME error engine-server: failed  id=1\n    Error: no\\u001b[2J\n        at place\n',
  )
})

test('a worker is named', () => {
  expect(written((log) => log.warn({}, 'm'), 2)).toBe('TIME warn  engine-server: m  worker=2\n')
})

test('the level has its color on a terminal, unless NO_COLOR is set', () => {
  const line = (environment: Readonly<Record<string, string>>) => {
    const text: string[] = []
    const terminal = { isTTY: true, write: (one: string) => void text.push(one) }
    createLog({ level: 'info', service: 's', instance: 'i' }, terminal, environment).info({}, 'm')
    return text.join('').slice('00:00:00.000Z'.length)
  }
  expect(line({})).toBe(' \u001B[32minfo \u001B[39m s: m\n')
  expect(line({ NO_COLOR: '1' })).toBe(' info  s: m\n')
  expect(line({ NO_COLOR: '' })).toBe(line({}))
})

test.each([
  ['auto', true, 'text'],
  ['auto', false, 'JSON'],
  ['json', true, 'JSON'],
  ['text', false, 'text'],
  [undefined, true, 'text'],
  [undefined, false, 'JSON'],
] as const)('format %s, on a terminal: %s: %s', (format, isTTY, expected) => {
  const text: string[] = []
  const options = { level: 'info', service: 's', instance: 'i', ...(format === undefined ? {} : { format }) } as const
  createLog(options, { isTTY, write: (line: string) => void text.push(line) }, { NO_COLOR: '1' }).info({}, 'm')
  expect(text.join('').startsWith('{') ? 'JSON' : 'text').toBe(expected)
})
