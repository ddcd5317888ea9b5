import { BASE } from './loaded-client.testing.ts'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { call, upload } from './client.ts'
import { ApiError } from './errors.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** Answers the next requests, and records them. */
function answering(respond: () => Response | Promise<Response>) {
  const sent = vi.fn<(address: string, options: RequestInit) => Promise<Response>>(() => Promise.resolve(respond()))
  vi.stubGlobal('fetch', sent)
  return sent
}

const json = (text: string, status = 200, headers = {}) => new Response(text, { status, headers })

/** A response whose connection ends within the body. */
const cut = (error: unknown, status = 200) =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"items"'))
        controller.error(error)
      },
    }),
    { status },
  )

const PROJECTS = '/api/v1/orgs/{oid}/projects'
const RULESETS = `${PROJECTS}/{pid}/rulesets` as const

describe('a request', () => {
  test.each<[name: string, query: object, end: string]>([
    ['no query', {}, ''],
    ['a query', { limit: 5, q: 'a b&c' }, '?limit=5&q=a+b%26c'],
    ['an empty parameter', { q: '', cursor: undefined, limit: 5 }, '?limit=5'],
    ['the number 0', { limit: 0 }, '?limit=0'],
  ])('with %s has its address', async (_, query, end) => {
    const sent = answering(() => json('{}'))
    await call('get', RULESETS, { path: { oid: 'o/1', pid: 'ä' }, query })
    expect(sent.mock.calls).toEqual([
      [`${BASE}/api/v1/orgs/o%2F1/projects/%C3%A4/rulesets${end}`, { method: 'GET', credentials: 'same-origin' }],
    ])
  })

  test('with a body is JSON with exact numbers', async () => {
    const sent = answering(() => json('{"id":9007199254740993}', 201))
    const body = { name: 'a', budget: 9007199254740993n } as unknown as { name: string }
    expect(await call('post', '/api/v1/orgs', { body })).toEqual({ id: 9007199254740993n })
    expect(sent.mock.calls[0]?.[1]).toEqual({
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"a","budget":9007199254740993}',
    })
  })

  test('can be cancelled', async () => {
    const sent = answering(() => json('{}'))
    const { signal } = new AbortController()
    await call('get', PROJECTS, { path: { oid: 'o' } }, signal)
    expect(sent.mock.calls[0]?.[1].signal).toBe(signal)
  })

  test('uploads a document as it is, with its type', async () => {
    const sent = answering(() => json('{"done":true}'))
    const document = new Blob(['a,b'])
    const path = '/api/v1/orgs/{oid}/projects/{pid}/import'
    expect(await upload(path as never, { path: { oid: 'o', pid: 'p' } } as never, document, 'text/csv')).toEqual({
      done: true,
    })
    expect(sent.mock.calls).toEqual([
      [
        `${BASE}/api/v1/orgs/o/projects/p/import`,
        { method: 'POST', credentials: 'same-origin', headers: { 'content-type': 'text/csv' }, body: document },
      ],
    ])
  })
})

describe('a response', () => {
  const read = () => call('get', PROJECTS, { path: { oid: 'o' } })

  test('without a body has no value', async () => {
    answering(() => new Response(null, { status: 204 }))
    expect(await read()).toBeUndefined()
  })

  test('with an error status is an error with its parts', async () => {
    const body = '{"error":"changed","details":[{"path":"/a","message":"m","code":"stale"}],"current":{"seq":2}}'
    answering(() => json(body, 409, { 'x-request-id': 'r1' }))
    const error = await read().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      message: 'changed',
      status: 409,
      reason: 'stale',
      requestId: 'r1',
      current: { seq: 2 },
    })
  })

  test('with an error status of a proxy has its status', async () => {
    answering(() => json('<html>', 502))
    await expect(read()).rejects.toMatchObject({ status: 502, message: 'status 502', requestId: undefined })
  })

  test.each([
    ['does not arrive', () => Promise.reject(new TypeError('fetch failed'))],
    ['is cut off', () => cut(new TypeError('network error'))],
    ['of an error is cut off', () => cut(new TypeError('network error'), 500)],
  ])('that %s is a request that did not reach the platform', async (_, respond) => {
    answering(respond)
    const error = await read().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 0 })
  })

  test('that the page no longer needs is no failure of the platform', async () => {
    const cancelled = new DOMException('cancelled', 'AbortError')
    answering(() => Promise.reject(cancelled))
    await expect(read()).rejects.toBe(cancelled)
    answering(() => cut(cancelled))
    await expect(read()).rejects.toBe(cancelled)
  })
})
