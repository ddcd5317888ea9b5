import { defined } from '@engine/expression'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { startPostgres } from '../../tests/postgres.testing.ts'
import { CASES } from '../decisions.ts'
import { discountDocument } from '../documents.ts'
import { median, table } from '../measure.ts'
import { type Place, prepared } from '../platform-place.ts'
import { processorTime, type Running, startBareProxy, startEngine, startPlatform, takeClientCore } from '../servers.ts'
import { put } from './against-bare.ts'

/** Rounds of each side in turns, requests of one, and connections of those that measure throughput. */
const [ROUNDS, SEQUENTIAL, PARALLEL, CONNECTIONS] = [9, 300, 2000, 16] as const
const [KEYS, PERCENT] = [100_000, 20] as const

const BODY = JSON.stringify({ input: CASES[1]?.inputs[9] })
const ENGINE_PATH = '/api/v1/execute/discount'

/**
 * A decision through the platform's proxy, through a bare proxy and directly from the engine, in alternation: the
 * proxy's overhead and throughput, and how exactly it splits keys. Servers share a core, the client has the other one.
 */
export function proxy(): Promise<void> {
  return withTargets(async (sides, { place, through, second }) => {
    printed(await compare(sides, ROUNDS))
    await split(place, through, second)
  })
}

/** Processor time of the platform for a decision against that of a bare proxy, by round. */
export async function costsAgainstBareProxy(count: number): Promise<readonly number[]> {
  const costs: number[] = []
  await withTargets(async (sides) => {
    const found = await compare(sides, count)
    const bare = found.get('through a bare proxy')?.processor ?? []
    for (const [round, cost] of (found.get('through the platform')?.processor ?? []).entries())
      costs.push(cost / (bare[round] ?? Number.NaN))
  })
  return costs
}

interface Split {
  readonly place: Place
  readonly through: Target
  /** Id of the second engine. */
  readonly second: string
}

/** Starts a platform with two engines and a bare proxy. */
async function withTargets(
  use: (sides: Readonly<Record<string, Target>>, split: Split) => Promise<void>,
): Promise<void> {
  takeClientCore()
  const database = await startPostgres()
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'))
  const stopping: (() => Promise<unknown>)[] = [() => database.stop()]
  try {
    const { host, port } = database.client
    const platform = await onPostgres(directory, `postgres://postgres@${host}:${port}/postgres`)
    stopping.unshift(platform.stop)
    const place = await prepared(platform, directory)
    const path = `/api/v1/engine/${place.project}/execute/discount`
    const first = await serving(place, 'prod')
    const second = await serving(place, 'staging')
    const bare = await startBareProxy(first.engine.url)
    stopping.unshift(bare.stop, first.engine.stop, second.engine.stop)
    const through = { url: platform.url + path, headers: { authorization: `Bearer ${place.key}` }, running: platform }
    const sides = {
      'the engine itself': { url: first.engine.url + ENGINE_PATH, headers: {}, running: first.engine },
      'through a bare proxy': { url: bare.url + ENGINE_PATH, headers: {}, running: bare },
      'through the platform': through,
    }
    await use(sides, { place, through, second: second.id })
  } finally {
    for (const stop of stopping) await stop()
    rmSync(directory, { recursive: true })
  }
}

interface Target {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The server at that address. */
  readonly running: Running
}

function onPostgres(directory: string, url: string): Promise<Running> {
  const key = join(directory, 'secret.key')
  writeFileSync(key, randomBytes(32).toString('base64'))
  return startPlatform(directory, '--database-url', url, '--secret-key-file', key)
}

/** An engine that serves an environment, with a separate ruleset. */
async function serving(place: Place, environment: string) {
  const { platform, org, project, ask } = place
  const { token } = await ask('POST', `/orgs/${org}/connect-tokens`, {})
  const name = ['--platform-server-name', environment, '--allow-direct-writes']
  const engine = await startEngine('--platform-url', platform.url, '--platform-connect-token', token, ...name)
  await put(engine, discountDocument('discount'))
  const id = await registeredId(place, environment)
  await ask('PUT', `/projects/${project}/server`, { environment, server_ids: [id] })
  // The ruleset is stored on the engine directly.
  await ask('PUT', `/projects/${project}/environments/${environment}`, { allow_local_rulesets: true })
  return { engine, id }
}

