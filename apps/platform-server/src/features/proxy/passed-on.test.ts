import { createCircuit } from '@engine/process'
import type { PlainRequest, WholeAnswer } from '@engine/http-server'
import { errors } from 'undici'
import { describe, expect, test } from 'vitest'
import type { OrgId } from '../../database/org-id.ts'
import { NO_CANARY } from '../projects/model.ts'
import type { ActiveShadow } from '../shadows/active-shadows.ts'
import type { Destination, Destinations } from './destinations.ts'
import type { EngineAnswer } from './engine-answer.ts'
import { type Exchange, plainExchange } from './exchange.ts'
import { Unreached } from './forwarder.ts'
import { forward, type ProxiedRequest, type ProxyParts } from './service.ts'
import { UPSTREAM_ROUTES, type UpstreamRoute } from './upstream-routes.ts'

const DIGEST = 'a'.repeat(64)
const JSON_TYPE = { 'content-type': 'application/json' }
const engine = (id: string): Destination =>
  ({
    id,
    name: id,
    claimant: { id },
    tenants: true,
    token: 't',
    isHealthy: () => true,
    holds: () => true,
  }) as unknown as Destination
const destinations = (more: Partial<Destinations> = {}): Destinations => ({
  id: 'e',
  name: 'prod',
  canary: NO_CANARY,
  split: undefined,
  shadows: new Map(),
  engines: [engine('one'), engine('two')],
  canaries: [],
  live: new Set(['fee', 'rate']),
  owned: undefined,
  releases: new Map([
    [DIGEST, 'r1'],
    ['b'.repeat(64), null],
  ]),
  isRepeatable: () => true,
  ...more,
})
const route = (find: (one: UpstreamRoute) => boolean) => UPSTREAM_ROUTES.find(find) as UpstreamRoute
const DECISION = route(({ isDecision }) => isDecision)
const LIST = route(({ upstreamPath, method }) => method === 'GET' && upstreamPath.endsWith('/rulesets'))

const answer = (body: string, more: Partial<EngineAnswer> = {}): EngineAnswer => ({
  statusCode: 200,
  headers: JSON_TYPE,
  body: Buffer.from(body),
  ...more,
})

/** Proxies a request to engines that give these answers in turn. */
async function passed(
  answers: readonly (EngineAnswer | Error)[],
  {
    to = destinations(),
    upstream = {},
    headers = {},
    exchange,
    parts = {},
  }: {
    readonly to?: Destinations
    readonly upstream?: Partial<ProxiedRequest['upstream']>
    readonly headers?: Record<string, string>
    readonly exchange?: (made: Exchange) => Exchange
    readonly parts?: Partial<ProxyParts>
  } = {},
) {
  const asked: { path: string; headers: Readonly<Record<string, unknown>>; body: unknown }[] = []
  const ended: string[] = []
  const written: WholeAnswer[] = []
  const left = [...answers]
  const all: ProxyParts = {
    forwarder: {
      async send({ path, headers: sent, body }) {
        asked.push({ path, headers: sent, body: body?.bytes() })
        const next = left.shift()
        if (next === undefined || next instanceof Error) throw next ?? new Error('no more answers')
        return next
      },
    },
    circuit: createCircuit(() => 0),
    liveness: { isOut: () => false, suspect: () => {} },
    tally: { count: () => {} },
    engineAnswerMs: 50,
    metrics: { ended: (result) => void ended.push(result) },
    comparison: {} as ProxyParts['comparison'],
    ...parts,
  }
  const caller = { aborted: false, body: Buffer.from('{"input":{}}'), addEventListener() {}, removeEventListener() {} }
  const made = plainExchange(caller as unknown as PlainRequest, (whole) => void written.push(whole))
  const request: ProxiedRequest = {
    raw: { headers },
    exchange: exchange?.(made) ?? made,
    caller: { kind: 'user' } as ProxiedRequest['caller'],
    place: { member: { org: 'o' as OrgId } } as unknown as ProxiedRequest['place'],
    requestId: 'id',
    upstream: {
      route: DECISION,
      ruleset: 'fee',
      seq: undefined,
      receipt: undefined,
      query: '',
      list: undefined,
      headers: {},
      ...upstream,
    },
  }
  const error = await forward(all, request, to).then(
    () => undefined,
    (thrown: unknown) => (thrown as { code: string }).code,
  )
  const [first] = written
  return {
    error,
    ended,
    asked,
    status: first?.status,
    headers: first?.headers ?? {},
    body: Buffer.isBuffer(first?.content) ? first.content.toString() : undefined,
  }
}

