import { HttpError } from '@engine/http-server'
import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, test } from 'vitest'
import { answeredHeaders, forwardedHeaders, headerOf, refusalOfAnswer } from './headers.ts'

const JSON_BODY = { headers: [], bodies: ['application/json'] } as const
const NO_BODY = { headers: ['if-none-match'], bodies: [] } as const
const LINES = { headers: [], bodies: ['application/json', 'application/x-ndjson', 'text/csv'] } as const
const TRACE = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`

describe('headers of a caller that reach an engine', () => {
  test.each<[string, IncomingHttpHeaders, Record<string, string>]>([
    ['none', {}, {}],
    ['a trace', { traceparent: TRACE, tracestate: 'a=b' }, { traceparent: TRACE, tracestate: 'a=b' }],
    ['a trace of another form', { traceparent: `${TRACE}x`, tracestate: 'ä' }, {}],
    ['codings', { 'accept-encoding': 'gzip, zstd;q=0.5, *' }, { 'accept-encoding': 'gzip, zstd;q=0.5, *' }],
    ['codings of another form', { 'accept-encoding': 'gzip\0' }, {}],
    ['a condition that the route names', { 'if-none-match': '"a"' }, { 'if-none-match': '"a"' }],
    ['a condition that the route does not name', { 'if-match': '"a"' }, {}],
    ['the hops', { 'x-engine-hops': '3' }, { 'x-engine-hops': '3' }],
  ])('%s', (_, headers, sent) => expect(forwardedHeaders(NO_BODY, headers)).toEqual(sent))

  test.each([
    'authorization',
    'cookie',
    'connection',
    'forwarded',
    'host',
    'keep-alive',
    'te',
    'upgrade',
    'x-engine-report',
    'x-environment',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-real-ip',
    'x-registration-secret',
    'x-ruleset',
    'x-tenant-id',
    'x-anything',
  ])('are not: %s', (name) => {
    expect(forwardedHeaders(NO_BODY, { [name]: '1' })).toEqual({})
    expect(Object.keys(forwardedHeaders(JSON_BODY, { [name]: '1', 'content-type': 'application/json' }))).not.toContain(
      name,
    )
  })

  test.each([['-1'], ['1.5'], ['12345'], ['x'], ['']])('hops of another form are refused: %j', (hops) => {
    expect(() => forwardedHeaders(NO_BODY, { 'x-engine-hops': hops })).toThrow(HttpError)
  })
})

describe('a body is forwarded in one form', () => {
  const type = 'application/json'
  test.each<[string, typeof JSON_BODY | typeof LINES, IncomingHttpHeaders, Record<string, string>]>([
    ['JSON', JSON_BODY, { 'content-type': 'Application/JSON; charset=UTF-8' }, { 'content-type': type }],
    ['lines of JSON', LINES, { 'content-type': 'application/x-ndjson' }, { 'content-type': 'application/x-ndjson' }],
    ['CSV', LINES, { 'content-type': 'text/csv; charset=utf-8; header=present' }, { 'content-type': 'text/csv' }],
    [
      'lines of JSON for an answer in CSV',
      LINES,
      { 'content-type': 'application/x-ndjson', accept: 'text/csv, */*' },
      { 'content-type': 'application/x-ndjson', accept: 'text/csv' },
    ],
    [
      'CSV for an answer of another type',
      LINES,
      { 'content-type': 'text/csv', accept: 'text/html' },
      { 'content-type': 'text/csv' },
    ],
    [
      'with its length',
      JSON_BODY,
      { 'content-type': type, 'content-length': '7' },
      { 'content-type': type, 'content-length': '7' },
    ],
    [
      'in chunks, without a length',
      JSON_BODY,
      { 'content-type': type, 'content-length': '7', 'transfer-encoding': 'chunked' },
      { 'content-type': type },
    ],
    [
      'with its coding',
      JSON_BODY,
      { 'content-type': type, 'content-encoding': ' GZIP ' },
      { 'content-type': type, 'content-encoding': 'gzip' },
    ],
  ])('%s', (_, route, headers, sent) => expect(forwardedHeaders(route, headers)).toEqual(sent))

  test.each([
    ['text', JSON_BODY, { 'content-type': 'text/plain' }],
    ['lines where the route takes one value', JSON_BODY, { 'content-type': 'application/x-ndjson' }],
    ['another coding', JSON_BODY, { 'content-type': type, 'content-encoding': 'br' }],
    ['lines of another coding', LINES, { 'content-type': 'application/x-ndjson', 'content-encoding': 'br' }],
  ])('%s is refused', (_, route, headers) => expect(() => forwardedHeaders(route, headers)).toThrow(HttpError))
})

describe('headers of an answer that reach the caller', () => {
  const digest = 'a'.repeat(64)
  const answered = (headers: IncomingHttpHeaders, wantsReport = false) => {
    const { 'content-type': type, ...others } = answeredHeaders(headers, wantsReport, {})
    const names = [
      'content-length',
      'content-encoding',
      'retry-after',
      'etag',
      'x-next-cursor',
      'x-ruleset-digest',
      'x-result-code',
    ]
    return { type, ...Object.fromEntries(Object.entries(others).filter(([name]) => names.includes(name))) }
  }

  test.each<[string, IncomingHttpHeaders, object]>([
    ['the length', { 'content-length': '12' }, { 'content-length': '12' }],
    ['the tag', { etag: 'W/"a"' }, { etag: 'W/"a"' }],
    ['the pause', { 'retry-after': '3' }, { 'retry-after': '3' }],
    ['the cursor', { 'x-next-cursor': 'a.b-c' }, { 'x-next-cursor': 'a.b-c' }],
    ['a length of another form', { 'content-length': '-1' }, {}],
    ['a tag of another form', { etag: 'a"b' }, {}],
    ['unknown headers', { 'set-cookie': ['a=b'], server: 'x', location: '/', 'access-control-allow-origin': '*' }, {}],
  ])('%s', (_, headers, kept) => expect(answered(headers)).toEqual({ type: undefined, ...kept }))

  test('name the deciding version only where the caller requests it', () => {
    const report = { 'x-ruleset-digest': digest, 'x-result-code': 'OK%20' }
    expect(answered(report)).toEqual({ type: undefined })
    expect(answered(report, true)).toEqual({ type: undefined, ...report })
    expect(answered({ 'x-ruleset-digest': 'A'.repeat(64), 'x-result-code': 'a b' }, true)).toEqual({ type: undefined })
  })

  test('those of the platform come last', () => {
    expect(answeredHeaders({ etag: '"a"' }, false, { etag: '"b"' })).toMatchObject({ etag: '"b"' })
  })

  test.each([
    ['application/json', 'application/json'],
    ['Application/JSON', 'application/json'],
    ['application/json; charset=UTF-8', 'application/json; charset=utf-8'],
    ['text/plain; charset=iso-8859-1', undefined],
    ['text/html', undefined],
    ['image/svg+xml', undefined],
  ])('the content type %s as %s', (given, type) => {
    const found = answered({ 'content-type': given }).type
    if (type === undefined) expect(found ?? 'text/plain').toBe('text/plain')
    else expect(found).toBe(type)
  })
})

test.each<[number, Record<string, string>, string | undefined]>([
  [200, { 'content-type': 'application/json' }, undefined],
  [404, { 'content-type': 'application/problem+json' }, undefined],
  [204, {}, undefined],
  [304, {}, undefined],
  [200, { 'content-length': '0' }, undefined],
  [301, { 'content-type': 'application/json' }, 'redirect'],
  [101, { 'content-type': 'application/json' }, 'the status 101'],
  [600, { 'content-type': 'application/json' }, 'the status 600'],
  [200, { 'content-type': 'text/html' }, '`text/html`'],
  [200, {}, 'without one content type'],
])('an answer %d with %j: %s', (status, headers, refusal) => {
  const found = refusalOfAnswer(status, headers)
  if (refusal === undefined) expect(found).toBeUndefined()
  else expect(found).toContain(refusal)
})

test('a header counts if it occurs once and is not empty', () => {
  expect(headerOf({ headers: { 'x-a': '1' } }, 'x-a')).toBe('1')
  expect(headerOf({ headers: { 'x-a': '' } }, 'x-a')).toBeUndefined()
  expect(headerOf({ headers: { 'x-a': ['1', '2'] } }, 'x-a')).toBeUndefined()
  expect(headerOf({ headers: {} }, 'x-a')).toBeUndefined()
})
