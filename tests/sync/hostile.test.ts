import { headers } from '@nats-io/transport-node'
import { generateKeys, parsePrivateKey, sign } from '@engine/signing'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { killAll } from '../engine-server.testing.ts'
import { marked, member, type Member, until } from './fleet.testing.ts'
import { connected } from './fleet-over-nats.testing.ts'
import { killAllNats, type Nats, startNats } from './nats.testing.ts'

/**
 * Messages of publishers other than the writer, each about a separate ruleset, to a reader that requires signatures and one
 * that does not: both end with the writer's rulesets, and apply its next change.
 */
const TENANTS = ['acme', 'globex'] as const
type Tenant = (typeof TENANTS)[number]

/** One message of a stranger. Fields that are not listed have valid values. */
interface Sent {
  readonly subject?: string
  readonly revision?: string
  readonly instance?: unknown
  readonly timestamp?: unknown
  readonly event?: unknown
  readonly payload?: Uint8Array | string
}

interface Row {
  readonly what: string
  /** @param name of a ruleset that the tenant `acme` has, signed, with the mark 1 */
  readonly sent: (name: string) => readonly Sent[]
}

const FUTURE = String(Date.UTC(2090, 0) * 1000)
const soon = () => String(Date.now() * 1000 + 5000)
const bomb = zstdCompressSync(Buffer.alloc(200 * 1024 * 1024, ' '))
const large = zstdCompressSync(Buffer.alloc(20 * 1024 * 1024, ' '))
const liar = Buffer.from(bomb)
liar.writeUInt32LE(1000, liar.indexOf(Buffer.from(Uint32Array.of(200 * 1024 * 1024).buffer)))
const text = (name: string, mark: number, tenant?: string) =>
  JSON.stringify({ ...marked(name, '9.0.0', mark), ...(tenant === undefined ? {} : { tenant_id: tenant }) })
const put = (name: string, over: object = {}) => ({
  type: 'RulePut',
  tenant_id: 'acme',
  name,
  version: '9.0.0',
  ruleset_json: text(name, 666),
  ...over,
})
const gone = (name: string, tenant = 'acme') => ({ type: 'RuleDeleted', tenant_id: tenant, name })
const noTenants = { type: 'TenantConfigChanged', config_json: '{}' }
const own = (name: string) => `acme.${name}`
/** A signed ruleset. */
const signedBy = (signer: typeof key, name: string, mark: number) => {
  const document = marked(name, `1.${mark}.0`, mark) as Parameters<typeof sign>[0]
  return sign(document, parsePrivateKey(signer.privateKey), new Date().toISOString())
}
/** The text of one, as the writer may have signed it before, or another signer. */
const signed = (name: string, mark: number, signer = key) => JSON.stringify(signedBy(signer, name, mark))
const replayed = (name: string, over: object = {}) =>
  put(name, { version: '1.0.0', ruleset_json: signed(name, 0), ...over })

