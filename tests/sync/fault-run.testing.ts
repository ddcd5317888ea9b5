import { setTimeout as delay } from 'node:timers/promises'
import { pick as pickOne, seeded } from '../../apps/engine-server/src/sync/random.testing.ts'
import { type Member, marked, member, temporaryFolder, until } from './fleet.testing.ts'
import { Ledger } from './ledger.testing.ts'
import { type NatsProxy, startNatsProxy } from './nats-proxy.testing.ts'
import { startNats } from './nats.testing.ts'

const NAMES = Array.from({ length: 20 }, (_, index) => `rules-${index}`)
const READERS = 5
/** Changes that are made at the same time, each of other rulesets. */
const CLIENTS = 4

/** The result of a run. */
export interface FaultRun {
  readonly seed: number
  readonly acknowledged: number
  readonly unanswered: number
  readonly faults: Readonly<Record<string, number>>
  readonly reads: number
  /** Milliseconds from the end of all faults to the same digest everywhere. */
  readonly healedMs: number
  /** The last log lines of those who took long. */
  readonly late: string
  /** What should not have been; empty is good. */
  readonly violations: readonly string[]
}

/**
 * One writer and five readers, each behind a separate proxy, while changes are made and everything fails: brokers, readers and
 * the writer are killed and started again or stand still, the network parts, breaks, refuses, doubles and reorders. Then
 * everything heals.
 */
export async function faultRun(seed: number, writes: number): Promise<FaultRun> {
  const random = seeded(seed)
  const folders = Array.from({ length: READERS + 1 }, () => temporaryFolder())
  const nats = await startNats()
  const proxies: NatsProxy[] = []
  const one = async (role: string, id: string, args: readonly string[]) => {
    const proxy = await startNatsProxy({ port: nats.port, random: seeded(seed * 1000 + proxies.length) })
    proxies.push(proxy)
    return member(id, ['--role', role, '--broker-url', proxy.url, ...args])
  }
  const directory = (index: number) => ['--rules-dir', folders[index]?.path ?? '']
  const writer = await one('writer', 'w', directory(READERS))
  const readers: Member[] = []
  // Two of five have a directory.
  for (let index = 0; index < READERS; index++)
    readers.push(await one('reader', `r${index}`, index < 2 ? directory(index) : []))
  const ledger = new Ledger(NAMES)
  const faults: Record<string, number> = {}
  const chaos = { duplicate: 0.1, reorder: 0.2, delayMs: [0, 5] } as const
  for (const proxy of proxies.slice(1)) proxy.setChaos(chaos)
  const running = { isOver: false }
  const pick = <T>(items: readonly T[]): T => pickOne(random, items)

  /** One fault, healed after a while. Faults of different kinds overlap. */
  const kinds: Readonly<Record<string, (ms: number) => Promise<void>>> = {
    async killReader(ms) {
      const reader = pick(readers.filter(({ server }) => server !== undefined))
      ledger.restarted(reader.id)
      await reader.kill()
      await delay(ms)
      await reader.start()
    },
    async pauseReader(ms) {
      const reader = pick(readers)
      reader.pause()
      await delay(ms * 3)
      reader.resume()
    },
    async killBroker(ms) {
      await nats.kill()
      await delay(ms)
      await nats.start()
    },
    async pauseBroker(ms) {
      nats.pause()
      await delay(ms)
      nats.resume()
    },
    async partition(ms) {
      const proxy = pick(proxies)
      proxy.partition()
      await delay(ms * 2)
      await proxy.heal({ drop: random() < 0.5 })
    },
    async refuse(ms) {
      const proxy = pick(proxies)
      proxy.refuse()
      proxy.cut()
      await delay(ms)
      await proxy.heal()
    },
    async cut() {
      pick(proxies).cut()
    },
    async killWriter(ms) {
      await writer.kill()
      await delay(ms)
      await writer.start()
    },
  }

  /** Faults of one line are sequential; the lines run in parallel. */
  async function line(names: readonly string[]): Promise<void> {
    while (!running.isOver) {
      await delay(100 + random() * 600)
      if (running.isOver) return
      const name = pick(names)
      faults[name] = (faults[name] ?? 0) + 1
      await kinds[name]?.(100 + random() * 700)
    }
  }

  /** Query all readers continuously, and compare their answers with the history. */
  async function watch(): Promise<void> {
    while (!running.isOver) {
      await Promise.all(
        readers.map(async (reader) => {
          const name = pick(NAMES)
          const asked = ledger.asks(reader.id)
          const found = await markOf(reader, name)
          if (found !== undefined) ledger.saw(asked, name, found)
        }),
      )
      await delay(5)
    }
  }

  try {
    await writer.start()
    await Promise.all(readers.map((reader) => reader.start()))
    const watching = watch()
    const failing = [
      line(['killReader', 'pauseReader']),
      line(['killBroker', 'pauseBroker', 'killWriter']),
      line(['partition', 'refuse', 'cut']),
    ]
    await Promise.all(
      Array.from({ length: CLIENTS }, (_, client) =>
        change({
          writer,
          ledger,
          random: seeded(seed * 100 + client),
          names: NAMES.filter((_name, index) => index % CLIENTS === client),
          writes: writes / CLIENTS,
        }),
      ),
    )
    running.isOver = true
    await Promise.all([...failing, watching])
    for (const proxy of proxies) {
      await proxy.heal()
      proxy.setChaos({})
    }
    const start = performance.now()
    let different: readonly Member[] = []
    let last: readonly Member[] = []
    await until(
      `seed ${seed}: all readers have the digest of the writer`,
      async () => {
        const [own, ...digests] = await Promise.all(
          [writer, ...readers].map(async (each) => (await each.health())?.sync.digest),
        )
        different = readers.filter((_reader, index) => own === undefined || digests[index] !== own)
        if (different.length > 0) last = different
        return different.length === 0
      },
      60_000,
    ).catch((error: unknown) => ledger.violations.push(String(error)))
    const healedMs = Math.round(performance.now() - start)
    const late = healedMs > 5000 ? [writer, ...last].map((each) => `${each.id}:\n${lastLines(each)}`).join('\n') : ''
    for (const name of NAMES) {
      const found = await markOf(writer, name)
      ledger.ends(name, found)
      for (const reader of readers)
        if ((await markOf(reader, name)) !== found) ledger.violations.push(`${reader.id} ends with another ${name}`)
    }
    const { acknowledged, unanswered, reads, violations } = ledger
    return { seed, acknowledged, unanswered, faults, reads, healedMs, late, violations }
  } finally {
    running.isOver = true
    await Promise.all([writer, ...readers].map((each) => each.kill()))
    await Promise.all(proxies.map((proxy) => proxy.close()))
    await nats.close()
    for (const folder of folders) folder.remove()
  }
}

