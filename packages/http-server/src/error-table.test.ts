import { expect, test } from 'vitest'
import { type AnsweredError, errorAnswers, type ErrorRows } from './error-table.ts'
import { httpErrors, HttpError } from './http-error.ts'

const http = { status: 400, code: 'HTTP' }
const ROWS: ErrorRows<'lost'> = {
  'invalid-request': http,
  'not-found': http,
  'method-not-allowed': { status: 405, code: 'METHOD' },
  'method-unknown': http,
  'late-request': http,
  'precondition-failed': http,
  'payload-too-large': http,
  'unsupported-media-type': { status: 415, code: 'TYPE', headers: { accept: 'text/csv' } },
  'expectation-failed': http,
  'headers-too-large': http,
  timeout: http,
  overloaded: { status: 503, code: 'BUSY', headers: { 'x-row': '1' } },
  lost: { status: 410, code: 'GONE' },
}

test.each<
  [error: AnsweredError<'lost' | keyof typeof ROWS>, status: number, body: object, headers: object | undefined]
>([
  [{ code: 'lost', message: 'gone' }, 410, { error: 'gone', code: 'GONE' }, undefined],
  [
    { code: 'lost', message: 'gone', details: [{ path: '/a' }] },
    410,
    { error: 'gone', code: 'GONE', details: [{ path: '/a' }] },
    undefined,
  ],
  [
    new HttpError('method-not-allowed', 'm', { allow: ['GET', 'HEAD'] }),
    405,
    { error: 'm', code: 'METHOD' },
    { allow: 'GET, HEAD' },
  ],
  [new HttpError('unsupported-media-type', 't'), 415, { error: 't', code: 'TYPE' }, { accept: 'text/csv' }],
  [
    new HttpError('unsupported-media-type', 't', { headers: { 'accept-encoding': 'gzip' } }),
    415,
    { error: 't', code: 'TYPE' },
    { accept: 'text/csv', 'accept-encoding': 'gzip' },
  ],
  [
    new HttpError('unsupported-media-type', 't', { headers: { accept: 'text/plain' } }),
    415,
    { error: 't', code: 'TYPE' },
    { accept: 'text/plain' },
  ],
  [
    httpErrors.tooManyBodies(),
    503,
    { error: expect.stringContaining('--max-unread-body-bytes'), code: 'BUSY' },
    { 'x-row': '1', 'retry-after': '1' },
  ],
])('%s', (error, status, body, headers) => {
  const answer = errorAnswers<typeof error>(ROWS)(error)
  expect([answer.status, JSON.parse(String(answer.body)), answer.headers]).toEqual([status, body, headers])
  expect(answer.errorCode).toBe(ROWS[error.code].code)
})

test('a server adds to the common body, or leaves it', () => {
  const answers = errorAnswers<AnsweredError<'lost'>>(ROWS, ({ message }, common) =>
    message === 'plain' ? undefined : { ...common, id: 7 },
  )
  const bodyOf = (message: string) => JSON.parse(String(answers({ code: 'lost', message }).body))
  expect(bodyOf('plain')).toEqual({ error: 'plain', code: 'GONE' })
  expect(bodyOf('other')).toEqual({ error: 'other', code: 'GONE', id: 7 })
})

test.each([
  [httpErrors.tooLarge(10), 'payload-too-large', '10 bytes (--max-request-body-bytes)'],
  [httpErrors.lateRequest(3), 'late-request', 'within 3 s (--request-timeout-secs)'],
  [httpErrors.timedOut(3), 'timeout', 'within 3 s (--request-timeout-secs)'],
  [httpErrors.notText(), 'invalid-request', 'not valid UTF-8'],
  [httpErrors.badUrl('/%'), 'invalid-request', '`/%`'],
  [httpErrors.badUrl(), 'invalid-request', '``'],
])('%s', (error, code, words) => {
  expect([error.code, error.message]).toEqual([code, expect.stringContaining(words)])
})

test('a body with too many values is too large; any other fault of JSON is a bad request', () => {
  const problem = { message: 'no', line: 2, column: 3 }
  const errorOf = (code: string) => httpErrors.notJson({ ...problem, code } as Parameters<typeof httpErrors.notJson>[0])
  expect(errorOf('too-many-values')).toMatchObject({
    code: 'payload-too-large',
    details: [{ path: '', ...problem, code: 'too-many-values' }],
  })
  expect(errorOf('unexpected')).toMatchObject({
    code: 'invalid-request',
    details: [{ path: '', ...problem, code: 'unexpected' }],
  })
})
