import { describe, expect, test } from 'vitest'
import { inAcceptedForm } from './problem-details.ts'

const ANSWER = {
  status: 400,
  errorCode: 'BAD_REQUEST',
  body: '{"error":"`/input` is missing","code":"BAD_REQUEST","details":[{"path":"/input","message":"is missing"}]}',
  headers: { allow: 'GET' },
}

describe('an error is a problem where `accept` names it and does not prefer JSON', () => {
  test.each([
    ['application/problem+json', true],
    ['Application/Problem+JSON', true],
    ['application/json, application/problem+json', true],
    ['application/json;q=0.5, application/problem+json;q=0.5', true],
    ['application/problem+json;q=0.1, */*', true],
    ['text/html;level=1, application/problem+json ; q=1', true],
    ['application/json, application/problem+json;q=0.9', false],
    ['application/problem+json;q=0', false],
    ['application/json', false],
    ['*/*', false],
    ['application/*', false],
    ['application/problem+xml', false],
    ['application/problem+json-seq', false],
    ['application/problem+json;q=0.5;q=0.9, application/json;q=0.6', false],
    ['', false],
    [undefined, false],
  ])('%s: %s', (accept, isProblem) => {
    const answer = inAcceptedForm(ANSWER, { accept }, 'r1')
    expect(answer.headers).toEqual({ allow: 'GET', vary: 'accept' })
    if (!isProblem) return expect(answer).toMatchObject({ ...ANSWER, headers: expect.anything() })
    expect(answer.type).toBe('application/problem+json')
    expect(JSON.parse(String(answer.body))).toEqual({
      type: '/docs/errors#BAD_REQUEST',
      title: 'Bad Request',
      status: 400,
      detail: '`/input` is missing',
      instance: 'r1',
      code: 'BAD_REQUEST',
      details: [{ path: '/input', message: 'is missing' }],
    })
  })
})

const PROBLEM = { accept: 'application/problem+json' }

test('a refusal with a form of its own gives its reason, and keeps its other members', () => {
  const body = '{"error":"read_only","message":"send changes to the writer","writer":"w:1"}'
  const answer = inAcceptedForm({ status: 409, errorCode: 'CONFLICT', body }, PROBLEM, undefined)
  expect(JSON.parse(String(answer.body))).toEqual({
    type: '/docs/errors#CONFLICT',
    title: 'Conflict',
    status: 409,
    detail: 'send changes to the writer',
    code: 'CONFLICT',
    writer: 'w:1',
  })
})

test('pages of other origins vary by their origin as well', () => {
  expect(inAcceptedForm(ANSWER, { origin: 'https://a.example' }, undefined).headers?.['vary']).toBe('accept, origin')
})

test('an answer that is not an error is unchanged', () => {
  const answer = { status: 503, body: '{"status":"unhealthy"}' }
  expect(inAcceptedForm(answer, PROBLEM, undefined)).toBe(answer)
})

test('integers keep their digits', () => {
  const body = '{"error":"no","line":9007199254740993}'
  const answer = inAcceptedForm({ status: 400, errorCode: 'X', body }, PROBLEM, undefined)
  expect(answer.body).toContain('"line":9007199254740993,')
})
