import { jsonValue } from '@engine/expression'
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Nats, startNats } from '../../tests/sync/nats.testing.ts'
import { discountDocument } from '../documents.ts'
import { median, round, table } from '../measure.ts'
import { type Running, startEngine } from '../servers.ts'

const EVENTS = 100_000
const RULESETS = 1000
const CHANGES = 1000
/** Changes under way at the same time. */
const CONCURRENCY = 32

/** A writer and a reader over a real broker. */
export async function sync(): Promise<void> {
  const nats = await startNats()
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'))
  try {
    await latency(nats, directory)
    await nats.wipe()
    await nats.start()
    await catchUp(nats)
  } finally {
    await nats.close()
    rmSync(directory, { recursive: true })
  }
}

const member = (nats: Nats, role: string, ...more: readonly string[]) =>
  startEngine('--role', role, '--instance-id', role, '--broker-url', nats.url, ...more)

/** From the writer's response to the first decision of the reader with the change, compared with the bare broker. */
async function latency(nats: Nats, directory: string): Promise<void> {
  const inMemory = await applied(nats, 'without directories')
  await nats.wipe()
  await nats.start()
  const onDisk = await applied(
    nats,
    'with directories',
    ['--rules-dir', join(directory, 'writer')],
    ['--rules-dir', join(directory, 'reader')],
  )
  const bare = await bareBroker(nats)
  table(
    [`${CHANGES} changes, one after the other`, 'median ms', 'p99 ms', 'times the bare broker'],
    [bare, inMemory, onDisk].map(({ name, milliseconds }) => [
      name,
      median(milliseconds),
      percentile(milliseconds, 0.99),
      median(milliseconds) / median(bare.milliseconds),
    ]),
  )
}

interface Latency {
  readonly name: string
  readonly milliseconds: readonly number[]
}

async function applied(
  nats: Nats,
  name: string,
  writerOptions: readonly string[] = [],
  readerOptions: readonly string[] = [],
): Promise<Latency> {
  const writer = await member(nats, 'writer', ...writerOptions)
  const reader = await member(nats, 'reader', ...readerOptions)
  const client = new Client()
  const milliseconds: number[] = []
  for (let change = 0; change < CHANGES + 50; change++) {
    await client.post(writer, '/api/v1/rulesets', marked('change', change))
    const acknowledged = performance.now()
    while (!(await client.post(reader, '/api/v1/execute/change', { input: {} })).includes(`"mark":${change}}`)) {
      // Polled again immediately: a response takes a fraction of a millisecond.
    }
    if (change >= 50) milliseconds.push(performance.now() - acknowledged)
  }
  client.close()
  await reader.stop()
  await writer.stop()
  return { name: `from acknowledged to applied, ${name}`, milliseconds }
}

/** The broker's own latency: from the call to the callback of a durable consumer, between two clients. */
async function bareBroker(nats: Nats): Promise<Latency> {
  const connection = await connect({ servers: nats.url })
  const manager = await jetstreamManager(connection)
  await manager.streams.add({ name: 'bare', subjects: ['bare.>'] })
  await manager.consumers.add('bare', { durable_name: 'bare', ack_policy: AckPolicy.Explicit })
  const consumer = await jetstream(connection).consumers.get('bare', 'bare')
  let arrived: () => void = () => undefined
  const messages = await consumer.consume({
    callback: (message) => {
      message.ack()
      arrived()
    },
  })
  const payload = JSON.stringify(marked('change', 0))
  const milliseconds: number[] = []
  for (let change = 0; change < CHANGES + 50; change++) {
    const begin = performance.now()
    const isThere = new Promise<void>((resolve) => (arrived = resolve))
    await Promise.all([jetstream(connection).publish('bare.x', payload), isThere])
    if (change >= 50) milliseconds.push(performance.now() - begin)
  }
  await messages.close()
  await connection.close()
  return { name: 'the bare broker, from publish to delivered', milliseconds }
}

/** A reader that was offline while many events were published. */
async function catchUp(nats: Nats): Promise<void> {
  const writer = await member(nats, 'writer')
  const first = await member(nats, 'reader')
  await first.stop()
  const client = new Client()
  let next = 0
  const begin = performance.now()
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (next < EVENTS) {
        const event = next++
        // Identical content would not be a change.
        const document = discountDocument(`rule-${event % RULESETS}`, `1.0.${event}`)
        await client.post(writer, '/api/v1/rulesets', document)
      }
    }),
  )
  const published = (performance.now() - begin) / 1000
  while ((await health(client, writer)).outbox > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  const { digest } = await health(client, writer)
  const start = performance.now()
  const reader = await member(nats, 'reader')
  let alike = Number.NaN
  for (;;) {
    const now = await health(client, reader)
    if (Number.isNaN(alike) && now.digest === digest) alike = (performance.now() - start) / 1000
    if (now.digest === digest && now.last_applied_seq >= EVENTS) break
  }
  const through = (performance.now() - start) / 1000
  client.close()
  await reader.stop()
  await writer.stop()
  console.log('')
  table(
    [`${EVENTS.toLocaleString('en')} events of ${RULESETS} rulesets`, 'seconds', 'events a second'],
    [
      [`changed on the writer, ${CONCURRENCY} at a time`, published, round(EVENTS / published)],
      ['reader that was away, from its start to the digest of the writer', alike, '-'],
      ['the same until all events are dealt with', through, round(EVENTS / through)],
    ],
  )
}

interface SyncHealth {
  readonly digest: string
  readonly outbox: number
  readonly last_applied_seq: number
}

async function health(client: Client, of: Running): Promise<SyncHealth> {
  return (jsonValue(await client.ask(of, 'GET', '/health')) as unknown as { sync: SyncHealth }).sync
}

/** Requests over connections that stay open. */
class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY })

  post(to: Running, path: string, body: object): Promise<string> {
    return this.ask(to, 'POST', path, JSON.stringify(body))
  }

  ask(to: Running, method: string, path: string, body?: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' }
      const sent = request(`${to.url}${path}`, { method, agent: this.#agent, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('end', () => resolve(text))
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

function marked(name: string, mark: number): object {
  return {
    config: { name, version: '1.0.0', entry_step: 'end' },
    steps: { end: { id: 'end', type: 'terminal', result: { code: 'OK', message: 'decided', mark } } },
  }
}

function percentile(values: readonly number[], part: number): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length * part)] ?? Number.NaN
}
