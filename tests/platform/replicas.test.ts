import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../docs/page.testing.ts'
import { newLocation } from './databases.testing.ts'

const PROGRAM = join(ROOT, 'apps/platform-server/bin/engine-platform.js')
const A = '/api/v1'
/** What behind the proxy all replicas have in common. */
const ORIGIN = 'http://platform.example'
/** Seconds: the claim of an idempotency key ends so long after the last sign of the process that was killed. */
const REQUEST_TIMEOUT = 10

let url: string
let folder: string
beforeAll(async () => {
  const location = await newLocation('postgres')
  url = location.kind === 'server' ? location.url : ''
  folder = mkdtempSync(join(tmpdir(), 'replicas-'))
  writeFileSync(join(folder, 'secret.key'), randomBytes(32).toString('base64'))
})
const children = new Set<Replica>()
afterAll(async () => {
  for (const replica of children) await replica.kill()
})

interface Replica {
  readonly url: string
  readonly complaints: () => string
  kill(): Promise<void>
}

/** One replica, as a separate process. */
async function start(): Promise<Replica> {
  const dataDir = mkdtempSync(join(folder, 'replica-'))
  const options = { 'http-addr': '127.0.0.1:0', 'data-dir': dataDir, 'database-url': url, 'public-url': ORIGIN }
  const more = { 'secret-key-file': join(folder, 'secret.key'), 'request-timeout-secs': String(REQUEST_TIMEOUT) }
  const args = Object.entries({ ...options, ...more, 'heartbeat-interval-secs': '1', 'rate-limit': '0' })
  const child = spawn(process.execPath, [PROGRAM, ...args.flatMap(([name, value]) => [`--${name}`, value])], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [log, complaints] = ['', '']
  child.stdout.on('data', (bytes: Buffer) => (log += bytes.toString()))
  child.stderr.on('data', (bytes: Buffer) => (complaints += bytes.toString()))
  const closed = once(child, 'close')
  await expect.poll(() => log + complaints, { timeout: 60_000 }).toContain('"msg":"listening"')
  const replica = {
    url: /"url":"([^"]+)"/.exec(log)?.[1] ?? '',
    complaints: () => complaints,
    async kill() {
      children.delete(replica)
      child.kill('SIGKILL')
      await closed
    },
  }
  children.add(replica)
  return replica
}

interface Answer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- a body is looked at member by member
  readonly body: any
  readonly cookie: string | undefined
}

async function ask(
  { url: base }: Replica,
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(base + A + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    body: text === '' ? undefined : JSON.parse(text),
    cookie: response.headers.getSetCookie().find((line) => line.startsWith('session=')),
  }
}

/** Writers, and projects that each makes before and after the kill. */
const [WRITERS, PROJECTS] = [4, 8] as const

