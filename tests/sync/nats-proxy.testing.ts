import { once } from 'node:events'
import { createServer, Socket, type Server } from 'node:net'
import { MESSAGES, type Operation, reader } from './nats-protocol.testing.ts'
import { freePort } from './nats.testing.ts'

/** Faults of messages from the server to a client; omitted ones do not occur. */
export interface Chaos {
  /** The share of messages that are delivered a second time, some messages later. */
  readonly duplicate?: number
  /** The share of messages that are held back behind one to five later ones. */
  readonly reorder?: number
  /** Each chunk is late by a time in this range, in milliseconds. Chunks keep their order. */
  readonly delayMs?: readonly [min: number, max: number]
}

/** A proxy between NATS clients and one server: the network that fails. */
export interface NatsProxy {
  readonly url: string
  readonly port: number
  /** Silently drops everything in both directions: connections stay, new ones are accepted and receive nothing. */
  partition(): void
  /** New connections are refused, until `heal`. Those that exist stay. */
  refuse(): void
  /** Ends a partition and a refusal. Held data passes; `drop` loses the messages among it. */
  heal(options?: { readonly drop?: boolean }): Promise<void>
  /** Destroys all connections. */
  cut(): void
  /** Replaces the chaos of before; `{}` ends it. */
  setChaos(chaos: Chaos): void
  close(): Promise<void>
}

/** What all connections have in common. */
interface Network {
  readonly serverPort: number
  readonly random: () => number
  chaos: Chaos
  partitioned: boolean
}

/**
 * Start a proxy before the server at a port of loopback.
 *
 * @param options.random from 0 up to 1: all randomness is taken from it, message by message as they arrive
 */
export async function startNatsProxy(options: { port: number; random: () => number }): Promise<NatsProxy> {
  const network: Network = { serverPort: options.port, random: options.random, chaos: {}, partitioned: false }
  const connections = new Set<Connection>()
  const accept = (client: Socket) => {
    const connection = connect(client, network)
    connections.add(connection)
    void connection.closed.then(() => connections.delete(connection))
  }
  const port = await freePort()
  let listener: Server | undefined
  const listen = async () => {
    // `noDelay`: small messages leave immediately, as without a proxy.
    listener = createServer({ noDelay: true }, accept).listen(port, '127.0.0.1')
    await once(listener, 'listening')
  }
  const refuse = () => {
    listener?.close()
    listener = undefined
  }
  const cut = () => {
    for (const connection of connections) connection.destroy()
  }
  await listen()
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    partition() {
      network.partitioned = true
    },
    refuse,
    async heal({ drop = false } = {}) {
      network.partitioned = false
      for (const connection of connections) connection.heal(drop)
      if (listener === undefined) await listen()
    },
    cut,
    setChaos(chaos) {
      network.chaos = chaos
    },
    async close() {
      const closed = listener === undefined ? undefined : once(listener, 'close')
      refuse()
      cut()
      await closed
    },
  }
}

/** One client's connection, and the proxy's connection to the server for it. */
interface Connection {
  readonly closed: Promise<unknown>
  heal(drop: boolean): void
  destroy(): void
}

function connect(client: Socket, network: Network): Connection {
  const server = new Socket().setNoDelay()
  const delayMs = () => {
    const [min, max] = network.chaos.delayMs ?? [0, 0]
    return max === 0 ? 0 : min + network.random() * (max - min)
  }
  const lanes = [
    lane(client, server, network, (send) => send),
    lane(server, client, network, (send) => shuffler(network, send), delayMs),
  ]
  let dialled = false
  const dial = () => {
    // A client that connected during a partition, and has disconnected since, never reaches the server.
    if (network.partitioned || dialled || client.destroyed) return
    dialled = true
    server.connect(network.serverPort, '127.0.0.1')
  }
  dial()
  return {
    closed: Promise.all([client, server].map((socket) => new Promise((resolve) => socket.once('close', resolve)))),
    heal(drop) {
      dial()
      for (const { heal } of lanes) heal(drop)
    },
    destroy() {
      client.destroy()
      server.destroy()
    },
  }
}

