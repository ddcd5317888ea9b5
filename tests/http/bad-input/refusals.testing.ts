import { expect, test } from 'vitest'
import { adultCheck, JSON_TYPE, startServer, type TestServer } from '../server.testing.ts'

/** A request that is wrong, and its answer. */
export interface Refusal {
  readonly what: string
  /** Default: `POST`. */
  readonly method?: string
  readonly path: string
  readonly body?: string
  /** Default: 400. */
  readonly status?: number
  /** Default: `BAD_REQUEST`. */
  readonly code?: string
  /** A part of the answer's `error`. */
  readonly message: string
  /** Default: those of JSON. With `x-binary` the body is sent as one byte a character, and the header is not. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A server with the ruleset `adult-check`, small limits and all routes. */
export async function startStrict(): Promise<TestServer> {
  const server = await startServer('--max-request-body-bytes', '65536', '--debug-mode')
  await server.post('/api/v1/rulesets', adultCheck())
  return server
}

/** The text of `adult-check` with changes. */
export const ruleset = (changes: Parameters<typeof adultCheck>[0]) => JSON.stringify(adultCheck(changes))

/** The text of `adult-check` with another first step. */
export const step = (change: object) =>
  ruleset({ steps: { check: { id: 'check', type: 'decision', branches: [], default_next: 'no', ...change } } })

/** A test a row: the answer is the row's, and nothing that is stored has changed. */
export function refuses(serverOf: () => TestServer, rows: readonly Refusal[]): void {
  test.for(rows)('$what', async ({ method = 'POST', path, body, status = 400, code = 'BAD_REQUEST', ...row }) => {
    const server = serverOf()
    const before = await state(server)
    const { 'x-binary': binary, ...headers }: Readonly<Record<string, string>> = row.headers ?? JSON_TYPE
    const bytes = body === undefined ? undefined : Buffer.from(body, binary === undefined ? 'utf8' : 'latin1')
    const reply = await server.request(method, path, { body: bytes, headers })
    expect({ status: reply.status, code: reply.body?.code, type: reply.headers.get('content-type') }).toEqual({
      status,
      code,
      type: 'application/json; charset=utf-8',
    })
    expect(reply.body.error).toContain(row.message)
    if (status === 405) expect(reply.headers.get('allow')).toBeTruthy()
    // A sender learns of its mistake, and nothing is stored.
    expect(reply.text).not.toMatch(/node_modules|at .*\.ts:/)
    expect(await state(server)).toEqual(before)
  })
}

/** Everything stored that a client can read. */
async function state(server: TestServer): Promise<readonly string[]> {
  const paths = ['/api/v1/rulesets', '/api/v1/rulesets/adult-check', '/api/v1/config/audit-sample-rate']
  const replies = await Promise.all(paths.map((path) => server.request('GET', path)))
  return replies.map(({ text }) => text)
}