const rows: readonly Row[] = [
  { what: 'a put', sent: (name) => [{ event: put(name) }] },
  { what: 'a put with the greatest revision', sent: (name) => [{ event: put(name), revision: '9007199254740991' }] },
  { what: 'a put of the future', sent: (name) => [{ event: put(name), revision: FUTURE }] },
  { what: 'a put that is not counted', sent: (name) => [{ event: put(name), revision: '' }] },
  { what: 'an invalid revision', sent: (name) => [{ event: put(name), revision: 'soon' }] },
  { what: 'a negative revision', sent: (name) => [{ event: put(name), revision: '-1' }] },
  { what: 'a revision beyond all integers', sent: (name) => [{ event: put(name), revision: '1e300' }] },
  { what: 'a deletion', sent: (name) => [{ event: gone(name) }] },
  { what: 'a deletion of the future', sent: (name) => [{ event: gone(name), revision: FUTURE }] },
  { what: 'a deletion that is not counted', sent: (name) => [{ event: gone(name), revision: '' }] },
  {
    what: 'a put of one tenant on the subject of another',
    sent: (name) => [{ event: put(name), subject: `globex.${name}`, revision: FUTURE }],
  },
  {
    what: 'a deletion of one tenant on the subject of another',
    sent: (name) => [{ event: gone(name), subject: `globex.${name}`, revision: FUTURE }],
  },
  {
    what: 'a put to another tenant on the own subject',
    sent: (name) => [{ event: put(name, { tenant_id: 'globex' }), revision: FUTURE }],
  },
  { what: 'no tenants on the subject of a ruleset', sent: () => [{ event: noTenants, revision: FUTURE }] },
  { what: 'no tenants left', sent: () => [{ event: noTenants, subject: 'tenants', revision: FUTURE }] },
  {
    what: 'an invalid list of tenants',
    sent: () => [{ event: { ...noTenants, config_json: '[' }, subject: 'tenants' }],
  },
  {
    what: 'a tenant that is not there',
    sent: (name) => [{ event: put(name, { tenant_id: 'x' }), subject: `x.${name}`, revision: FUTURE }],
  },
  {
    what: 'a ruleset that no instance has',
    sent: (name) => [{ event: put(`${name}-new`), subject: `acme.${name}-new` }],
  },
  { what: 'another name in the ruleset', sent: (name) => [{ event: put(name, { ruleset_json: text('x', 666) }) }] },
  {
    what: 'another name in the event',
    sent: (name) => [{ event: put(`${name}-other`, { ruleset_json: text(`${name}-other`, 666) }) }],
  },
  { what: 'another version in the event', sent: (name) => [{ event: put(name, { version: '1.0.0' }) }] },
  { what: 'an invalid ruleset', sent: (name) => [{ event: put(name, { ruleset_json: '{}' }), revision: FUTURE }] },
  {
    what: 'a ruleset that is not JSON',
    sent: (name) => [{ event: put(name, { ruleset_json: '{' }), revision: FUTURE }],
  },
  {
    what: 'a ruleset that is not text',
    sent: (name) => [{ event: put(name, { ruleset_json: {} }), revision: FUTURE }],
  },
  { what: 'a path as name', sent: () => [{ event: put('../../x'), subject: 'acme.=2E=2E=2F=2E=2E=2Fx' }] },
  { what: 'a name that is not text', sent: (name) => [{ event: put(name, { name: 5 }), revision: FUTURE }] },
  { what: 'no name', sent: (name) => [{ event: put(name, { name: undefined }), revision: FUTURE }] },
  { what: 'a tenant that is not text', sent: (name) => [{ event: put(name, { tenant_id: {} }), revision: FUTURE }] },
  { what: 'no tenant', sent: (name) => [{ event: put(name, { tenant_id: undefined }), revision: FUTURE }] },
  { what: 'a version that is not text', sent: (name) => [{ event: put(name, { version: 9 }), revision: FUTURE }] },
  { what: 'no version', sent: (name) => [{ event: put(name, { version: undefined }), revision: FUTURE }] },
  { what: 'an older signed version', sent: (name) => [{ event: replayed(name) }] },
  { what: 'an older signed version of the future', sent: (name) => [{ event: replayed(name), revision: FUTURE }] },
  {
    what: 'an older signed version, with the writer as sender',
    sent: (name) => [{ event: replayed(name), instance: 'w', revision: FUTURE }],
  },
  { what: 'an older signed version that is not counted', sent: (name) => [{ event: replayed(name), revision: '' }] },
  {
    what: 'a signed ruleset for another tenant',
    sent: (name) => [{ event: replayed(name, { tenant_id: 'globex' }), subject: `globex.${name}`, revision: FUTURE }],
  },
  {
    what: 'a ruleset that a stranger has signed',
    sent: (name) => [{ event: replayed(name, { ruleset_json: signed(name, 666, generateKeys()) }), revision: FUTURE }],
  },
  {
    what: 'the signature of another ruleset',
    sent: (name) => [
      { event: replayed(name, { ruleset_json: signed('x', 0).replaceAll('"x"', `"${name}"`) }), revision: FUTURE },
    ],
  },
  { what: 'an unknown type', sent: (name) => [{ event: { ...put(name), type: 'Surprise' }, revision: FUTURE }] },
  { what: 'no event', sent: () => [{ event: null, revision: FUTURE }] },
  { what: 'no sender', sent: (name) => [{ event: put(name), instance: undefined, revision: FUTURE }] },
  { what: 'an object as sender', sent: (name) => [{ event: put(name), instance: {}, revision: FUTURE }] },
  { what: 'the writer as sender', sent: (name) => [{ event: put(name), instance: 'w' }] },
  { what: 'a reader as sender', sent: (name) => [{ event: put(name), instance: 'strict', revision: FUTURE }] },
  { what: 'no time', sent: (name) => [{ event: put(name), timestamp: undefined, revision: FUTURE }] },
  { what: 'a text as time', sent: (name) => [{ event: put(name), timestamp: 'now', revision: FUTURE }] },
  { what: 'no JSON', sent: () => [{ payload: 'hello', revision: FUTURE }] },
  { what: 'nothing', sent: () => [{ payload: '', revision: FUTURE }] },
  { what: 'deep nesting', sent: () => [{ payload: '['.repeat(500_000), revision: FUTURE }] },
  { what: 'a bomb', sent: () => [{ payload: bomb, revision: FUTURE }] },
  { what: 'half a bomb', sent: () => [{ payload: bomb.subarray(0, bomb.length / 2), revision: FUTURE }] },
  { what: 'many bombs', sent: () => Array.from({ length: 200 }, () => ({ payload: bomb, revision: FUTURE })) },
  {
    what: 'bombs with an understated size',
    sent: () => Array.from({ length: 50 }, () => ({ payload: liar, revision: FUTURE })),
  },
  { what: 'bombs that may be as large', sent: () => Array.from({ length: 2 }, () => ({ payload: large })) },
  {
    what: 'a flood of invalid messages',
    sent: (name) =>
      Array.from({ length: 2000 }, () => ({ event: put(name, { ruleset_json: '{}' }), revision: FUTURE })),
  },
  {
    what: 'a flood of deletions',
    sent: (name) =>
      Array.from({ length: 1000 }, (_, at) => ({
        event: gone(`${name}-${at}`),
        subject: `acme.${name}-${at}`,
        revision: FUTURE,
      })),
  },
  { what: 'a put and its deletion', sent: (name) => [{ event: put(name) }, { event: gone(name), revision: FUTURE }] },
  {
    what: 'a key of the state',
    sent: () => [
      { payload: '{}', subject: 'head' },
      { payload: '{}', subject: 'lease' },
    ],
  },
]

