import { jsonValue } from '@engine/expression'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'

/**
 * `npm run demo:release`: a platform and an engine on free ports of loopback, traffic through the proxy, and a change that fails
 * for carts without items. A fifth of the customers get it as a canary; the platform finds it and rolls it back. Everything is
 * in one temporary folder, which goes with it. Exit code 0 when the change was rolled back and no request fails any more.
 */
const ROOT = join(import.meta.dirname, '../..')
const BIN = join(ROOT, 'node_modules/.bin')
const NAME = 'delivery-fee'
/** The customers that get the candidate, and the number of concurrent requests. */
const [PERCENT, SENDERS] = [20, 4] as const
/** Customers, of which one in so many has no items. */
const [CUSTOMERS, EMPTY] = [5000, 8] as const
/** Milliseconds between two requests of a sender. */
const PAUSE_MS = 20
const LIMIT_MS = 300_000

const children: ChildProcess[] = []
let isOver = false

function start(program: string, args: readonly string[]): { readonly said: () => string } {
  if (isOver) throw new Error(`the demonstration has ended before ${program} was started`)
  const child = spawn(join(BIN, program), [...args], {
    cwd: ROOT,
    env: { PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text = (text + chunk).slice(-20_000)))
  return { said: () => text }
}

/** Waits until a value exists. */
async function until<Found>(what: string, look: () => Found | undefined | Promise<Found | undefined>): Promise<Found> {
  const end = Date.now() + LIMIT_MS
  while (Date.now() < end) {
    const found = await look()
    if (found !== undefined) return found
    await rest(100)
  }
  throw new Error(`${what} has not happened within ${LIMIT_MS / 1000} s`)
}

const urlIn = (text: string) => /"url":"([^"]+)"/.exec(text)?.[1]

/** A person who is signed in. */
interface Person {
  readonly platform: string
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked at member by member
  ask(method: string, path: string, body?: object): Promise<any>
  readonly cookie: () => string
}

async function signedIn(platform: string, link: string): Promise<Person> {
  const { origin } = new URL(link)
  let cookie = ''
  const ask: Person['ask'] = async (method, path, body) => {
    const response = await fetch(`${platform}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', origin, cookie },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
    return text === '' ? undefined : jsonValue(text)
  }
  await ask('POST', '/auth/token', { token: link.split('#token=')[1], password: 'a long phrase' })
  return { platform, ask, cookie: () => cookie }
}

/** The fee of a cart. The change divides by the number of items, and forgets carts that have none. */
const ruleset = (version: string, fee: string) => ({
  config: { name: NAME, version },
  startStepId: 'fee',
  steps: [
    { id: 'fee', name: 'Fee', type: 'action', assignments: [{ name: 'fee', value: fee }], nextStepId: 'done' },
    { id: 'done', name: 'Done', type: 'terminal', code: 'FEE', output: [{ name: 'fee', value: '$fee' }] },
  ],
})

async function release({ ask }: Person, project: string, version: string, fee: string): Promise<string> {
  const path = `${project}/rulesets/${NAME}`
  const expected_seq = version === '1.0.0' ? 0 : 1
  const { seq } = await ask('POST', path, { ruleset: ruleset(version, fee), expected_seq })
  const rulesets = [{ name: NAME, from_seq: seq }]
  const { id } = await ask('POST', `${project}/releases`, { title: `fee ${version}`, rulesets, environments: ['prod'] })
  await ask('POST', `${project}/releases/${id}/approve`, {})
  await ask('POST', `${project}/releases/${id}/execute`, {})
  return `${project}/releases/${id}`
}

/** The results of customers whose requests began within a time. */
interface Seen {
  answers: number
  errors: number
  readonly versions: Map<string, number>
}

const nothing = (): Seen => ({ answers: 0, errors: 0, versions: new Map() })

/** A decision through the proxy; one without an answer is an error too. */
async function decided(url: string, token: string, customer: string, input: object) {
  try {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-canary-key': customer }
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ input }) })
    await response.text()
    return { isError: response.status !== 200, by: response.headers.get('x-release-id') ?? '-' }
  } catch {
    return { isError: true, by: '-' }
  }
}

/** Send decisions through the proxy, as customers with a key of their own. */
function traffic(url: string, token: string) {
  let seen = nothing()
  const stopping = new AbortController()
  let next = 0
  const send = async () => {
    while (!stopping.signal.aborted) {
      const customer = next++ % CUSTOMERS
      const input = { total: 10 + (customer % 90), items: customer % EMPTY === 0 ? 0 : 1 + (customer % 5) }
      // A request sent before a rollback and answered after it belongs to the time before.
      const own = seen
      const { isError, by } = await decided(url, token, `customer-${customer}`, input)
      own.answers++
      if (isError) own.errors++
      own.versions.set(by, (own.versions.get(by) ?? 0) + 1)
      await rest(PAUSE_MS)
    }
  }
  const sending = Promise.all(Array.from({ length: SENDERS }, send))
  return {
    /** The results since the last call. */
    take(): Seen {
      const taken = seen
      seen = nothing()
      return taken
    },
    async stop() {
      stopping.abort()
      await sending
    },
  }
}

const say = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)}  ${line}`)

/** Print the events of an execution as they come, until it has ended. */
async function follow({ platform, cookie }: Person, execution: string): Promise<void> {
  const response = await fetch(`${platform}/api/v1${execution}/events`, { headers: { cookie: cookie() } })
  let text = ''
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    const blocks = (text + new TextDecoder().decode(piece)).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data !== undefined) say(`  ${sentence(jsonValue(data) as unknown as Told)}`)
    }
  }
}

