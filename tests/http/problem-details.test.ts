import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from './server.testing.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer('--ofrep', 'all', '--cors-origin', '*')
})
afterAll(() => server.stop())

const ACCEPT = { accept: 'application/problem+json' }

test.each<[method: string, path: string, body: string | undefined, status: number, code: string]>([
  ['POST', '/api/v1/execute/none', '{"input":{}}', 404, 'NOT_FOUND'],
  ['POST', '/api/v1/execute/none', '{', 400, 'BAD_REQUEST'],
  ['POST', '/api/v1/rulesets', '{}', 400, 'BAD_REQUEST'],
  ['GET', '/api/v1/rulesets/none', undefined, 404, 'NOT_FOUND'],
  ['GET', '/nowhere', undefined, 404, 'NOT_FOUND'],
  ['PATCH', '/api/v1/rulesets', undefined, 405, 'METHOD_NOT_ALLOWED'],
])('%s %s %s is a problem', async (method, path, body, status, code) => {
  const headers = { ...ACCEPT, 'content-type': 'application/json', 'x-request-id': 'r-1' }
  const reply = await fetch(`${server.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  expect([reply.status, reply.headers.get('content-type'), reply.headers.get('vary')]).toEqual([
    status,
    'application/problem+json',
    'accept',
  ])
  expect(await reply.json()).toMatchObject({
    type: `/docs/errors#${code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    instance: 'r-1',
    code,
  })
})

test('OFREP keeps its errors', async () => {
  const { headers, body } = await server.post('/ofrep/v1/evaluate/flags/none', '{}', ACCEPT)
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(body.errorCode).toBe('FLAG_NOT_FOUND')
})

test('the page of errors has each code of the description at its fragment', async () => {
  const { text, headers } = await server.request('GET', '/docs/errors')
  expect(headers.get('content-type')).toContain('text/html')
  for (const code of ['BAD_REQUEST', 'NOT_FOUND', 'INTERNAL_ERROR']) expect(text).toContain(`<h2 id="${code}">`)
})
