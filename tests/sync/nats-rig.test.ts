import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, createInbox, headers, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node'
import { afterEach, expect, test } from 'vitest'
import { seededRandom } from '../../packages/ruleset/src/random.testing.ts'
import { startNatsProxy, type NatsProxy } from './nats-proxy.testing.ts'
import { killAllNats, startNats } from './nats.testing.ts'

const clients: NatsConnection[] = []
const proxies: NatsProxy[] = []

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()))
  await killAllNats()
})

/** A server behind a proxy. */
async function startBoth() {
  const nats = await startNats()
  const proxy = await startNatsProxy({ port: nats.port, random: seededRandom(1) })
  proxies.push(proxy)
  return { nats, proxy }
}

async function connected(to: { readonly url: string }, options: ConnectionOptions = {}): Promise<NatsConnection> {
  const client = await connect({ servers: to.url, maxReconnectAttempts: -1, reconnectTimeWait: 50, ...options })
  clients.push(client)
  return client
}

/** Waits for an event of a client; call it before the cause. */
async function tells(client: NatsConnection, type: 'disconnect' | 'reconnect'): Promise<void> {
  for await (const status of client.status()) if (status.type === type) return
}

/** Messages on a subject, in order of arrival. */
async function heard(client: NatsConnection, subject: string): Promise<readonly string[]> {
  const texts: string[] = []
  client.subscribe(subject, { callback: (_, message) => void texts.push(message.string()) })
  await client.flush()
  return texts
}

const isDone = (promise: Promise<unknown>, withinMs: number) =>
  Promise.race([promise.then(() => true), delay(withinMs, false)])

test('messages pass unharmed both ways, of all sizes, with and without headers', async () => {
  const { proxy } = await startBoth()
  const client = await connected(proxy)
  const received: { readonly data: Uint8Array; readonly note: string | undefined }[] = []
  client.subscribe('echo', {
    callback: (_, { data, headers: given }) => void received.push({ data: data.slice(), note: given?.get('note') }),
  })
  const sizes = [0, 1, 2, 100, 4096, 65_535, 65_536, 300_000, 900_000]
  const payloads = [...sizes.map((size) => randomBytes(size)), Buffer.from('\r\nMSG echo 1 5\r\nPING\r\n\n')]
  for (const payload of payloads) {
    const note = headers()
    note.set('note', `of ${payload.length} bytes`)
    client.publish('echo', payload)
    client.publish('echo', payload, { headers: note })
  }
  await client.flush()
  expect(received.map(({ note }) => note)).toEqual(payloads.flatMap(({ length }) => [undefined, `of ${length} bytes`]))
  for (const [at, { data }] of received.entries()) expect(payloads[at >> 1]?.equals(data), `message ${at}`).toBe(true)
})

test('a partition is silent, is noticed by pings, and heals', async () => {
  const { proxy } = await startBoth()
  const client = await connected(proxy, { pingInterval: 500, maxPingOut: 2, timeout: 1000 })
  const news = await heard(client, 'news')
  const disconnected = tells(client, 'disconnect')
  const before = performance.now()
  proxy.partition()
  await disconnected
  expect(performance.now() - before).toBeGreaterThan(900)
  await expect(connected(proxy, { reconnect: false, timeout: 300 })).rejects.toThrow('timeout')
  const reconnected = tells(client, 'reconnect')
  expect(await isDone(reconnected, 300)).toBe(false)
  await proxy.heal()
  await reconnected
  client.publish('news', 'again')
  await expect.poll(() => news).toEqual(['again'])
})

test.each([false, true])('what a partition holds back passes on when it heals, unless dropped: %s', async (drop) => {
  const { nats, proxy } = await startBoth()
  const near = await connected(nats)
  const far = await connected(proxy)
  const atNear = await heard(near, 'to.near')
  const atFar = await heard(far, 'to.far')
  proxy.partition()
  near.publish('to.far', 'held')
  far.publish('to.near', 'held')
  await near.flush()
  await delay(200)
  expect([...atNear, ...atFar]).toEqual([])
  await proxy.heal({ drop })
  await far.flush()
  near.publish('to.far', 'next')
  far.publish('to.near', 'next')
  const expected = drop ? ['next'] : ['held', 'next']
  await expect.poll(() => [atNear, atFar]).toEqual([expected, expected])
})

test('after a cut a client comes back, unless it is refused', async () => {
  const { proxy } = await startBoth()
  const client = await connected(proxy)
  const news = await heard(client, 'news')
  for (const refused of [false, true]) {
    const disconnected = tells(client, 'disconnect')
    const reconnected = tells(client, 'reconnect')
    if (refused) {
      proxy.refuse()
      await client.flush()
      await expect(connected(proxy, { reconnect: false })).rejects.toThrow('connection refused')
    }
    proxy.cut()
    await disconnected
    if (refused) expect(await isDone(reconnected, 300)).toBe(false)
    if (refused) await proxy.heal()
    await reconnected
  }
  client.publish('news', 'again')
  await expect.poll(() => news).toEqual(['again'])
})

