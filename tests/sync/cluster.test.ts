import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { parseBrokerUrl } from '../../apps/engine-server/src/sync/broker-address.ts'
import { killAll } from '../engine-server.testing.ts'
import { brokerAt } from './broker.testing.ts'
import { connected } from './fleet-over-nats.testing.ts'
import { marked, member, type Member, temporaryFolder, until } from './fleet.testing.ts'
import { killAllNats } from './nats.testing.ts'
import { type NatsCluster, startNatsCluster } from './nats-cluster.testing.ts'

/** Three real servers on loopback. `CLUSTER_ROUNDS=40` makes the long run: in each round another server is down. */
const { CLUSTER_ROUNDS = '0' } = process.env
let cluster: NatsCluster
const folder = temporaryFolder()

beforeAll(async () => {
  cluster = await startNatsCluster()
}, 60_000)
afterEach(killAll)
afterAll(async () => {
  await killAllNats()
  folder.remove()
})

async function started(role: string, id: string, args: readonly string[] = []): Promise<Member> {
  const one = await member(id, ['--role', role, '--broker-url', cluster.url, ...args])
  await one.start()
  return one
}

/** The copies of stream and bucket, and the server on which each place of the stream lies. */
async function layout() {
  await using there = await connected(cluster.servers.map(({ url }) => url))
  const { streams, consumers } = there.manager
  const copies = await Promise.all(
    ['engine-rules', 'KV_engine-rules-state'].map(async (name) => (await streams.info(name)).config.num_replicas),
  )
  const places: Record<string, string | undefined> = {}
  for await (const { name, cluster: at } of consumers.list('engine-rules')) places[name] = at?.leader
  return { copies, places }
}

