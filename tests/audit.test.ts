import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { killAll, start } from './engine-server.testing.ts'
import { answering, connection, type Connection, startCrew } from './workers.testing.ts'

const scratch = mkdtempSync(join(tmpdir(), 'engine-audit-program-'))
const directory = (name: string) => join(scratch, name)
const open: { close(): void }[] = []

afterEach(async () => {
  for (const one of open.splice(0)) one.close()
  await killAll()
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

function connected(url: string): Connection {
  const one = connection(url)
  open.push(one)
  return one
}

type Line = Readonly<Record<string, unknown>>

function lines(audit: string): readonly Line[] {
  return readdirSync(audit, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(audit, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
}

test('a change that was acknowledged is in the audit, also when the process is killed in that moment', async () => {
  for (const round of [1]) {
    const audit = directory(`killed-${round}`)
    const server = await start(['--audit-dir', audit, '--multi-tenancy-enabled', '--rules-dir', directory(`k${round}`)])
    const writers = Array.from({ length: 6 }, () => connected(server.url))
    expect((await writers[0]?.request('POST', '/api/v1/tenants', { id: 'acme' }))?.status).toBe(201)
    const acknowledged: string[] = ['tenant_created acme']
    const write = async (one: Connection, index: number) => {
      for (let count = 0; count < 5; count++) {
        const name = `w${index}-${count}`
        const headers = { 'x-request-id': name, 'x-tenant-id': 'acme' }
        if ((await one.request('POST', '/api/v1/rulesets', answering('X', name), headers)).status === 201)
          acknowledged.push(`rule_created ${name}`)
        if ((await one.request('DELETE', `/api/v1/rulesets/${name}`, undefined, headers)).status === 204)
          acknowledged.push(`rule_deleted ${name}`)
        if (acknowledged.length > 25) server.process.kill('SIGKILL')
      }
    }
    await Promise.allSettled(writers.map(write))
    await server.ended
    const written = lines(audit).map(
      ({ event, rule_name, tenant_id }) => `${String(event)} ${String(rule_name ?? tenant_id)}`,
    )
    expect(acknowledged.length).toBeGreaterThan(25)
    expect(written).toEqual(expect.arrayContaining(acknowledged))
  }
})

test('while the audit cannot be written the change at hand reports it, and no other one is made', async () => {
  const audit = directory('unwritable')
  const rules = directory('unwritable-rules')
  const server = await start(['--audit-dir', audit, '--rules-dir', rules, '--audit-sample-rate', '100'])
  const one = connected(server.url)
  expect((await one.request('POST', '/api/v1/rulesets', answering('X', 'before'))).status).toBe(201)
  // A directory with the file's name cannot be written, not even by root.
  const [today = ''] = readdirSync(audit)
  const kept = readFileSync(join(audit, today))
  rmSync(join(audit, today))
  mkdirSync(join(audit, today))
  const first = await one.request('POST', '/api/v1/rulesets', answering('X', 'first'))
  expect([first.status, first.body.error]).toEqual([
    503,
    expect.stringContaining('the change was made, but its audit event is not written yet'),
  ])
  for (const [method, path, body] of [
    ['POST', '/api/v1/rulesets', answering('X', 'second')],
    ['DELETE', '/api/v1/rulesets/before', undefined],
    ['PUT', '/api/v1/config/audit-sample-rate', { sample_rate: 5 }],
  ] as const) {
    const refused = await one.request(method, path, body)
    expect([refused.status, refused.body.error]).toEqual([
      503,
      expect.stringContaining('nothing was changed, because the audit events of earlier changes cannot be written'),
    ])
  }
  // Decisions continue.
  expect((await one.request('POST', '/api/v1/execute/before', { input: {} })).status).toBe(200)
  expect(
    readdirSync(rules)
      .filter((name) => name.endsWith('.json'))
      .sort(),
  ).toEqual(['before.json', 'first.json'])
  expect((await one.request('GET', '/api/v1/config/audit-sample-rate')).body).toEqual({ sample_rate: 100 })
  rmSync(join(audit, today), { recursive: true })
  writeFileSync(join(audit, today), kept)
  expect((await one.request('POST', '/api/v1/rulesets', answering('X', 'third'))).status).toBe(201)
  expect(
    lines(audit)
      .filter(({ event }) => event === 'rule_created')
      .map(({ rule_name }) => rule_name),
  ).toEqual(['before', 'first', 'third'])
})

test('with workers the audit names the client, whatever its headers claim', async () => {
  const audit = directory('workers')
  const tokens = directory('tokens')
  const digest = (token: string) => createHash('sha256').update(token).digest('hex')
  writeFileSync(tokens, `root:admin:${digest('root')}\nreads:read:${digest('reads')}\n`)
  const server = await startCrew('--audit-dir', audit, '--api-tokens-file', tokens, '--audit-sample-rate', '100')
  const one = connected(server.url)
  const forged = { 'x-engine-peer-address': '203.0.113.9', connection: 'x-engine-peer-address' }
  const as = (token: string, id: string) => ({ authorization: `Bearer ${token}`, 'x-request-id': id, ...forged })
  const ruleset = answering('X', 'rule')
  expect((await one.request('POST', '/api/v1/rulesets', ruleset, as('root', 'store'))).status).toBe(201)
  expect((await one.request('POST', '/api/v1/rulesets', ruleset, as('reads', 'refused'))).status).toBe(403)
  expect((await one.request('POST', '/api/v1/execute/rule', { input: {} }, as('root', 'run'))).status).toBe(200)
  expect(
    (await one.request('PUT', '/api/v1/config/audit-sample-rate', { sample_rate: 1 }, as('root', 'rate'))).status,
  ).toBe(200)
  expect(await server.stop()).toBe(0)
  const told = lines(audit).flatMap(({ event, token, address, request_id }) =>
    request_id === undefined ? [] : [[request_id, event, token, address]],
  )
  expect(new Set(told)).toEqual(
    new Set([
      ['store', 'rule_created', 'root', '127.0.0.1'],
      ['refused', 'change_refused', 'reads', '127.0.0.1'],
      ['run', 'rule_executed', 'root', '127.0.0.1'],
      ['rate', 'config_changed', 'root', '127.0.0.1'],
    ]),
  )
})

test('without workers a client cannot name its address either', async () => {
  const audit = directory('alone')
  const server = await start(['--audit-dir', audit])
  const headers = { 'x-engine-peer-address': '203.0.113.9', 'x-forwarded-for': '203.0.113.9' }
  const { request } = connected(server.url)
  expect((await request('POST', '/api/v1/rulesets', answering('X', 'rule'), headers)).status).toBe(201)
  expect(lines(audit).find(({ event }) => event === 'rule_created')).toMatchObject({ address: '127.0.0.1' })
})
