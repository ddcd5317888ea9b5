import { checkContract, type WholeContract } from '@engine/authoring'
import { Budget, parseJson, stringifyJson, type Value } from '@engine/expression'
import { decodeRuleset, type RulesetDocument } from '@engine/ruleset'
import { canonicalJson, verify } from '@engine/signing'
import { status as statuses } from '@grpc/grpc-js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { stateDigest } from '../../apps/engine-server/src/sync/digest.ts'
import { subjectOf } from '../../apps/engine-server/src/sync/event.ts'
import { seeded } from '../../apps/engine-server/src/sync/random.testing.ts'
import { SimulatedBroker } from '../../apps/engine-server/src/sync/simulated-broker.testing.ts'
import { Subscriber } from '../../apps/engine-server/src/sync/subscriber.ts'
import { localMemory, memoryMetrics, searchableLog } from '../../apps/engine-server/src/sync/sync.testing.ts'
import { pass, useVirtualTime } from '../../apps/engine-server/src/sync/virtual-time.testing.ts'
import { violationsOf } from '../../packages/ruleset/src/contract/input-contract.ts'
import { engineClient, type TestClient } from '../grpc/client.testing.ts'
import { startServer, type TestServer } from '../http/server.testing.ts'
import type { ConformanceData } from './conformance-data.testing.ts'
import { readData } from './data-files.testing.ts'

/** The interfaces of an engine are held to `conformance/`: HTTP, gRPC, contracts, signatures, sync. */

describe('http.json', () => {
  interface HttpCase {
    readonly method: string
    readonly path: string
    readonly headers?: Record<string, string>
    readonly body?: Value
    readonly text?: string
    readonly status: number
    readonly answer?: Value
    readonly absent?: readonly string[]
  }
  const { cases } = readData<ConformanceData<HttpCase>>('http')
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.stop())

  test.each(cases.map((one, index) => [index + 1, one.method, one.path, one] as const))(
    '%i: %s %s',
    async (_index, method, path, { headers = {}, body, text, status, answer, absent = [] }) => {
      const sent = body === undefined ? text : stringifyJson(body)
      const type = body === undefined ? {} : { 'content-type': 'application/json' }
      const reply = await server.request(method, path, { body: sent, headers: { ...type, ...headers } })
      expect([reply.status, reply.status < 300 ? '' : reply.text]).toEqual([status, status < 300 ? '' : reply.text])
      if (answer !== undefined) expect(reply.body).toMatchObject(answer as object)
      expect(Object.keys((reply.body as object | undefined) ?? {}).filter((name) => absent.includes(name))).toEqual([])
    },
  )
})

describe('grpc.json', () => {
  interface GrpcCase {
    readonly method: string
    readonly request: object
    readonly reply?: object
    readonly status?: string
  }
  const { ruleset, cases } = readData<ConformanceData<GrpcCase> & { readonly ruleset: Value }>('grpc')
  let server: TestServer
  let client: TestClient
  beforeAll(async () => {
    server = await startServer('--grpc-addr', '127.0.0.1:0')
    await server.post('/api/v1/rulesets', ruleset)
    client = engineClient(server.grpc)
  })
  afterAll(async () => {
    client.close()
    await server.stop()
  })

  test.each(cases.map((one) => [one.method, JSON.stringify(one.request), one] as const))(
    '%s %s',
    async (method, _shown, { request, reply, status }) => {
      const found = await client.call(method, request)
      if (reply === undefined) expect('code' in found && statuses[found.code]).toBe(status)
      else expect('message' in found ? found.message : found).toMatchObject(reply)
    },
  )
})

describe('contract.json', () => {
  interface InputCase {
    readonly input: Value
    readonly violations: readonly { readonly path: string; readonly code: string }[]
  }
  interface ChangeCase {
    readonly before: WholeContract
    readonly after: WholeContract
    readonly breaking: boolean
    readonly bump: string
  }
  const { contract, cases } = readData<
    ConformanceData<InputCase | ChangeCase> & { readonly contract: { readonly name: string } }
  >('contract')
  const inputs = cases.filter((one) => 'input' in one)
  const changes = cases.filter((one) => 'before' in one)
  const document: Value = {
    config: { name: 'held', contract: { mode: 'enforce', contract } },
    steps: { start: { id: 'start', type: 'terminal', result: { code: 'DECIDED', message: '' } } },
  }

  test('violations of inputs, in the product', () => {
    const held = decodeRuleset(document).ruleset?.config.contract
    if (held === undefined) throw new Error('the ruleset has no contract')
    for (const { input, violations } of inputs) {
      const found = violationsOf(held, input, Budget.endless()).map(({ path, rule }) => ({ path, code: rule }))
      expect([input, found]).toEqual([input, violations])
    }
  })

  test('violations of inputs, over HTTP', async () => {
    const server = await startServer()
    await server.post('/api/v1/rulesets', document)
    for (const { input, violations } of inputs) {
      const { status, body } = await server.post('/api/v1/execute/held', { input })
      const found = ((body.details ?? []) as InputCase['violations']).map(({ path, code }) => ({ path, code }))
      expect([input, status, found]).toEqual([input, violations.length === 0 ? 200 : 400, violations])
    }
    await server.stop()
  })

  test('changes', () => {
    for (const { before, after, breaking, bump } of changes) {
      const found = checkContract(before, after)
      const place = stringifyJson([before, after])
      expect([place, found.breaking, found.bump]).toEqual([place, breaking, bump])
    }
  })
})

