import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startServer, type TestServer } from '../http/server.testing.ts'

const POLL = { timeout: 120_000, interval: 50 }

let server: TestServer

/** A decision whose branches alternate between a target and another result: computing its short filter takes seconds. */
const slow = {
  config: { name: 'slow', entry_step: 'first' },
  steps: {
    first: {
      id: 'first',
      type: 'decision',
      branches: Array.from({ length: 18_000 }, (_, index) => ({
        condition: `a != ${index}`,
        next_step: index % 2 === 0 ? 'yes' : 'no',
      })),
      default_next: 'no',
    },
    yes: { id: 'yes', type: 'terminal', result: { code: 'YES', message: '' } },
    no: { id: 'no', type: 'terminal', result: { code: 'NO', message: '' } },
  },
}
/** A variable that doubles: its text has 2^30 parts. */
const doubling = {
  config: { name: 'doubling', entry_step: 's0', max_depth: 250 },
  steps: Object.fromEntries([
    ...Array.from({ length: 190 }, (_, index) => [
      `s${index}`,
      {
        id: `s${index}`,
        type: 'action',
        actions: [{ action: 'set_variable', name: 'v', value: '$v + $v' }],
        next_step: index < 189 ? `s${index + 1}` : 'end',
      },
    ]),
    ['end', { id: 'end', type: 'terminal', result: { code: 'YES', message: '', output: [['v', '$v']] } }],
  ]),
}

const PLAIN = {
  config: { name: 'plain', entry_step: 'first' },
  steps: {
    first: {
      id: 'first',
      type: 'decision',
      branches: [{ condition: 'a == 1 || a == "1"', next_step: 'yes' }],
      default_next: 'no',
    },
    yes: { id: 'yes', type: 'terminal', result: { code: 'YES', message: '' } },
    no: { id: 'no', type: 'terminal', result: { code: 'NO', message: '' } },
  },
}

const filterOf = (name: string, more: object = {}) =>
  server.post(`/api/v1/rulesets/${name}/filter`, { known_input: {}, target_results: ['YES'], max_paths: 0, ...more })

beforeAll(async () => {
  server = await startServer('--request-timeout-secs', '3')
  for (const ruleset of [slow, doubling, PLAIN])
    // The time of a request is short here, and may not be enough for the first ones on a busy machine.
    await vi.waitUntil(async () => (await server.post('/api/v1/rulesets', ruleset)).status < 300, POLL)
})
afterAll(() => server.stop())

describe('a filter that takes long', () => {
  test('lets other requests be served, and ends with 503', async () => {
    const progress = { isAnswered: false, served: 0 }
    const answer = filterOf('slow').finally(() => {
      progress.isAnswered = true
    })
    while (!progress.isAnswered) {
      const { status } = await server.request('GET', '/healthz/live')
      if (status === 200) progress.served++
    }
    expect(await answer).toMatchObject({ status: 503, body: { code: 'TIMEOUT' } })
    expect(progress.served).toBeGreaterThan(3)
  })

  test('a query whose text grows without bound is refused', async () => {
    const { status, body } = await server.post('/api/v1/rulesets/doubling/sql', { dialect: 'duckdb' })
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'UNTRANSLATABLE' })
    expect(body.error).toMatch(/more than 2000 parts|longer than 1000000 characters/)
  })

  test('a query names the part that has no form in SQL', async () => {
    const ruleset = {
      config: { name: 'untranslatable', entry_step: 'start' },
      steps: {
        start: {
          id: 'start',
          type: 'decision',
          branches: [{ condition: 'a > 1', next_step: 'end' }],
          default_next: 'other',
        },
        end: {
          id: 'end',
          type: 'terminal',
          result: {
            code: 'A',
            message: '',
            output: [
              ['b', 'b'],
              ['name', 'upper(name)'],
            ],
          },
        },
        other: { id: 'other', type: 'terminal', result: { code: 'B', message: '' } },
      },
    }
    await server.post('/api/v1/rulesets', ruleset)
    const { status, body } = await server.post('/api/v1/rulesets/untranslatable/sql', { dialect: 'duckdb' })
    const message = 'step `end`: `upper(name)` cannot be written in SQL'
    expect({ status, body }).toEqual({
      status: 422,
      body: {
        error: message,
        code: 'UNTRANSLATABLE',
        details: [{ path: '/steps/end/result/output/1/1', message, construct: 'upper(name)' }],
      },
    })
  })
})

test('types of columns make a filter exact', async () => {
  const without = await filterOf('plain', { nulls: 'match_rules' })
  expect(without.body).toMatchObject({ exactness: 'approximate', filter: `(a = 1 OR a = '1')` })
  expect(without.body.reasons.join()).toContain('`a` is compared with number and text')
  const stated = await filterOf('plain', { nulls: 'match_rules', columns: { a: 'integer' } })
  expect(stated.body).toMatchObject({ exactness: 'exact', filter: 'a = 1' })
})
