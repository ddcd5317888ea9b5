import { afterAll, beforeAll, describe } from 'vitest'
import { type TestServer } from '../server.testing.ts'
import { refuses, startStrict } from './refusals.testing.ts'

const SAMPLE_RATE = '/api/v1/config/audit-sample-rate'

let server: TestServer

beforeAll(async () => (server = await startStrict()))
afterAll(() => server.stop())

describe('the audit sample rate', () => {
  refuses(
    () => server,
    [
      {
        what: 'a rate beyond 100',
        method: 'PUT',
        path: SAMPLE_RATE,
        body: '{"sample_rate": 101}',
        message: '`/sample_rate` must be at most 100, found 101',
      },
      {
        what: 'a negative rate',
        method: 'PUT',
        path: SAMPLE_RATE,
        body: '{"sample_rate": -1}',
        message: '`/sample_rate` must be at least 0',
      },
      {
        what: 'a fractional rate',
        method: 'PUT',
        path: SAMPLE_RATE,
        body: '{"sample_rate": 1.5}',
        message: '`/sample_rate` must be a whole number',
      },
      {
        what: 'a misspelt rate',
        method: 'PUT',
        path: SAMPLE_RATE,
        body: '{"sampleRate": 5}',
        message: '`/sample_rate` is missing: `sampleRate` was given instead',
      },
    ],
  )
})