describe('signing.json', () => {
  interface SigningCase {
    readonly document: string
    readonly message: string
    readonly public_key: string
    readonly signature: string
    readonly fault: string | null
  }
  const { trusted, cases } = readData<ConformanceData<SigningCase> & { readonly trusted: string }>('signing')
  const documentOf = ({ document }: SigningCase) => {
    const parsed = parseJson(document, { duplicateKeys: 'refuse' })
    if (parsed.kind !== 'parsed') throw new Error(`no JSON: ${document}`)
    return parsed.value as RulesetDocument
  }

  test('the signed bytes', () => {
    for (const one of cases) expect(canonicalJson(documentOf(one))).toBe(one.message)
  })

  test('the signatures', () => {
    for (const one of cases) {
      if (one.fault === 'no signature found') continue
      const { public_key, signature, fault } = one
      const found = verify(documentOf(one), { public_key, signature }, new Set([trusted]))
      expect([one.document, found ?? null]).toEqual([one.document, fault])
    }
  })

  test('a server that requires them', async () => {
    const server = await startServer('--signature-enabled', '--signature-require', '--signature-trusted-keys', trusted)
    for (const { document, public_key, signature, fault } of cases) {
      const signed = { 'x-engine-signature': signature, 'x-engine-public-key': public_key }
      const headers = { 'content-type': 'application/json', ...(signature === '' ? {} : signed) }
      const { status, body } = await server.request('POST', '/api/v1/rulesets', { body: document, headers })
      const found = status < 300 ? [document] : [document, status, body.message]
      expect(found).toEqual(fault === null ? [document] : [document, 403, fault])
    }
    await server.stop()
  })
})

describe('sync.json', () => {
  interface Replicated {
    readonly tenant: string
    readonly name: string
    readonly ruleset_json: string
  }
  interface SyncedEvent {
    readonly subject: string
    readonly revision: number
    readonly payload: string
    readonly outcome: string
  }
  type SyncCase =
    | { readonly rulesets: readonly Replicated[]; readonly digest: string }
    | { readonly tenant: string; readonly name: string; readonly subject: string }
    | { readonly events: readonly SyncedEvent[]; readonly after: object }
  const { cases } = readData<ConformanceData<SyncCase>>('sync')

  test.each(cases.filter((one) => 'digest' in one))('the digest $digest', ({ rulesets, digest }) => {
    const stored = rulesets.map(({ tenant, name, ruleset_json: text }) => {
      return [tenant, { name, version: '1.0.0', description: null, stepCount: 1, text }] as const
    })
    expect(stateDigest(stored)).toBe(digest)
  })

  test.each(cases.filter((one) => 'subject' in one))('the subject $subject', ({ tenant, name, subject }) => {
    expect(`engine.rules.${subjectOf({ type: 'RuleDeleted', tenant, name })}`).toBe(subject)
  })

  describe('events', () => {
    beforeEach(() => useVirtualTime())
    afterEach(() => vi.useRealTimers())

    test.each(cases.filter((one) => 'events' in one).map((one, index) => [index + 1, one] as const))(
      '%i',
      async (_index, { events, after }) => {
        const broker = new SimulatedBroker(seeded(1))
        const client = broker.client('reader')
        const local = localMemory()
        const { metrics, told } = memoryMetrics()
        const { log } = searchableLog()
        const elapsed = () => performance.now()
        const parts = { broker: client, local: () => local, metrics, log, now: Date.now, elapsed }
        const subscriber = new Subscriber({ ...parts, instanceId: 'reader' })
        client.connect({ up: () => subscriber.up(), down: () => subscriber.down() })
        await pass(1000)
        for (const { subject, payload, revision } of events) {
          broker.inject(subject, payload, revision)
          await pass(1000)
        }
        const expected = events.map(({ outcome }) => (outcome === 'applied' ? 'applied RulePut' : `skipped ${outcome}`))
        expect([told, local.contents()]).toEqual([expected, after])
      },
    )
  })
})