test('two replicas behave as one, even when one is killed under load: nothing acknowledged is lost or duplicated', async () => {
  const one = await start()
  const two = await start()
  const person = await signedIn(two)
  // Replicas share sessions and resources.
  expect((await ask(one, 'GET', '/me', undefined, person)).body.user.email).toBe('owner@localhost')
  const org = (await ask(one, 'POST', '/orgs', { name: 'Acme' }, person)).body.id as string
  const O = `/orgs/${org}`
  const key = { name: 'all', scopes: ['project.read', 'project.manage', 'server.manage', 'token.manage'] }
  const bearer = { authorization: `Bearer ${(await ask(two, 'POST', `${O}/api-keys`, key, person)).body.token}` }
  expect((await ask(one, 'GET', '/me', undefined, bearer)).body.key.name).toBe('all')

  // An engine registers at one replica, which holds its heartbeat; a change at the other replica wakes it.
  const connect = (await ask(two, 'POST', `${O}/connect-tokens`, {}, bearer)).body.token
  const engine = { name: 'e', instance_id: 'e', version: '1.0.0', capabilities: [], tenants: true }
  const registered = (await ask(one, 'POST', '/internal/register', engine, { 'x-connect-token': connect })).body
  const beat = (at: Replica, applied: number, wait_ms: number) => {
    const told = { session: 's', health: null, applied_revision: applied, wait_ms }
    return ask(at, 'POST', '/internal/heartbeat', told, { authorization: `Bearer ${registered.server_token}` })
  }
  expect((await beat(two, 0, 0)).body).toEqual({ revision: 0, changes: [], database_id: expect.any(String) })
  const held = beat(one, 0, 25_000).then(
    () => 'answered',
    () => 'broken off',
  )
  await expect
    .poll(async () => (await ask(two, 'GET', `/servers/${registered.server_id}`, undefined, bearer)).body.status)
    .toBe('online')

  const made = new Map<string, string>()
  const alive = { replicas: [one, two] }
  const write = (writer: number, from: number) => writing(alive, bearer, O, writer, from, made)
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer, 0)))
  const under = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer, PROJECTS)))
  await expect.poll(() => made.size, { interval: 5 }).toBeGreaterThan(WRITERS * PROJECTS + 2)
  alive.replicas = [two]
  await one.kill()
  await under
  expect(made.size).toBe(2 * WRITERS * PROJECTS)
  expect(await held).toBe('broken off')
  // The engine turns to the other replica immediately: nothing waits for the killed one.
  expect((await beat(two, 0, 0)).status).toBe(200)

  await expectWhole(org, made)
  const three = await start()
  expect((await ask(three, 'GET', '/me', undefined, person)).body.user.email).toBe('owner@localhost')
  const [first = ''] = made.keys()
  const renamed = await ask(three, 'PUT', `/projects/${first}`, { description: 'seen by all' }, bearer)
  expect(renamed.status).toBe(200)
  expect((await ask(two, 'GET', `/projects/${first}`, undefined, bearer)).body).toEqual(renamed.body)
}, 180_000)

async function signedIn(replica: Replica): Promise<Readonly<Record<string, string>>> {
  await expect.poll(replica.complaints).toContain('#token=')
  const token = replica.complaints().split('#token=')[1]?.trim()
  const origin = { origin: ORIGIN }
  const { status, cookie = '' } = await ask(
    replica,
    'POST',
    '/auth/token',
    { token, password: 'a long phrase' },
    origin,
  )
  expect(status).toBe(200)
  return { ...origin, cookie: cookie.split(';')[0] ?? '' }
}

/** Create projects one after the other, at any running replica, and record the acknowledged ones. */
async function writing(
  alive: { readonly replicas: readonly Replica[] },
  bearer: Readonly<Record<string, string>>,
  path: string,
  writer: number,
  from: number,
  made: Map<string, string>,
): Promise<void> {
  for (let number = from; number < from + PROJECTS; number++) {
    const name = `project ${writer}.${number}`
    const headers = { ...bearer, 'idempotency-key': randomUUID() }
    for (let attempt = 0; ; attempt++) {
      const replica = alive.replicas[(writer + number + attempt) % alive.replicas.length]
      if (replica === undefined) throw new Error('no replica is there')
      const answer = await ask(replica, 'POST', `${path}/projects`, { name }, headers).catch(() => undefined)
      if (answer?.status === 201) {
        made.set(answer.body.id, name)
        break
      }
      const reason = answer?.body.details?.[0]?.code
      // No answer, none in time, or the claim of the killed one has not ended yet.
      const isOpen = answer === undefined || answer.status >= 500 || (answer.status === 409 && reason === 'busy')
      if (!isOpen) throw new Error(`${answer.status}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

/** Every project exists once, with its environments and one entry in the audit, and there is no other. */
async function expectWhole(org: string, made: ReadonlyMap<string, string>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ id: string; name: string; environments: string; entries: string }>(
      `select p.id, p.name,
        (select count(*) from environments e where e.org_id = p.org_id and e.project_id = p.id) as environments,
        (select count(*) from audit_entries a where a.org_id = p.org_id and a.object_id = p.id::text) as entries
       from projects p where p.org_id = $1`,
      [org],
    )
    expect(new Map(rows.map(({ id, name }) => [id, name]))).toEqual(made)
    for (const { environments, entries } of rows) expect([Number(environments), Number(entries)]).toEqual([3, 1])
    const audit = await client.query(
      "select count(*) as count from audit_entries where org_id = $1 and action = 'project.created'",
      [org],
    )
    expect(Number(audit.rows[0].count)).toBe(made.size)
  } finally {
    await client.end()
  }
}
