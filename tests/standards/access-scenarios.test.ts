import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request as ask } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { killAll, start } from '../engine-server.testing.ts'
import {
  allPages,
  type Answer,
  RECORD_IDS,
  SCENARIO_ROWS,
  type Send,
  storeRulesets,
  writeMappings,
} from './access-scenarios.testing.ts'

const folder = mkdtempSync(join(tmpdir(), 'engine-access-'))
const file = (name: string) => join(folder, name)

beforeAll(() => {
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'
  const where = `-keyout ${file('tls.key')} -out ${file('tls.pem')} -addext subjectAltName=IP:127.0.0.1`
  execFileSync('openssl', `${request} ${where}`.split(' '), { stdio: 'ignore' })
})
afterAll(async () => {
  await killAll()
  rmSync(folder, { recursive: true })
})

/** One request over TLS on a connection of its own, so that the next one may reach another worker. */
function exchange(
  url: string,
  method: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = ask(
      url,
      {
        method,
        agent: false,
        ca: readFileSync(file('tls.pem')),
        headers: { 'content-type': 'application/json', ...headers },
      },
      (answer) => {
        text(answer).then(
          (said) =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              body: said === '' ? undefined : JSON.parse(said),
            }),
          reject,
        )
      },
    )
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body))
  })
}

describe.each([
  ['one process', ['--workers', '1']],
  ['three workers', ['--workers', '3']],
  ['a reader', ['--role', 'reader']],
] as const)('over TLS, %s', (kind, options) => {
  let url: string
  let stop: () => Promise<unknown>
  const send: Send = (path, body, headers) => exchange(`${url}${path}`, 'POST', body, headers)

  beforeAll(async () => {
    const common = [
      ...writeMappings(folder),
      '--multi-tenancy-enabled',
      '--rules-dir',
      file(`rules of ${kind}`),
      '--http-tls-cert',
      file('tls.pem'),
      '--http-tls-key',
      file('tls.key'),
    ]
    if (kind === 'a reader') {
      // A reader serves the files that a writer has left in its directory.
      const writer = await start(common)
      await storeRulesets((path, body, headers) => exchange(`${writer.url}${path}`, 'POST', body, headers))
      await writer.stop()
    }
    ;({ url, stop } = await start([...common, ...options]))
    if (kind !== 'a reader') await storeRulesets(send)
  })
  afterAll(() => stop())

  describe.each([...new Set(SCENARIO_ROWS.map(({ level }) => level))])('%s', (level) => {
    test.each(SCENARIO_ROWS.filter((row) => row.level === level))('$name', async ({ path, body, headers, fault }) => {
      expect(fault(await send(path, body, headers))).toBeUndefined()
    })
  })

  test('Search Core: pages join to the whole, whichever process answers', async () => {
    const body = { subject: { type: 'user', id: 'alice' }, action: { name: 'view' }, resource: { type: 'record' } }
    for (const limit of [1, 7, 20, 100])
      expect(await allPages(send, '/search/access/v1/search/resource', body, limit)).toEqual(RECORD_IDS)
  })

  test.each([
    ['/.well-known/authzen-configuration', 'https://pdp.example.com', ['subject', 'resource', 'action']],
    ['/.well-known/authzen-configuration/search', 'https://pdp.example.com/search', ['subject', 'resource', 'action']],
    ['/.well-known/authzen-configuration/todo', 'https://pdp.example.com/todo', ['subject', 'resource']],
  ])('Discovery: %s', async (path, base, searches) => {
    const { status, headers, body } = await exchange(`${url}${path}`, 'GET', undefined)
    expect({ status, cache: headers['cache-control'], body }).toEqual({
      status: 200,
      cache: 'max-age=300',
      body: {
        policy_decision_point: base,
        access_evaluation_endpoint: `${base}/access/v1/evaluation`,
        access_evaluations_endpoint: `${base}/access/v1/evaluations`,
        ...Object.fromEntries(searches.map((one) => [`search_${one}_endpoint`, `${base}/access/v1/search/${one}`])),
      },
    })
  })
})

test('every scenario has all of its rows', () => {
  const counts = Object.groupBy(SCENARIO_ROWS, ({ level }) => level.split(':')[0] ?? '')
  expect(Object.fromEntries(Object.entries(counts).map(([level, rows = []]) => [level, rows.length]))).toEqual({
    'Basic Core': 29,
    'Basic Properties': 4,
    'Batch Core': 7,
    'Batch Properties': 3,
    Semantics: 3,
    'Search Core': 20,
    'Search Properties': 3,
    Interoperability: 198 + 90 + 25,
  })
})