test('chaos delivers twice and out of order, and with acknowledgements nothing is lost', async () => {
  const { nats, proxy } = await startBoth()
  const direct = await connected(nats)
  const manager = await jetstreamManager(direct)
  await manager.streams.add({ name: 'EVENTS', subjects: ['events.>'] })
  await manager.consumers.add('EVENTS', { durable_name: 'reader', ack_policy: 'explicit' })
  const count = 500
  await Promise.all(Array.from({ length: count }, (_, at) => jetstream(direct).publish('events.one', `${at + 1}`)))

  proxy.setChaos({ duplicate: 0.2, reorder: 0.2 })
  const far = await connected(proxy)
  const seen: number[] = []
  const consumer = await jetstream(far).consumers.get('EVENTS', 'reader')
  const messages = await consumer.consume({
    callback(message) {
      expect(message.string()).toBe(`${message.seq}`)
      seen.push(message.seq)
      message.ack()
    },
  })
  const unsettled = async () => {
    const { num_pending, num_ack_pending } = await manager.consumers.info('EVENTS', 'reader')
    return num_pending + num_ack_pending
  }
  await expect.poll(unsettled, { timeout: 10_000 }).toBe(0)
  await messages.close()

  expect(new Set(seen).size).toBe(count)
  expect(seen.length - count).toBeGreaterThan(count / 10)
  const firsts = [...new Set(seen)]
  expect(firsts.filter((sequence, at) => sequence < (firsts[at - 1] ?? 0)).length).toBeGreaterThan(count / 20)
  for (const [at, sequence] of firsts.entries()) expect(Math.abs(sequence - 1 - at)).toBeLessThanOrEqual(5)
})

test('chaos is the same again with the same random numbers', async () => {
  const nats = await startNats()
  const orders: (readonly string[])[] = []
  for (const seed of [7, 7, 8]) {
    const proxy = await startNatsProxy({ port: nats.port, random: seededRandom(seed) })
    proxies.push(proxy)
    proxy.setChaos({ duplicate: 0.3, reorder: 0.3 })
    const client = await connected(proxy)
    const news = await heard(client, 'news')
    for (let at = 0; at < 50; at++) client.publish('news', `${at}`)
    await expect.poll(() => new Set(news).size).toBe(50)
    await delay(200)
    await client.close()
    orders.push(news)
  }
  const [one, same, other] = orders
  expect(same).toEqual(one)
  expect(other).not.toEqual(one)
})

test('chaos spares the answers to requests', async () => {
  const { proxy } = await startBoth()
  const client = await connected(proxy)
  proxy.setChaos({ duplicate: 1, reorder: 1 })
  const inbox = createInbox()
  const answers = await heard(client, inbox)
  for (let at = 0; at < 10; at++) client.publish('$JS.API.INFO', '', { reply: inbox })
  await expect.poll(() => answers.length).toBe(10)
  await delay(200)
  expect(answers).toHaveLength(10)
})

test('chaos delays chunks, and keeps their order', async () => {
  const { proxy } = await startBoth()
  const client = await connected(proxy)
  const news = await heard(client, 'news')
  proxy.setChaos({ delayMs: [50, 150] })
  const texts = Array.from({ length: 20 }, (_, at) => `${at}`)
  for (const text of texts) {
    client.publish('news', text)
    await delay(5)
  }
  expect(await client.rtt()).toBeGreaterThan(45)
  expect(news).toEqual(texts)
  proxy.setChaos({})
  await client.flush()
  expect(await client.rtt()).toBeLessThan(45)
})

test.each(['kill', 'stop'] as const)('%s and start keep what was acknowledged, at the same address', async (how) => {
  const { nats, proxy } = await startBoth()
  const client = await connected(proxy)
  const manager = await jetstreamManager(client)
  await manager.streams.add({ name: 'EVENTS', subjects: ['events.>'] })
  for (const text of ['one', 'two', 'three']) await jetstream(client).publish('events.one', text)
  const reconnected = tells(client, 'reconnect')
  await nats[how]()
  await nats.start()
  await reconnected
  await jetstream(client).publish('events.one', 'four')
  const texts: (string | undefined)[] = []
  for (let seq = 1; seq <= 4; seq++) texts.push((await manager.streams.getMessage('EVENTS', { seq }))?.string())
  expect(texts).toEqual(['one', 'two', 'three', 'four'])

  await nats.wipe()
  await nats.start()
  const empty = await jetstreamManager(await connected(nats))
  expect((await empty.streams.names().next()).length).toBe(0)
})

test('a paused server answers nothing until it is resumed, and can be ended', async () => {
  const { nats, proxy } = await startBoth()
  const client = await connected(proxy, { pingInterval: 500, maxPingOut: 2, timeout: 1000 })
  const disconnected = tells(client, 'disconnect')
  const reconnected = tells(client, 'reconnect')
  nats.pause()
  // The signal may find it in the middle of an answer.
  await expect.poll(() => isDone(client.flush(), 200)).toBe(false)
  await disconnected
  nats.resume()
  await reconnected
  await client.flush()
  nats.pause()
  await nats.stop()
})

test('extra configuration is applied', async () => {
  const client = await connected(await startNats({ config: 'max_payload: 8MB' }))
  expect(client.info?.max_payload).toBe(8 * 1024 * 1024)
})

test('a server does not outlive the process that started it', async () => {
  const module = join(import.meta.dirname, 'nats.testing.ts')
  const script = `const { port } = await (await import(${JSON.stringify(module)})).startNats(); console.log(port)`
  const runner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = (await once(runner.stdout.setEncoding('utf8'), 'data')) as [string]
  const client = connectTcp(Number(port), '127.0.0.1')
  await once(client, 'data')
  client.resume()
  const ended = once(client, 'close')
  runner.kill('SIGKILL')
  await ended
})