type Send = (operation: Operation) => void

/**
 * One direction of a connection: passes the bytes of `source` on to `target`, in order, when it may.
 *@param changed makes the function that takes arriving operations and sends them on
 * @param delayMs draws how late a chunk is
 */
function lane(source: Socket, target: Socket, network: Network, changed: (send: Send) => Send, delayMs = () => 0) {
  let waiting: { readonly item: Operation | 'end'; readonly due: number }[] = []
  let due = 0
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    if (network.partitioned) return
    const now = performance.now()
    const late = waiting.findIndex((one) => one.due > now)
    for (const { item } of waiting.splice(0, late < 0 ? waiting.length : late))
      if (item === 'end') target.destroySoon()
      else if (target.writable) target.write(item.bytes)
    const [next] = waiting
    if (next !== undefined) timer = setTimeout(flush, next.due - now)
  }
  const send = (item: Operation | 'end') => {
    waiting.push({ item, due })
    // Others that wait have a timer, or wait for the end of a partition.
    if (waiting.length === 1) flush()
  }
  const read = reader()
  const arrived = changed(send)
  source.on('data', (chunk: Buffer) => {
    due = Math.max(due, performance.now() + delayMs())
    target.cork()
    for (const operation of read(chunk)) arrived(operation)
    target.uncork()
    if (!target.writableNeedDrain) return
    source.pause()
    target.once('drain', () => source.resume())
  })
  // An error is followed by `close`, and that waits its turn too: a partition hides it from the other side.
  source.on('error', () => {})
  source.on('close', () => send('end'))
  return {
    heal(drop: boolean) {
      // Only messages get lost. A connection without its SUB would be broken in a way in which no network breaks it.
      if (drop) waiting = waiting.filter(({ item }) => item === 'end' || !MESSAGES.has(item.verb))
      flush()
    },
  }
}

/** How long a message is held back when no later one comes. */
const MAX_HOLD_MS = 50

/** Gives what takes messages and sends them, some twice and some behind later ones. */
function shuffler(network: Network, send: Send): Send {
  let held: { readonly operation: Operation; behind: number }[] = []
  let timer: NodeJS.Timeout | undefined
  const release = () => {
    for (const { operation } of held.splice(0)) send(operation)
  }
  return (operation) => {
    if (operation.verb === 'INFO' && operation.bytes.includes('"connect_urls"'))
      throw new Error('this server names others, and its clients would go there, past the proxy')
    if (!mayBeShuffled(operation)) return send(operation)
    const { random, chaos } = network
    const hold = () => ({ operation, behind: 1 + Math.floor(random() * 5) })
    const late = random() < (chaos.reorder ?? 0) ? [hold()] : []
    const again = random() < (chaos.duplicate ?? 0) ? [hold()] : []
    if (late.length === 0) send(operation)
    for (const one of held) if (--one.behind === 0) send(one.operation)
    held = [...held.filter(({ behind }) => behind > 0), ...late, ...again]
    clearTimeout(timer)
    if (held.length > 0) timer = setTimeout(release, MAX_HOLD_MS)
  }
}

/**
 * Answers to requests come to an inbox and are awaited once: they are spared. Messages of a stream to a pull consumer come to an
 * inbox too, and are recognised by the subject of their acknowledgement.
 */
function mayBeShuffled({ verb, words }: Operation): boolean {
  if (verb !== 'MSG' && verb !== 'HMSG') return false
  // MSG subject sid [reply] size, HMSG subject sid [reply] header-size size
  const reply = words.length > (verb === 'MSG' ? 4 : 5) ? words[3] : undefined
  return reply?.startsWith('$JS.ACK.') === true || words[1]?.startsWith('_INBOX.') === false
}