test('readers wait for the writer to create stream and bucket, in the configured copies, and survive the loss of a server', async () => {
  const readers = [await started('reader', 'r0'), await started('reader', 'r1'), await started('reader', 'r2')]
  expect(await readers[0]?.health()).toMatchObject({ status: 'unhealthy' })
  const writer = await started('writer', 'w', ['--rules-dir', folder.path, '--broker-replicas', '3'])
  let mark = 0
  const change = async () => {
    mark++
    const answer = await writer.post('/api/v1/rulesets', marked(`rules-${mark % 5}`, `1.${mark}.0`, mark))
    expect(answer.ok).toBe(true)
  }
  const alike = async (members: readonly Member[], milliseconds: number) => {
    const expected = (await writer.health())?.sync.digest
    await until(
      'all readers have each change so far',
      async () => {
        const [now, ...digests] = await Promise.all(
          [writer, ...members].map(async (one) => (await one.health())?.sync.digest),
        )
        // Under changes a reader is compared by its decisions, not by a digest of one moment.
        return digests.every((digest) => digest === expected || digest === now)
      },
      milliseconds,
    )
  }
  await change()
  await alike(readers, 30_000)
  // A reader may have everything from the bucket before its consumer is made.
  let before: Awaited<ReturnType<typeof layout>> | undefined
  await until(
    'every reader has its consumer',
    async () => {
      // While the servers elect leaders, some requests are not answered.
      before = await layout().catch(() => undefined)
      return Object.keys(before?.places ?? {}).length === readers.length
    },
    60_000,
  )
  expect(before?.copies).toEqual([3, 3])
  expect(Object.keys(before?.places ?? {}).toSorted()).toEqual(['engine-r0', 'engine-r1', 'engine-r2'])
  // The server that keeps a reader's position dies and stays dead, under changes.
  const dead = cluster.servers[Number(before?.places['engine-r0']?.slice(1))]
  await dead?.kill()
  const end = performance.now() + 15_000
  while (performance.now() < end) {
    await change()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const last = mark
  await until(
    'every reader decides by the last change, though others go on',
    async () => {
      await change()
      const marks = await Promise.all(readers.map((one) => markOf(one, `rules-${last % 5}`)))
      return marks.every((found) => found >= last)
    },
    20_000,
  )
  for (const one of readers) expect(await one.health()).toMatchObject({ status: 'healthy', sync: { connected: true } })
  // Also after a restart under the same id.
  await readers[0]?.kill()
  await readers[0]?.start()
  await change()
  await alike(readers, 30_000)
  await dead?.start()
}, 240_000)

async function markOf(one: Member, name: string): Promise<number> {
  const answer = await one.post(`/api/v1/execute/${name}`, { input: {} })
  return answer.status === 200 ? ((await answer.json()) as { output: { mark: number } }).output.mark : 0
}

test('a stream with one copy gets the configured ones, and one copy in a cluster causes a warning', async () => {
  await using there = await connected(cluster.servers.map(({ url }) => url))
  const { streams } = there.manager
  await until(
    'the cluster has a leader',
    async () => (await streams.update('engine-rules', { num_replicas: 1 }).catch(() => undefined)) !== undefined,
  )
  const one = await started('writer', 'w', ['--rules-dir', folder.path])
  await one.server?.says(/`engine-rules` has one copy in a cluster, and is away with its server/)
  await one.kill()
  const two = await started('writer', 'w', ['--rules-dir', folder.path, '--broker-replicas', '3'])
  await until('it is mended', async () => (await layout()).copies.every((copies) => copies === 3))
  await two.kill()
}, 120_000)

test('copies that lag are named, also after a scale-out, until they have caught up', async () => {
  await using there = await connected(cluster.servers.map(({ url }) => url))
  const { streams } = there.manager
  const names = ['engine-rules', 'KV_engine-rules-state']
  for (const name of names)
    await until(
      `${name} has one copy`,
      async () => (await streams.update(name, { num_replicas: 1 }).catch(() => undefined)) !== undefined,
    )
  const broker = brokerAt({ address: parseBrokerUrl(cluster.url), instanceId: 'w', replicas: 3 })
  try {
    broker.connect({ up: () => undefined, down: () => undefined })
    await until('it connects', () => broker.isConnected)
    // A broker without a leader for a moment answers with an error.
    const stale = async () => (await broker.prepare().catch(() => undefined))?.staleReplicas
    await until('all copies follow after the scale-out', async () => (await stale())?.length === 0)
    expect((await layout()).copies).toEqual([3, 3])
    const leaders = await Promise.all(names.map(async (name) => (await streams.info(name)).cluster?.leader))
    const followers = ['n0', 'n1', 'n2'].filter((name) => !leaders.includes(name))
    const [follower = ''] = followers
    const server = cluster.servers[Number(follower.slice(1))]
    await server?.kill()
    const expected = names.map((name) => `\`${name}\` on \`${follower}\``)
    await until('the copies of the server that is away are named', async () => {
      const found = await stale()
      return expected.every((one) => found?.includes(one) === true) && found?.length === expected.length
    })
    for (let count = 0; count < 50; count++) await broker.put(`default.copied-${count}`, Buffer.from(String(count)))
    await server?.start()
    // The election of a leader alone takes nats-server 2.9 up to 28 s. A copy can learn only from the next message that it is behind.
    let next = performance.now() + 10_000
    const caughtUp = async () => {
      if (performance.now() > next) {
        next += 10_000
        await broker.put('default.copied-later', Buffer.from(String(next))).catch(() => undefined)
      }
      return (await stale())?.length === 0
    }
    await until('all copies follow again', caughtUp, 120_000)
  } finally {
    await broker.close()
  }
}, 240_000)

test.skipIf(CLUSTER_ROUNDS === '0')(
  'each server stops in turn while changes continue (long run: CLUSTER_ROUNDS)',
  async () => {
    const readers = [await started('reader', 'r0'), await started('reader', 'r1'), await started('reader', 'r2')]
    const writer = await started('writer', 'w', ['--rules-dir', folder.path, '--broker-replicas', '3'])
    let mark = 1_000_000
    const change = async () => {
      mark++
      const answer = await writer.post('/api/v1/rulesets', marked(`rules-${mark % 5}`, `1.${mark}.0`, mark))
      expect(answer.ok).toBe(true)
    }
    for (let round = 0; round < Number(CLUSTER_ROUNDS); round++) {
      const server = cluster.servers[round % 3]
      const kind = round % 2 === 0 ? 'killed' : 'paused'
      if (kind === 'killed') await server?.kill()
      else server?.pause()
      const away = performance.now() + 12_000
      while (performance.now() < away) await change()
      const last = mark
      const start = performance.now()
      await until(
        'every reader decides by the last change, with the server still away',
        async () => {
          await change()
          const marks = await Promise.all(readers.map((one) => markOf(one, `rules-${last % 5}`)))
          return marks.every((found) => found >= last)
        },
        60_000,
      )
      console.log(
        `round ${round}: server ${round % 3} ${kind}, alike after ${Math.round(performance.now() - start)} ms`,
      )
      if (kind === 'killed') await server?.start()
      else server?.resume()
      await new Promise((resolve) => setTimeout(resolve, 3000))
    }
  },
  3_600_000,
)