let nats: Nats
let writer: Member
const readers: Member[] = []
const key = generateKeys()

const nameOf = (row: Row) => `r${rows.indexOf(row)}`

/** Store a signed ruleset. */
async function store(tenant: Tenant, name: string, mark: number): Promise<void> {
  const answer = await ask(writer, tenant, '/api/v1/rulesets', signedBy(key, name, mark))
  expect([200, 201], await answer.clone().text()).toContain(answer.status)
}

function ask(one: Member, tenant: Tenant, path: string, body: unknown): Promise<Response> {
  const init = { 'content-type': 'application/json', 'x-tenant-id': tenant }
  return fetch(`${one.url}${path}`, { method: 'POST', headers: init, body: JSON.stringify(body) })
}

async function markOf(one: Member, name: string): Promise<unknown> {
  const answer = await ask(one, 'acme', `/api/v1/execute/${name}`, { input: {} })
  return answer.status === 200 ? ((await answer.json()) as { output: { mark: unknown } }).output.mark : answer.status
}

async function alike(milliseconds: number): Promise<void> {
  await until(
    'the readers are like the writer',
    async () => {
      const [expected, ...digests] = await Promise.all([writer, ...readers].map((one) => one.health()))
      return digests.every((health) => health?.sync.digest === expected?.sync.digest)
    },
    milliseconds,
  ).catch((error: unknown) => {
    throw new Error(readers.map(({ server }) => server?.stdout().slice(-4000)).join('\n\n'), { cause: error })
  })
}

