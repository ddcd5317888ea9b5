import { AckPolicy } from '@nats-io/jetstream'
import { setTimeout as delay } from 'node:timers/promises'
import { seeded } from '../../apps/engine-server/src/sync/random.testing.ts'
import { connected } from './fleet-over-nats.testing.ts'
import { marked, type Member, member, temporaryFolder, until } from './fleet.testing.ts'
import { Ledger } from './ledger.testing.ts'
import { type NatsCluster, startNatsCluster } from './nats-cluster.testing.ts'
import { type NatsProxy, startNatsProxy } from './nats-proxy.testing.ts'
import type { Nats } from './nats.testing.ts'

const NAMES = Array.from({ length: 100 }, (_, index) => `rules-${index}`)
const READERS = 3
/** Changes that are made at the same time, each of other rulesets. */
const CLIENTS = 3
/** Milliseconds between two changes of one client: some 30 changes a second in all. */
const PACE_MS = 100
const STREAM = 'engine-rules'
const STATE = 'KV_engine-rules-state'
/** Milliseconds from which a round is late. */
const LATE_MS = 9000
/** Milliseconds after which a round has failed. */
const MAX_INTERVAL_MS = 60_000

/** What one round found. */
export interface Round {
  readonly fault: string
  /** Changes that were acknowledged in it. */
  readonly changes: number
  /** Milliseconds from the end of the fault until the servers had leaders again, and answered. */
  readonly brokersMs: number
  /** Milliseconds from then until every reader decided by each change that was acknowledged up to then. */
  readonly alikeMs: number
  /** The last log lines of all members where that took long. */
  readonly late: string
}

/** The result of a run. */
export interface ClusterRun {
  readonly rounds: readonly Round[]
  readonly acknowledged: number
  readonly unanswered: number
  readonly reads: number
  /** Changes that were lost, and readers that went backwards; empty is good. */
  readonly violations: readonly string[]
  /** Rounds that did not come about as they should have. */
  readonly failures: readonly string[]
}

/** A member and the network between it and each of the servers. */
interface Peer {
  readonly member: Member
  readonly proxies: readonly NatsProxy[]
}

interface World {
  readonly cluster: NatsCluster
  readonly writer: Peer
  readonly readers: readonly Peer[]
}

/** What fails, and what heals it once the readers have been looked at; undefined: it has healed by then. */
type Fault = (world: World) => Promise<(() => Promise<void>) | void>

const all = <T>(items: readonly T[], run: (item: T) => unknown) => Promise.all(items.map(run))

async function manager<T>({ cluster }: World, use: (there: Awaited<ReturnType<typeof connected>>) => Promise<T>) {
  await using there = await connected(cluster.servers.map(({ url }) => url))
  // Not before it is done is the connection closed.
  return await use(there)
}

/** The server that leads a stream, or a consumer of the stream of events. */
async function leader(world: World, stream: string, consumer?: string): Promise<Nats> {
  let found: Nats | undefined
  await until('there is a leader', async () => {
    const name = await manager(world, async ({ manager: { streams, consumers } }) => {
      const { cluster } = await (consumer === undefined ? streams.info(stream) : consumers.info(stream, consumer))
      return cluster?.leader
    }).catch(() => undefined)
    found = world.cluster.servers[Number(name?.slice(1) ?? Number.NaN)]
    return found !== undefined
  })
  if (found === undefined) throw new Error('there is no leader')
  return found
}

/** Milliseconds that a server is down before the readers are checked: an election takes up to nine seconds. */
const AWAY_MS = 10_000

/** The server is killed and stays dead while the readers are looked at. */
const dies =
  (stream: string, consumer?: string, whileDead: (world: World) => Promise<void> = async () => {}): Fault =>
  async (world) => {
    const server = await leader(world, stream, consumer)
    await server.kill()
    await delay(AWAY_MS)
    await whileDead(world)
    return () => server.start()
  }

const restart = async ({ member: one }: Peer, awayMs: number) => {
  await one.kill()
  await delay(awayMs)
  await one.start()
}

const partitioned = async ({ proxies }: Peer, milliseconds: number) => {
  for (const proxy of proxies) proxy.partition()
  await delay(milliseconds)
  await all(proxies, (proxy) => proxy.heal({ drop: true }))
}