async function compare(sides: Readonly<Record<string, Target>>, count: number): Promise<ReadonlyMap<string, Found>> {
  const found = new Map<string, Found>(
    Object.keys(sides).map((name) => [name, { single: [], rate: [], processor: [] }]),
  )
  for (let round = 0; round < count + 1; round++)
    for (const [name, { single, rate, processor }] of found) {
      const target = defined(sides[name])
      const one = await milliseconds(target, SEQUENTIAL, 1)
      const before = processorTime(target.running)
      const many = await milliseconds(target, PARALLEL, CONNECTIONS)
      // The first round only warms up.
      if (round === 0) continue
      single.push((one / SEQUENTIAL) * 1000)
      rate.push((PARALLEL / many) * 1000)
      processor.push(((processorTime(target.running) - before) / PARALLEL) * 1000)
    }
  return found
}

function printed(found: ReadonlyMap<string, Found>): void {
  table(
    [
      'asked',
      'microseconds of one, over one connection',
      `a second, over ${CONNECTIONS} connections`,
      'processor time of the requested server, µs',
    ],
    Array.from(
      found,
      ([name, { single, rate, processor }]) => [name, median(single), median(rate), median(processor)] as const,
    ),
  )
}

/** Milliseconds for an engine to register. */
const REGISTRATION_TIMEOUT_MS = 20_000

/** The id of an engine at the platform, once it has registered. */
async function registeredId({ ask }: Place, name: string): Promise<string> {
  for (const end = Date.now() + REGISTRATION_TIMEOUT_MS; Date.now() < end; await delay(100)) {
    const { items } = await ask('GET', `/servers?q=${name}`)
    const id = items[0]?.id as string | undefined
    if (id !== undefined) return id
  }
  throw new Error(`the engine ${name} has not registered`)
}

/** One side's results, one figure per round. */
interface Found {
  readonly single: number[]
  readonly rate: number[]
  readonly processor: number[]
}

/** Milliseconds until so many requests are answered over so many connections. */
async function milliseconds(
  { url, headers }: Pick<Target, 'url' | 'headers'>,
  requests: number,
  connections: number,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let left = requests
  const begin = performance.now()
  const connection = async () => {
    while (left-- > 0) await asked(agent, url, headers)
  }
  await Promise.all(Array.from({ length: connections }, connection))
  const elapsed = performance.now() - begin
  agent.destroy()
  return elapsed
}

/** The engine that answered; empty for a direct request to an engine. */
function asked(agent: Agent, url: string, headers: Target['headers']): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(BODY)) },
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      response.resume()
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode === 200) resolve(String(response.headers['x-engine-server'] ?? ''))
        else reject(new Error(`${url}: ${response.statusCode}`))
      })
    })
    sent.end(BODY)
  })
}

/** The share of keys that goes to another environment, by the engine that answers. */
async function split(
  { project, ask }: Place,
  { url, headers }: Pick<Target, 'url' | 'headers'>,
  second: string,
): Promise<void> {
  const staging = await ask('GET', `/projects/${project}/environments/staging`)
  const canary = { canary_target_env_id: staging.id, canary_percentage: PERCENT }
  await ask('PUT', `/projects/${project}/environments/prod/canary`, canary)
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  let next = 0
  let there = 0
  const connection = async () => {
    for (let key = next++; key < KEYS; key = next++)
      if ((await asked(agent, url, { ...headers, 'x-canary-key': `user-${key}` })) === second) there++
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  agent.destroy()
  const share = (there / KEYS) * 100
  console.log(
    `\n${KEYS.toLocaleString('en')} keys at ${PERCENT} %: ${share.toFixed(3)} % (${Math.abs(share - PERCENT).toFixed(3)} points off; bar 0.3)`,
  )
}
