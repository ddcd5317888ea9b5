import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type AnsweredRequest, isChunked, PlainAnswers } from './plain-answer.ts'

const NOON = Date.UTC(2026, 0, 1, 12)
beforeEach(() => void vi.useFakeTimers({ now: NOON }))
afterEach(() => void vi.useRealTimers())

const request = (more: Partial<AnsweredRequest> = {}): AnsweredRequest => ({ headers: {}, early: undefined, ...more })
const KEPT = 'Date: Thu, 01 Jan 2026 12:00:00 GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n'
const SECURITY = 'x-content-type-options: nosniff\r\ncache-control: no-store\r\n'
const TYPE = 'content-type: application/json; charset=utf-8\r\n'

test.each([
  ['{"a":1}', 7, true],
  ['{"a":"é"}', 10, false],
])('%s is answered with %i bytes', (body, length, isAscii) => {
  expect(new PlainAnswers(5000).textOf(request(), body, false)).toEqual({
    text: `HTTP/1.1 200 OK\r\n${SECURITY}${TYPE}content-length: ${length}\r\n${KEPT}${body}`,
    status: 200,
    isAscii,
  })
})

test('an answer that closes its connection says so, and announces no keep-alive', () => {
  const { text } = new PlainAnswers(5000).textOf(request(), '{}', true)
  expect(text.endsWith('connection: close\r\nDate: Thu, 01 Jan 2026 12:00:00 GMT\r\n\r\n{}')).toBe(true)
  expect(text).not.toContain('keep-alive')
})

test('whole answers and early headers are written with the status of the answer', () => {
  const early = { 'x-request-id': 'r1' }
  const answers = new PlainAnswers(5000)
  expect(answers.textOf(request({ early }), '{}', false).text).toBe(
    `HTTP/1.1 200 OK\r\nx-request-id: r1\r\n${SECURITY}${TYPE}content-length: 2\r\n${KEPT}{}`,
  )
  expect(answers.textOf(request(), { status: 404, body: 'ä' }, false)).toEqual({
    text: `HTTP/1.1 404 Not Found\r\n${SECURITY}${TYPE}content-length: 2\r\n${KEPT}ä`,
    status: 404,
    isAscii: false,
  })
})

test.each([
  [undefined, 'r2'],
  [{ 'x-request-id': 'r1' }, 'r1'],
])('a problem names the request by its early header %j, or by its own: %s', (early, id) => {
  const headers = { accept: 'application/problem+json', 'x-request-id': 'r2' }
  const answer = { status: 404, body: '{"error":"no"}', errorCode: 'X' }
  const { text } = new PlainAnswers(5000).textOf({ headers, early }, answer, false)
  expect(text).toContain(`"instance":"${id}"`)
})

test('the date follows the clock by the second', () => {
  const answers = new PlainAnswers(5000)
  const dates = [0, 999, 1000, 61_000].map((after) => {
    vi.setSystemTime(NOON + after)
    return /Date: .*(\d\d:\d\d:\d\d)/.exec(answers.textOf(request(), '{}', false).text)?.[1]
  })
  expect(dates).toEqual(['12:00:00', '12:00:00', '12:00:01', '12:01:01'])
})

test.each<[status: number, headers: Record<string, string>, isSent: boolean]>([
  [200, {}, true],
  [200, { 'content-length': '0' }, false],
  [204, {}, false],
  [304, {}, false],
  [404, {}, true],
])('a whole answer %i with %j is sent in chunks: %s', (status, headers, isSent) => {
  expect(isChunked({ status, headers, content: Buffer.of() })).toBe(isSent)
})