beforeAll(async () => {
  nats = await startNats({ config: 'max_payload: 8MB' })
  const trusted = ['--signature-enabled', '--signature-require', '--signature-trusted-keys', key.publicKey]
  const started = async (role: string, id: string, args: readonly string[]) => {
    const one = await member(id, ['--role', role, '--broker-url', nats.url, '--multi-tenancy-enabled', ...args])
    await one.start()
    return one
  }
  writer = await started('writer', 'w', trusted)
  readers.push(await started('reader', 'strict', trusted), await started('reader', 'open', []))
  for (const id of TENANTS) await writer.post('/api/v1/tenants', { id })
  await Promise.all(rows.map((row) => store('acme', nameOf(row), 1)))
  await alike(60_000)
  await using there = await connected(nats.url)
  let last = 0
  for (const row of rows)
    for (const sent of row.sent(nameOf(row))) {
      const { subject = own(nameOf(row)), revision = soon(), event } = sent
      const instance = 'instance' in sent ? sent.instance : 'stranger'
      const timestamp = 'timestamp' in sent ? sent.timestamp : Date.now()
      const header = headers()
      if (revision !== '') header.set('Engine-Revision', revision)
      const payload = sent.payload ?? JSON.stringify({ instance_id: instance, event, timestamp_ms: timestamp })
      const { seq } = await there.js.publish(`engine.rules.${subject}`, payload, { headers: header, timeout: 10_000 })
      last = Math.max(last, seq)
    }
  await until('the readers have read it all', async () => {
    const all = await Promise.all(readers.map((one) => one.health()))
    return all.every((health) => (health?.sync.last_applied_seq ?? 0) >= last)
  })
  // One comparison: the bucket decides, not the published event.
  await alike(60_000)
}, 240_000)

afterAll(async () => {
  await killAll()
  await killAllNats()
})

describe('a stranger publishes', () => {
  test.each(rows)('$what, and a comparison removes it', async (row) => {
    const name = nameOf(row)
    expect(await Promise.all(readers.map((one) => markOf(one, name)))).toEqual([1, 1])
  })

  test('and health, tenants and rulesets equal those of the writer', async () => {
    for (const one of readers) {
      expect(await one.health()).toMatchObject({ status: 'healthy', sync: { connected: true } })
      expect(await one.get('/api/v1/tenants')).toEqual(await writer.get('/api/v1/tenants'))
      expect(await markOf(one, 'x')).toBe(404)
    }
  })

  test('and the next change of the writer arrives, without a restart', async () => {
    await Promise.all(rows.map((row) => store('acme', nameOf(row), 2)))
    await alike(60_000)
    for (const one of readers)
      for (const row of rows) expect(await markOf(one, nameOf(row)), `${one.id}: ${row.what}`).toBe(2)
  }, 120_000)

  test('and a client with permission to write the state is believed, except where a signature is required', async () => {
    await using there = await connected(nats.url)
    const record = { revision: Number(FUTURE), subject: own('r0'), instance_id: 'w', event: put('r0'), timestamp_ms: 1 }
    await there.js.publish(`$KV.engine-rules-state.engine.rules.${own('r0')}`, JSON.stringify(record))
    await there.js.publish('engine.rules.acme.r1', 'a reason to look')
    await store('acme', 'r2', 3)
    await until('the writer has put it right', async () => (await markOf(readers[1] as Member, 'r2')) === 3)
    expect(await markOf(readers[0] as Member, 'r0')).toBe(2)
  }, 60_000)
})
