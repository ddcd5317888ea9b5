import { afterAll, expect, test } from 'vitest'
import { seededRandom } from '../../packages/ruleset/src/random.testing.ts'
import { casesOf, printSeed, SEED } from '../cases.testing.ts'
import { newLocation } from './databases.testing.ts'
import { balanced, type Program, programOf, replicasOf } from './rollout-rounds.testing.ts'
import { charging, FAILING } from './rollouts.testing.ts'

/**
 * Releases while processes are killed and stopped: two replicas of the platform on one database, and three engines. Each release
 * ends completed or rolled back, every engine has one of the two contents, and the history has each step once. At
 * least three rounds run, so that each kind of release runs once; a round takes as long as a program takes to start. `CASES=100` has a hundred of them.
 */
const ROUNDS = Math.max(3, casesOf(9))
/** Only ends what hangs. */
const LIMIT_MS = 3_600_000
/** For which no replica may answer: while one is started again the other one does. */
const PATIENCE_MS = 150_000
const ORIGIN = 'http://platform.example'
const A = '/api/v1'
const NAME = 'fee'

let replicas: readonly Program[] = []
let engines: readonly Program[] = []
let entry: Awaited<ReturnType<typeof balanced>>
let P: string
let O: string
let caller: Readonly<Record<string, string>>
const person: Record<string, string> = { origin: ORIGIN }