const chaos = (world: World, now: Parameters<NatsProxy['setChaos']>[0]) => {
  for (const { proxies } of [world.writer, ...world.readers]) for (const proxy of proxies) proxy.setChaos(now)
}

/** Every fault of a round. */
const FAULTS: Readonly<Record<string, Fault>> = {
  'stream and bucket scaled from 1 to 3 copies, then the leader dead': async (world) => {
    for (const name of [STREAM, STATE])
      await until('it has one copy', () =>
        manager(world, async ({ manager: { streams } }) => streams.update(name, { num_replicas: 1 })).then(
          () => true,
          () => false,
        ),
      )
    await until('the writer has asked for three copies', async () => {
      const copies = await manager(world, ({ manager: { streams } }) =>
        Promise.all([STREAM, STATE].map(async (name) => (await streams.info(name)).config.num_replicas)),
      ).catch(() => [1])
      return copies.every((count) => count === 3)
    })
    // Until the new copies are complete, only the server with the old copy can serve it.
    await until(
      'the writer has published what waited',
      async () => (await world.writer.member.health())?.sync.outbox === 0,
    )
    await settled(world)
    return dies(STREAM)(world)
  },
  'server of a reader’s place dead (C1)': dies(STREAM, 'engine-r0'),
  'stream leader dead': dies(STREAM),
  'bucket leader dead': dies(STATE),
  'server of a reader’s place dead, the reader restarted (C1)': dies(STREAM, 'engine-r1', ({ readers }) =>
    restart(readers[1] as Peer, 500),
  ),
  'stream leader stands still (SIGSTOP)': async (world) => {
    const server = await leader(world, STREAM)
    server.pause()
    await delay(AWAY_MS)
    return async () => server.resume()
  },
  'two of three dead for 10 s': async ({ cluster: { servers } }) => {
    await all(servers.slice(0, 2), (server) => server.kill())
    await delay(10_000)
    await all(servers.slice(0, 2), (server) => server.start())
  },
  'all three killed': async ({ cluster: { servers } }) => {
    await all(servers, (server) => server.kill())
    await delay(3000)
    await all(servers, (server) => server.start())
  },
  'rolling restart': async ({ cluster: { servers } }) => {
    for (const server of servers) {
      await server.stop()
      await server.start()
      await delay(3000)
    }
  },
  'lame duck mode of the stream leader': async (world) => {
    const server = await leader(world, STREAM)
    await server.retire()
    return () => server.start()
  },
  'five step-downs of the stream leader': async (world) => {
    for (let count = 0; count < 5; count++) {
      await leader(world, STREAM)
      await manager(world, async ({ connection }) => {
        await connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${STREAM}`, '', { timeout: 5000 })
      }).catch(() => undefined)
      await delay(500)
    }
  },
  'places of readers deleted': async (world) => {
    await manager(world, async ({ manager: { consumers } }) => {
      for (const reader of ['engine-r0', 'engine-r2']) await consumers.delete(STREAM, reader)
    })
  },
  'stream purged': async (world) => {
    await manager(world, ({ manager: { streams } }) => streams.purge(STREAM))
  },
  'stream deleted': async (world) => {
    await manager(world, ({ manager: { streams } }) => streams.delete(STREAM))
  },
  'bucket deleted': async (world) => {
    await manager(world, ({ manager: { streams } }) => streams.delete(STATE))
  },
  'a reader cut off for 10 s': ({ readers }) => partitioned(readers[2] as Peer, 10_000),
  'the writer cut off for 10 s': ({ writer }) => partitioned(writer, 10_000),
  'network late by up to 300 ms, doubled and out of order': async (world) => {
    chaos(world, { delayMs: [0, 300], duplicate: 0.1, reorder: 0.2 })
    await delay(8000)
    chaos(world, {})
  },
  'the writer killed with changes in its outbox': async ({ writer }) => {
    for (const proxy of writer.proxies) proxy.partition()
    await delay(4000)
    await writer.member.kill()
    await all(writer.proxies, (proxy) => proxy.heal({ drop: true }))
    await writer.member.start()
  },
  'all disks of the servers lost': async ({ cluster: { servers } }) => {
    await all(servers, (server) => server.wipe())
    await all(servers, (server) => server.start())
  },
}

export interface ClusterRunOptions {
  /** Which of the faults, by their place; one after the other. */
  readonly faults: readonly number[]
  readonly seed: number
  readonly told: (round: Round) => void
}

/** Every fault there is. */
export const FAULT_NAMES = Object.keys(FAULTS)

/**
 * A writer that requests three copies and three readers with directories, each behind separate proxies, on three real servers,
 * under 30 changes a second: one fault after the other.
 */
export async function clusterRun({ faults, seed, told }: ClusterRunOptions): Promise<ClusterRun> {
  const random = seeded(seed)
  const cluster = await startNatsCluster()
  const folders: { remove(): void }[] = []
  const peers: Peer[] = []
  const peer = async (role: string, id: string, args: readonly string[] = []): Promise<Peer> => {
    const proxies = await Promise.all(cluster.servers.map(({ port }) => startNatsProxy({ port, random })))
    const folder = temporaryFolder()
    folders.push(folder)
    const url = proxies.map((proxy) => proxy.url).join(',')
    const made = {
      proxies,
      member: await member(id, ['--role', role, '--broker-url', url, '--rules-dir', folder.path, ...args]),
    }
    peers.push(made)
    return made
  }
  const ledger = new Ledger(NAMES)
  const running = { isOver: false }
  const rounds: Round[] = []
  const failures: string[] = []
  try {
    const writer = await peer('writer', 'w', ['--broker-replicas', '3'])
    const readers = await Promise.all(Array.from({ length: READERS }, (_, index) => peer('reader', `r${index}`)))
    const world: World = { cluster, writer, readers }
    await all(peers, (one) => one.member.start())
    const busy = [
      ...Array.from({ length: CLIENTS }, (_, client) => change(writer.member, ledger, client, running)),
      ...readers.map((reader) => watch(reader.member, ledger, running)),
    ]
    await settled(world)
    for (const place of faults) {
      const [fault, fail] = Object.entries(FAULTS)[place] ?? []
      if (fault === undefined || fail === undefined) throw new Error(`there is no fault ${place}`)
      const before = ledger.acknowledged
      const failed = (error: unknown) => {
        failures.push(`${fault}: ${String(error)}`)
        return undefined
      }
      const heal = await fail(world).catch(failed)
      const brokersMs = (await answering(world).catch(failed)) ?? MAX_INTERVAL_MS
      const alikeMs = (await alike(readers, ledger).catch(failed)) ?? MAX_INTERVAL_MS
      const late = alikeMs > LATE_MS ? peers.map(lastLines).join('\n') : ''
      const round = { fault, changes: ledger.acknowledged - before, brokersMs, alikeMs, late }
      rounds.push(round)
      told(round)
      await heal?.()
      await settled(world).catch(failed)
    }
    running.isOver = true
    await Promise.all(busy)
    await alike(readers, ledger).catch((error: unknown) => failures.push(`at the end: ${String(error)}`))
    // Content that a reader lacks at the end is lost, and so is content that differs from the writer's.
    for (const { member: reader } of readers)
      compare(ledger, reader.id, await shownBy(reader), await shownBy(writer.member))
    const marks = await shownBy(writer.member)
    for (const name of NAMES) ledger.ends(name, marks?.get(name) ?? null)
    const { acknowledged, unanswered, reads, violations } = ledger
    return { rounds, acknowledged, unanswered, reads, violations, failures }
  } finally {
    running.isOver = true
    await all(peers, (one) => one.member.kill())
    await all(
      peers.flatMap(({ proxies }) => proxies),
      (proxy) => proxy.close(),
    )
    await cluster.close()
    for (const folder of folders) folder.remove()
  }
}

/** Milliseconds until the servers can create and lead everything: until then no client can continue. */
async function answering(world: World): Promise<number> {
  const start = performance.now()
  await until(
    'the servers have leaders',
    () =>
      manager(world, async ({ manager: { streams, consumers } }) => {
        for (const name of [STREAM, STATE]) {
          await streams.info(name)
          const { name: made } = await consumers.add(name, { ack_policy: AckPolicy.None, mem_storage: true })
          await consumers.delete(name, made)
        }
      }).then(
        () => true,
        () => false,
      ),
    MAX_INTERVAL_MS,
  )
  return Math.round(performance.now() - start)
}

/** Milliseconds until each reader has everything acknowledged so far. */
async function alike(readers: readonly Peer[], ledger: Ledger): Promise<number> {
  const wanted = ledger.acknowledgedPlaces
  const start = performance.now()
  const isThere = async (reader: Member) => {
    const marks = await shownBy(reader)
    return (
      marks !== undefined && [...wanted].every(([name, place]) => ledger.isFrom(place, name, marks.get(name) ?? null))
    )
  }
  await until(
    'every reader has each acknowledged change',
    async () => (await Promise.all(readers.map((reader) => isThere(reader.member)))).every(Boolean),
    MAX_INTERVAL_MS,
  )
  return Math.round(performance.now() - start)
}

/** The servers are well, so that no round inherits the fault of the one before it. */
async function settled(world: World): Promise<void> {
  let seen = 'no answer'
  // During changes a healthy copy is a few messages behind now and then; a new copy reports no lag before it has any message.
  const caughtUp = new Set<string>()
  await until(
    'all copies are there',
    async () => {
      const infos = await manager(world, ({ manager: { streams } }) =>
        Promise.all([STREAM, STATE].map((name) => streams.info(name))),
      ).catch((error: unknown) => ((seen = String(error)), []))
      if (infos.length > 0)
        seen = infos
          .map(({ config, cluster }) => JSON.stringify([config.name, config.num_replicas, cluster]))
          .join('\n')
      for (const { config, cluster } of infos)
        for (const { name, current } of cluster?.replicas ?? []) if (current) caughtUp.add(`${config.name} ${name}`)
      return (
        infos.length === 2 &&
        infos.every(
          ({ config, cluster }) =>
            cluster?.replicas?.length === 2 &&
            cluster.replicas.every(
              ({ name, offline, lag }) => !offline && (lag ?? 0) < 100 && caughtUp.has(`${config.name} ${name}`),
            ),
        )
      )
    },
    MAX_INTERVAL_MS,
  ).catch((cause: unknown) => {
    throw new Error(`the servers are not well: ${seen}`, { cause })
  })
}

/** The mark of each ruleset by the version that is shown; undefined: no answer. */
async function shownBy(one: Member): Promise<ReadonlyMap<string, number> | undefined> {
  if (one.server === undefined) return undefined
  const list = (await one.get('/api/v1/rulesets')) as { name: string; version: string }[] | undefined
  return list && new Map(list.map(({ name, version }) => [name, Number(version.split('.')[1])]))
}

function compare(
  ledger: Ledger,
  reader: string,
  has: ReadonlyMap<string, number> | undefined,
  should: ReadonlyMap<string, number> | undefined,
): void {
  for (const name of NAMES)
    if (has?.get(name) !== should?.get(name))
      ledger.violations.push(`${reader} ends with ${name} as ${has?.get(name)}, the writer with ${should?.get(name)}`)
}

function lastLines({ member: { id, server } }: Peer): string {
  const lines = (server?.stdout() ?? '').split('\n').filter((line) => line.startsWith('{'))
  return `${id}:\n${lines.slice(-14).join('\n')}`
}

async function change(writer: Member, ledger: Ledger, client: number, running: { readonly isOver: boolean }) {
  const names = NAMES.filter((_name, index) => index % CLIENTS === client)
  for (let count = 0; !running.isOver; count++) {
    const name = names[(count * 7) % names.length] ?? ''
    if (writer.server !== undefined)
      if (count % 11 === 10)
        await ledger.change(name, null, async () => {
          const answer = await fetch(`${writer.url}/api/v1/rulesets/${name}`, {
            method: 'DELETE',
            signal: AbortSignal.timeout(10_000),
          })
          return answer.status === 204
        })
      else {
        const mark = ledger.nextMark()
        await ledger.change(
          name,
          mark,
          async () => (await writer.post('/api/v1/rulesets', marked(name, `1.${mark}.0`, mark))).ok,
        )
      }
    await delay(PACE_MS)
  }
}

/** Query a reader continuously, and compare its answers with the history. */
async function watch(reader: Member, ledger: Ledger, running: { readonly isOver: boolean }): Promise<void> {
  while (!running.isOver) {
    const asked = ledger.asks(reader.id)
    const marks = await shownBy(reader)
    if (marks !== undefined) for (const name of NAMES) ledger.saw(asked, name, marks.get(name) ?? null)
    await delay(100)
  }
}