/** An event, as far as it is printed. */
interface Told {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

function sentence({ type, data }: Told): string {
  switch (type) {
    case 'stage_started':
      return `the candidate gets ${String(data['percent'])} % of the customers`
    case 'stage_verdict': {
      const { canary, stable, e } = data['errors'] as { canary: number; stable: number; e: number }
      const counted = `${canary} of its customers failed, ${stable} of the others; evidence ${e}`
      return `verdict: ${String(data['decision'])} (${String(data['reason'])}): ${counted}`
    }
    case 'server_state':
      return `the engine: ${String(data['ruleset'])} is ${String(data['to'])}`
    default:
      return type.replaceAll('_', ' ')
  }
}

/** The exit code. */
async function main(folder: string): Promise<number> {
  say('starting a platform with its embedded database, and an engine')
  const platform = start('engine-platform', [
    '--http-addr',
    '127.0.0.1:0',
    '--data-dir',
    folder,
    '--heartbeat-interval-secs',
    '1',
    '--rate-limit',
    '0',
  ])
  const url = await until('the start of the platform', () => urlIn(platform.said()))
  const link = join(folder, 'first-sign-in.url')
  const person = await signedIn(
    url,
    await until('the first link', () => (existsSync(link) ? readFileSync(link, 'utf8').trim() : undefined)),
  )
  const { ask } = person
  const org = `/orgs/${(await ask('POST', '/orgs', { name: 'Acme' })).id}`
  const { id } = await ask('POST', `${org}/projects`, { name: 'Shop' })
  const project = `${org}/projects/${id}`
  const { token } = await ask('POST', `${org}/connect-tokens`, {})
  start('engine-server', [
    '--http-addr',
    '127.0.0.1:0',
    '--disable-grpc',
    '--platform-url',
    url,
    '--platform-connect-token',
    token,
  ])
  const server = await until('the registration of the engine', async () =>
    (await ask('GET', '/servers')).items.find((one: { healthy: boolean }) => one.healthy),
  )
  await ask('PUT', `${project}/server`, { environment: 'prod', server_ids: [server.id] })
  const stages = [{ percent: PERCENT, duration_s: 3600 }]
  await ask('PUT', `${project}/environments/prod/canary`, { stages, on_failure: 'rollback' })

  const first = await release(person, project, '1.0.0', 'total >= 50 ? 0 : 4.9')
  await until('the first release', async () => ((await ask('GET', first)).status === 'completed' ? true : undefined))
  say('release 1 is live: customers pay 4.90 below 50')
  const key = await ask('POST', `${org}/api-keys`, { name: 'shop', scopes: ['decision.execute'] })
  const customers = traffic(`${url}/api/v1/engine/${id}/execute/${NAME}`, key.token)
  const printing = setInterval(() => {
    const { answers, errors, versions } = customers.take()
    say(`${answers} customers, ${errors} errors, answered by ${versions.size} release${versions.size === 1 ? '' : 's'}`)
  }, 1000)
  try {
    await rest(3000)
    say('release 2 divides by the number of items; carts without items were forgotten')
    const second = await release(person, project, '2.0.0', 'total / items >= 20 ? 0 : 4.9')
    await follow(person, `${second}/executions/${(await ask('GET', second)).execution_id}`)
    const status = await until('the end of the rollback', async () => {
      const now = (await ask('GET', second)).status as string
      return now.startsWith('roll') && now !== 'rolling_back' ? now : undefined
    })
    say(`release 2 is ${status.replace('_', ' ')}`)
    clearInterval(printing)
    customers.take()
    await rest(3000)
    const { answers, errors } = customers.take()
    say(`${answers} customers since then, ${errors} errors`)
    return status === 'rolled_back' && errors === 0 ? 0 : 1
  } finally {
    clearInterval(printing)
    await customers.stop()
  }
}

/** End the processes, the engine before the platform, and remove the folder. */
async function clear(folder: string): Promise<void> {
  isOver = true
  for (const child of children.toReversed())
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  rmSync(folder, { recursive: true, force: true })
}

/** The exit code of a process that was stopped. */
const interrupted = Promise.race([once(process, 'SIGINT').then(() => 130), once(process, 'SIGTERM').then(() => 143)])

const folder = mkdtempSync(join(tmpdir(), 'engine-demo-'))
try {
  process.exitCode = await Promise.race([main(folder), interrupted])
} catch (error) {
  console.error(error)
  process.exitCode = 1
}
await clear(folder)
// After an interruption, customers and polls would continue.
process.exit()