describe('a decision', () => {
  test('is passed on with the engine that made it', async () => {
    const { status, headers, body, ended, asked } = await passed([answer('{"code":"OK"}')])
    expect([status, body, ended, headers['x-engine-server']]).toEqual([200, '{"code":"OK"}', ['answered'], 'one'])
    expect(asked[0]?.path).toContain('fee')
    expect(asked[0]?.body).toEqual(Buffer.from('{"input":{}}'))
    expect(headers).not.toHaveProperty('x-engine-retried')
    expect(headers).not.toHaveProperty('x-release-id')
  })

  test('of a second engine names the first, and is counted so', async () => {
    const { headers, ended } = await passed([new Unreached(new Error('refused'), true), answer('{}')])
    expect([headers['x-engine-server'], headers['x-engine-retried'], ended]).toEqual(['two', 'one', ['retried']])
  })

  test.each<[title: string, digest: string, release: string | undefined]>([
    ['the release that delivered its content', DIGEST, 'r1'],
    ['no release where it was published without one', 'b'.repeat(64), undefined],
    ['no release where the content is unknown', 'c'.repeat(64), undefined],
  ])('names %s', async (_title, digest, release) => {
    const { headers } = await passed([answer('{}', { headers: { ...JSON_TYPE, 'x-ruleset-digest': digest } })])
    expect(headers['x-release-id']).toBe(release)
    expect(headers).not.toHaveProperty('x-ruleset-digest')
  })

  test('has the report that its caller asks for', async () => {
    const reported = { ...JSON_TYPE, 'x-ruleset-digest': DIGEST, 'x-result-code': 'OK' }
    const { headers } = await passed([answer('{}', { headers: reported })], { headers: { 'x-engine-report': '1' } })
    expect(headers).toMatchObject({ 'x-ruleset-digest': DIGEST, 'x-result-code': 'OK' })
  })

  test('is compared with that of a shadow, with both bodies', async () => {
    const offered: unknown[] = []
    const shadow = { percent: 100, endsAt: Infinity } as unknown as ActiveShadow
    const comparison = {
      offer: (_shadow: unknown, pair: unknown) => void offered.push(pair),
    } as unknown as ProxyParts['comparison']
    const to = destinations({ shadows: new Map([['fee', shadow]]) })
    await passed([answer('{"code":"OK"}')], { to, parts: { comparison } })
    expect(offered).toEqual([
      {
        request: { bytes: Buffer.from('{"input":{}}'), coding: undefined },
        answer: { bytes: Buffer.from('{"code":"OK"}'), coding: undefined, status: 200 },
      },
    ])
  })
})

describe('a request without an answer', () => {
  const unsent = new Unreached(new Error('refused'), true)
  test.each<[title: string, answers: readonly Error[], error: string, ended: string]>([
    ['because no engine can be reached', [unsent, unsent], 'bad-gateway', 'unreachable'],
    ['because engines break off', [new Unreached(new Error('reset'), false), unsent], 'bad-gateway', 'unreachable'],
    ['in time', [new Unreached(new errors.HeadersTimeoutError(), false), unsent], 'timeout', 'late'],
  ])('%s is counted, and has its error', async (_title, answers, error, ended) => {
    const found = await passed(answers)
    expect([found.error, found.ended, found.status]).toEqual([error, [ended], undefined])
  })

  test('because no engine serves the environment is not sent', async () => {
    const found = await passed([], { to: destinations({ engines: [] }) })
    expect([found.error, found.ended, found.asked]).toEqual(['unavailable', ['unbound'], []])
  })

  test('that passes is refused', async () => {
    const found = await passed([answer('<html>', { headers: { 'content-type': 'text/html' } })])
    expect([found.error, found.ended, found.status]).toEqual(['bad-gateway', ['refused'], undefined])
  })

  test('that its caller does not need any more is no error', async () => {
    const exchange = (made: Exchange): Exchange => ({ ...made, leaving: { ...made.leaving, aborted: true } })
    const found = await passed([unsent, unsent], { exchange })
    expect([found.error, found.ended]).toEqual([undefined, ['gone']])
  })

  test('ends its exchange, as one with an answer does', async () => {
    let ends = 0
    const exchange = (made: Exchange): Exchange => ({ ...made, end: () => void ends++ })
    await passed([unsent, unsent], { exchange })
    await passed([answer('{}')], { exchange })
    expect(ends).toBe(2)
  })
})

describe('a list of rulesets', () => {
  const row = (name: string) => ({ name, version: '1.0.0', description: null, step_count: 1, digest: 'd' })
  const upstream = { route: LIST, ruleset: undefined, list: { limit: 1, cursor: undefined, q: undefined } }

  test('has what callers reach, without candidates, and a cursor', async () => {
    const rows = ['fee', 'fee.r7', 'mine', 'rate'].map(row)
    const first = await passed([answer(JSON.stringify(rows))], { upstream })
    expect([first.status, first.body, first.ended]).toEqual([200, JSON.stringify([row('fee')]), ['answered']])
    expect(first.headers).toMatchObject({ 'x-engine-server': 'one', 'x-next-cursor': 'fee' })
    const all = await passed([answer(JSON.stringify(rows))], {
      upstream: { ...upstream, list: { ...upstream.list, limit: 9 } },
    })
    expect(all.body).toBe(JSON.stringify([row('fee'), row('rate')]))
    expect(all.headers).not.toHaveProperty('x-next-cursor')
    expect(all.asked).toMatchObject([{ headers: { 'accept-encoding': 'identity' }, body: undefined }])
  })

  test.each<[title: string, answered: EngineAnswer]>([
    ['with another status', answer('[]', { statusCode: 404 })],
    ['that is compressed', answer('[]', { headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } })],
    ['that cannot be read', answer('{}')],
  ])('%s is refused', async (_title, answered) => {
    const found = await passed([answered], { upstream })
    expect([found.error, found.ended, found.status]).toEqual(['bad-gateway', ['refused'], undefined])
  })
})
