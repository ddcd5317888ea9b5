import { request as requestHttp } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDatabase } from './databases.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'

const A = '/api/v1'
const database = useDatabase('postgres')
let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform(database(), ['--rate-limit', '0'])
})
afterAll(() => platform.stop())

/** Status and code of the answer to a request that no library changes. */
function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<readonly unknown[]> {
  const length = { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const request = requestHttp(platform.url + path, { method, headers: { ...headers, ...length } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      response.on('end', () => resolve([response.statusCode, text === '' ? undefined : JSON.parse(text).code]))
    })
    request.on('error', reject).end(body)
  })
}

const foreign = { origin: 'https://evil.example', 'content-type': 'application/json' }

test.each([
  '/auth/login',
  '/%61uth/login',
  '/auth/%6Cogin',
  '/auth/token',
  '/auth/toke%6e',
  '/auth/register',
  '/%61%75%74%68/register',
  '/auth/reset',
  '/auth/token/preview',
  '/invitations/preview',
  '/invitations/accept',
  '/invitation%73/accept',
  '/invitations/%61ccept',
])('a foreign page cannot sign a browser in by %s', async (path) => {
  expect(await send('POST', A + path, foreign, '{}')).toEqual([403, 'FORBIDDEN'])
  const crossSite = { 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' }
  expect(await send('POST', A + path, crossSite, '{}')).toEqual([403, 'FORBIDDEN'])
})

test('a body is 415 on each route before credentials are looked at, unless its content type is supported', async () => {
  const { body: described } = await platform.browser().request('GET', `${A}/openapi.json`)
  const operations = Object.entries(described.paths as Record<string, object>).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => ['post', 'put', 'delete'].includes(method))
      .map((method) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x')] as const),
  )
  expect(operations.length).toBeGreaterThan(100)
  const types = ['', 'foo', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']
  const others: (readonly unknown[])[] = []
  // One type after the other: a busy machine resets connections that wait for 20 s to be read.
  for (const type of [undefined, ...types]) {
    const headers = type === undefined ? {} : { 'content-type': type }
    const answers = operations.map(async ([method, path]) => {
      const [status, code] = await send(method, path, headers, '{}')
      return [`${method} ${path} ${type}`, status, code]
    })
    others.push(...(await Promise.all(answers)).filter(([, , code]) => code !== 'UNSUPPORTED_MEDIA_TYPE'))
  }
  expect(others).toEqual([])
})
