import { HttpError } from '@engine/http-server'
import { expect, test } from 'vitest'
import { failedCommit } from '../database/availability.ts'
import { asResponseError, PlatformError, type ResponseError } from '../errors.ts'
import { failure } from './error-mapping.ts'
import { JsonText } from './json-response.ts'

test.each<[ResponseError['code'], number, string]>([
  ['invalid-request', 400, 'BAD_REQUEST'],
  ['unauthorized', 401, 'UNAUTHORIZED'],
  ['forbidden', 403, 'FORBIDDEN'],
  ['not-found', 404, 'NOT_FOUND'],
  ['method-not-allowed', 405, 'METHOD_NOT_ALLOWED'],
  ['late-request', 408, 'TIMEOUT'],
  ['conflict', 409, 'CONFLICT'],
  ['precondition-failed', 409, 'CONFLICT'],
  ['payload-too-large', 413, 'PAYLOAD_TOO_LARGE'],
  ['unsupported-media-type', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['expectation-failed', 417, 'BAD_REQUEST'],
  ['too-many-requests', 429, 'TOO_MANY_REQUESTS'],
  ['headers-too-large', 431, 'BAD_REQUEST'],
  ['defect', 500, 'INTERNAL_ERROR'],
  ['method-unknown', 501, 'NOT_IMPLEMENTED'],
  ['bad-gateway', 502, 'BAD_GATEWAY'],
  ['unavailable', 503, 'UNAVAILABLE'],
  ['overloaded', 503, 'UNAVAILABLE'],
  ['timeout', 504, 'TIMEOUT'],
])('%s is %i %s', (code, status, shown) => {
  const answer = failure(new PlatformError(code as PlatformError['code'], 'why'), 'r1')
  expect(answer.status).toBe(status)
  expect(JSON.parse(String(answer.body))).toEqual({ error: 'why', code: shown, request_id: 'r1' })
})

const bodyOf = (error: ResponseError) => JSON.parse(String(failure(error, 'r1').body))

test('a conflict has the state that it contradicts, as a value or as text', () => {
  const conflict = (current: unknown) => bodyOf(new PlatformError('conflict', 'stale', { current })).current
  expect(conflict({ seq: 3 })).toEqual({ seq: 3 })
  expect(conflict(new JsonText('{"seq":3}'))).toEqual({ seq: 3 })
  expect(conflict(null)).toBeNull()
  expect(conflict(undefined)).toBeUndefined()
})

test('details, headers and the time to try again are those of the error', () => {
  const details = [{ path: '/name', message: 'is missing', code: 'required' }]
  expect(bodyOf(new PlatformError('conflict', 'stale', { details })).details).toEqual(details)
  const { headers } = failure(new PlatformError('unavailable', 'away', { retryAfterSeconds: 7 }), 'r1')
  expect(headers).toMatchObject({ 'retry-after': '7' })
  expect(failure(new PlatformError('unauthorized', 'who?'), 'r1').headers).toMatchObject({
    'www-authenticate': 'Bearer',
  })
})

const coded = (code: string, message = 'secret') => Object.assign(new Error(message), { code })

test.each<[string, unknown, string, string, number | undefined]>([
  ['an error of the platform', new PlatformError('forbidden', 'no'), 'forbidden', 'no', undefined],
  ['an error of HTTP', new HttpError('not-found', 'gone'), 'not-found', 'gone', undefined],
  ['a race', coded('40001'), 'unavailable', 'other changes were made at the same time', 1],
  ['a database that is away', coded('ECONNREFUSED'), 'unavailable', 'the database does not answer', 1],
  ['a database that breaks off a write', coded('EPIPE'), 'unavailable', 'the database does not answer', 1],
  ['a database without a free connection', coded('53300'), 'unavailable', 'max_connections', 1],
  ['a commit without an answer', failedCommit(coded('ECONNRESET')), 'unavailable', 'it is unknown whether', 1],
  ['a full disk', coded('53100', 'could not extend file'), 'unavailable', 'the database cannot store the change', 10],
  ['anything else', new TypeError('secret'), 'defect', 'internal error', undefined],
  ['no error', 'secret', 'defect', 'internal error', undefined],
])('%s becomes an answer', (_title, thrown, code, message, retryAfterSeconds) => {
  const error = asResponseError(thrown)
  expect(error).toMatchObject({ code, retryAfterSeconds })
  expect(error.message).toContain(message)
  expect(error.message).not.toContain('secret')
})

test('an unknown outcome of a commit has a code of its own', () => {
  expect(bodyOf(asResponseError(failedCommit(coded('ECONNRESET')))).details).toMatchObject([
    { code: 'outcome_unknown' },
  ])
})