function lastLines({ server }: Member): string {
  return (server?.stdout() ?? '').split('\n').slice(-12).join('\n')
}

/** The mark that a member decides with; null: it has no such ruleset; undefined: it did not answer. */
async function markOf(one: Member, name: string): Promise<number | null | undefined> {
  if (one.server === undefined) return undefined
  try {
    const answer = await one.post(`/api/v1/execute/${name}`, { input: {} })
    if (answer.status === 404) return null
    return answer.status === 200 ? ((await answer.json()) as { output: { mark: number } }).output.mark : undefined
  } catch {
    return undefined
  }
}

interface Changes {
  readonly writer: Member
  readonly ledger: Ledger
  readonly random: () => number
  readonly names: readonly string[]
  readonly writes: number
}

/** Make changes, one after the other: create, update, update with the same version, roll back, delete. */
async function change({ writer, ledger, random, names, writes }: Changes): Promise<void> {
  for (let done = 0; done < writes; done++) {
    const name = names[Math.floor(random() * names.length)] ?? ''
    const kind = random()
    // The writer may be away: a change that was not answered may have been made or not.
    await until('the writer runs', () => writer.server !== undefined)
    if (kind < 0.1) await ledger.change(name, null, () => remove(writer, name))
    else if (kind < 0.2) await rollBack(writer, ledger, name)
    else {
      const mark = ledger.nextMark()
      const version = kind < 0.6 ? '1.0.0' : `1.${mark}.0`
      await ledger.change(
        name,
        mark,
        async () => (await writer.post('/api/v1/rulesets', marked(name, version, mark))).ok,
      )
    }
  }
}

async function remove(writer: Member, name: string): Promise<boolean> {
  const answer = await fetch(`${writer.url}/api/v1/rulesets/${name}`, {
    method: 'DELETE',
    signal: AbortSignal.timeout(10_000),
  })
  return answer.status === 204
}

/** To the newest version that is kept, whose mark is known only from the answer. */
async function rollBack(writer: Member, ledger: Ledger, name: string): Promise<void> {
  const { versions } = ((await writer.get(`/api/v1/rulesets/${name}/versions`)) ?? { versions: [] }) as {
    versions: { seq: number }[]
  }
  const [newest] = versions
  if (newest === undefined) return
  await ledger.change(
    name,
    'any',
    async () => (await writer.post(`/api/v1/rulesets/${name}/rollback`, { seq: newest.seq })).ok,
  )
  let found: number | null | undefined
  await until('the writer tells what it has', async () => (found = await markOf(writer, name)) !== undefined)
  ledger.settle(name, found ?? null)
}
