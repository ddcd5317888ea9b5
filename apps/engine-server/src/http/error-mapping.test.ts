import { describe, expect, test } from 'vitest'
import { EngineError, type EngineErrorCode } from '../errors.ts'
import { failure, ROWS } from './error-mapping.ts'

const CODES = Object.keys(ROWS) as EngineErrorCode[]
const answered = (code: EngineErrorCode, url: string) => {
  const { status, body = '', headers } = failure(new EngineError(code, 'why'), { url })
  return { status, headers, body: JSON.parse(body.toString()) as Record<string, unknown> }
}

describe('every error over every interface', () => {
  test.each(CODES)('%s', (code) => {
    const own = answered(code, '/api/v1/execute/a')
    expect(own).toEqual({ ...answered(code, '/elsewhere/access/v1x'), status: ROWS[code].status })

    // AuthZEN: our bodies; no status that its clients would take for one of the transport.
    const authzen = answered(code, '/access/v1/evaluation')
    expect(authzen).toEqual({ ...own, status: ROWS[code].authzen })
    expect([409, 412, 415, 422, 508]).not.toContain(authzen.status)

    // OFREP: the only statuses that its clients understand, with the body that all of them read.
    const flag = answered(code, '/ofrep/v1/evaluate/flags/a.b?x=1')
    expect([400, 401, 403, 404, 429, 500]).toContain(flag.status)
    expect(flag.body).toEqual({ key: 'a.b', errorCode: ROWS[code].ofrep[1], errorDetails: 'why' })
    expect(flag.headers).toEqual(own.headers)
    expect(answered(code, '/ofrep/v1/evaluate/flags').body).toEqual({
      errorCode: ROWS[code].ofrep[1],
      errorDetails: 'why',
    })
    for (const other of [authzen, flag])
      if (own.status < 500) expect(other.status === 500).toBe(SERVER_FAULTS.has(code))
  })
})

/** Errors that no request of a standard can cause by itself. */
const SERVER_FAULTS: ReadonlySet<string> = new Set([
  'conflict',
  'read-only',
  'untranslatable',
  'unloadable-ruleset',
  'analysis-findings',
  'analysis-failed',
])

test.each([
  ['/access/v1/evaluation', 400],
  ['/acme/access/v1/evaluation?x', 400],
  ['/.well-known/authzen-configuration', 400],
  ['/.well-known/authzen-configuration/acme', 400],
  ['/ofrep/v1/evaluate/flags/%zz', 400],
  ['/a/b/access/v1/evaluation', 415],
  ['/access/v10', 415],
  ['/ofrep/v10', 415],
])('%s answers another content type with %i', (url, status) => {
  expect(answered('unsupported-media-type', url).status).toBe(status)
})