/** Two replicas, and three engines that have a first content. */
async function prepare(): Promise<void> {
  const location = await newLocation('postgres')
  replicas = replicasOf(2, location.kind === 'server' ? location.url : '', ORIGIN)
  const [first] = replicas
  await first?.start()
  entry = await balanced(replicas)
  const token = first?.said().split('#token=')[1]?.trim().split(/\s/)[0] ?? ''
  const signed = await fetch(`${entry.url}${A}/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: ORIGIN },
    body: JSON.stringify({ token, password: 'a long phrase' }),
  })
  expect(signed.status, await signed.text()).toBe(200)
  person['cookie'] = signed.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  await replicas[1]?.start()
  O = `/orgs/${(await ask('POST', '/orgs', { name: 'Acme' })).id}`
  P = `${O}/projects/${(await ask('POST', `${O}/projects`, { name: 'Shop' })).id}`
  const key = await ask('POST', `${O}/api-keys`, { name: 'caller', scopes: ['decision.execute'] })
  caller = { authorization: `Bearer ${key.token}` }
  const connect = (await ask('POST', `${O}/connect-tokens`, {})).token as string
  engines = [0, 1, 2].map((index) =>
    programOf('engine', `engine ${index}`, () => {
      const link = ['--platform-url', entry.url, '--platform-connect-token', connect]
      return [
        ...link,
        '--platform-server-name',
        `e${index}`,
        '--http-addr',
        '127.0.0.1:0',
        '--disable-grpc',
        '--multi-tenancy-enabled',
      ]
    }),
  )
  for (const engine of engines) await engine.start()
  await expect.poll(async () => (await healthy()).length).toBe(3)
  await ask('PUT', `${P}/server`, { environment: 'prod', server_ids: await healthy() })
  const { release } = await begin('2')
  expect(await endOf(release)).toBe('completed')
}
afterAll(async () => {
  for (const program of [...engines, ...replicas]) await program.kill()
  await entry.close()
})

/** Again, where no replica answered. A request that was answered twice has the same effect. */
// oxlint-disable-next-line typescript/no-explicit-any -- a body is looked at member by member
async function ask(method: string, path: string, body?: object, headers: object = person): Promise<any> {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    if (Date.now() > end) throw new Error(`no replica has answered ${method} ${path}`)
    const answer = await fetch(entry.url + A + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    }).catch(() => undefined)
    const text = await answer?.text().catch(() => undefined)
    if (answer === undefined || text === undefined || answer.status >= 500) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      continue
    }
    return text === '' ? {} : { ...JSON.parse(text), http: answer.status }
  }
}

const servers = async () => (await ask('GET', '/servers')).items as readonly Server[]
const healthy = async () => (await servers()).filter((one) => one.healthy).map(({ id }) => id)

interface Server {
  readonly id: string
  readonly healthy: boolean
  readonly current_rulesets: readonly { readonly name: string; readonly digest: string }[]
}

/** Save a content, and have it released. */
async function begin(factor: string) {
  const before = await ask('GET', `${P}/rulesets/${NAME}`)
  const expected_seq = before.http === 200 ? before.seq : 0
  const saved = await ask('POST', `${P}/rulesets/${NAME}`, { ruleset: charging(NAME, factor), expected_seq })
  const rulesets = [{ name: NAME, from_seq: saved.seq }]
  const { id } = await ask('POST', `${P}/releases`, { title: factor, rulesets, environments: ['prod'] })
  const release = `${P}/releases/${id}`
  await ask('POST', `${release}/approve`, {})
  const started = await ask('POST', `${release}/execute`, {}, { ...person, 'idempotency-key': `execute-${id}` })
  expect(started.http, JSON.stringify(started)).toBe(202)
  return { release, digest: (await ask('GET', release)).rulesets[0].digest as string }
}

const FINAL = new Set(['completed', 'failed', 'cancelled', 'rolled_back', 'rollback_failed'])

async function endOf(release: string): Promise<string> {
  let status = ''
  await expect
    .poll(async () => FINAL.has((status = (await ask('GET', release)).status)), { timeout: 150_000, interval: 50 })
    .toBe(true)
  return status
}

/** Send decisions, which a canary counts, until stopped. */
function traffic() {
  const stopping = new AbortController()
  let count = 0
  const path = `${A}/engine/${P.split('/').at(-1)}/execute/${NAME}`
  const sending = Promise.all(
    [0, 1, 2, 3].map(async (sender) => {
      while (!stopping.signal.aborted) {
        const headers = { 'content-type': 'application/json', ...caller, 'x-canary-key': `${sender}-${count++}` }
        const body = JSON.stringify({ input: { amount: 10 } })
        const answer = await fetch(entry.url + path, { method: 'POST', headers, body }).catch(() => undefined)
        await answer?.text().catch(() => '')
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }),
  )
  return async () => {
    stopping.abort()
    await sending
  }
}

/** A content that passes without a canary, one that passes after a canary, or a bad one. */
const KINDS = [
  { stages: [], isBad: false },
  { stages: [{ percent: 50, duration_s: 1 }], isBad: false },
  { stages: [{ percent: 50, duration_s: 3600 }], isBad: true },
] as const

test(
  `${ROUNDS} releases end while processes are killed and stopped`,
  async () => {
    printSeed(ROUNDS)
    await prepare()
    const random = seededRandom(SEED)
    const ends: Record<string, number> = {}
    let live = await liveDigest()
    for (let round = 0; round < ROUNDS; round++) {
      const { stages, isBad } = KINDS[round % KINDS.length] ?? KINDS[0]
      const settings = { stages, on_failure: 'rollback', on_inconclusive: 'promote' }
      await ask('PUT', `${P}/environments/prod/canary`, settings)
      const stop = traffic()
      const { release, digest, status } = await carriedOut(isBad ? FAILING : `${round + 3}`, random).finally(stop)
      ends[status] = (ends[status] ?? 0) + 1
      expect(status, `round ${round}`).toBe(isBad ? 'rolled_back' : 'completed')
      const expected = isBad ? live : digest
      await expect
        .poll(async () => (await servers()).flatMap(({ current_rulesets: held }) => held.map((one) => one.digest)), {
          timeout: 60_000,
        })
        .toEqual([expected, expected, expected])
      live = expected
      await expectOnce(release)
    }
    console.log(ends)
  },
  LIMIT_MS,
)

async function liveDigest(): Promise<string> {
  const { items } = await ask('GET', `${P}/rulesets`)
  return items[0].live[0].digest
}

/** A release that is disturbed on its way, and how it ended. */
async function carriedOut(factor: string, random: () => number) {
  const begun = await begin(factor)
  await disturb(random)
  return { ...begun, status: await endOf(begun.release) }
}

/** The lease of an execution is 2 s: what another replica has taken by then is its own. */
const BEYOND_LEASE_MS = 2200

/** Kill or stop one of the processes, at any moment of an execution; killed ones are restarted. */
async function disturb(random: () => number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, random() * 1500))
  const all = [...replicas, ...engines]
  const program = all[Math.floor(random() * all.length)]
  if (random() < 0.3) return program?.freeze(BEYOND_LEASE_MS)
  await program?.kill()
  await program?.start()
}

/** Each step is in the history once, and the numbers have no gap. */
async function expectOnce(release: string): Promise<void> {
  const { items } = await ask('GET', `${release}/history?limit=200`)
  const events = items as readonly { readonly id: number; readonly type: string; readonly data: object }[]
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1))
  const steps = events
    .filter(({ type }) => type !== 'stage_verdict' && type !== 'server_state' && type !== 'release_reviewed')
    .map(({ type, data }) => (type.startsWith('stage_') ? `${type} ${JSON.stringify(data)}` : type))
  expect(new Set(steps).size, steps.join(', ')).toBe(steps.length)
}
