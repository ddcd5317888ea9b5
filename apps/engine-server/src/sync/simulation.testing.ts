import type { Applied } from '../services/replication.ts'
import { sampleCatalog } from '../catalog/catalog.testing.ts'
import type { RulesetCatalog } from '../catalog/catalog.ts'
import { createMemoryStore } from '../store/memory.ts'
import { type Store, StoreError, type StoredRuleset } from '../store/store.ts'
import { createWriteQueue } from '../store/write-queue.ts'
import type { Log } from '@engine/process'
import type { IncomingMessage } from './broker.ts'
import { stateDigest } from './digest.ts'
import { openDirectoryOutbox } from './directory-outbox.ts'
import { DEFAULT_TENANT } from '../store/tenant-id.ts'
import { type SyncEvent, envelopeOf, readMessage, ruleSubject, subjectOf } from './event.ts'
import type { LocalState } from './local-state.ts'
import type { Outbox } from './outbox.ts'
import { Publisher } from './publisher.ts'
import { between, pick, type Random, seeded } from './random.testing.ts'
import { CALM, SimulatedBroker, type SimulatedClient } from './simulated-broker.testing.ts'
import { simulatedDisk } from './simulated-disk.testing.ts'
import { Subscriber } from './subscriber.ts'
import type { SyncMetrics } from './sync-metrics.ts'
import { pass, passUntil } from './virtual-time.testing.ts'

const NAMES = ['a', 'b', 'c.d', 'e*', 'f']
const READERS = 3
/** Virtual milliseconds in which everything fails. */
const FAULTY_MS = 40_000
/** Virtual milliseconds after which all instances must be alike: two checkpoints of the writer, and a little. */
const HEALED_MS = 25_000

/** The result of a run. */
export interface SimulationRun {
  /** What should not have been; empty is good. */
  readonly violations: readonly string[]
  readonly acknowledged: number
  readonly healedMs: number
  readonly faults: Readonly<Record<string, number>>
}

/** A ruleset's mark, or null when it does not exist. Marks are unique. */
type Mark = number | null

const NO_METRICS: SyncMetrics = {
  published() {},
  publishFailed() {},
  applied() {},
  skipped() {},
  reconciled() {},
  reconnected() {},
  conflict() {},
}

const NO_LOG: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  fatal() {},
  flush: () => Promise.resolve(),
}

const API = { origin: 'api' } as const

function ruleset(name: string, mark: number, isNewVersion: boolean, padding: number): StoredRuleset {
  const version = isNewVersion ? `1.${mark}.0` : '1.0.0'
  const text = JSON.stringify({ mark, config: { name, version }, padding: 'x'.repeat(padding) })
  return { name, version, description: null, stepCount: 0, text }
}

function markIn(text: string | undefined): Mark {
  return text === undefined ? null : Number(/^\{"mark":(\d+)/.exec(text)?.[1])
}

/** The effect of one event on a ruleset. */
function markOf(event: SyncEvent): { readonly name: string; readonly mark: Mark } | undefined {
  if (event.type === 'TenantConfigChanged') return undefined
  return { name: event.name, mark: event.type === 'RulePut' ? markIn(event.text) : null }
}

/** The writer's complete history, against which other instances are checked. */
class Checker {
  readonly violations: string[] = []
  acknowledged = 0
  /** Contents of each ruleset, one after the other. */
  readonly #history = new Map<string, Mark[]>(NAMES.map((name) => [name, [null]]))
  /** Acknowledged as `name mark`, must reach the stream. */
  readonly #promised = new Set<string>()
  /** Per reader: where in the history of each ruleset it is at least. */
  readonly #places = new Map<string, Map<string, number>>()
  readonly #lastApplied = new Map<string, Mark>()

  wrote(name: string, mark: Mark): void {
    this.#history.get(name)?.push(mark)
  }

  acknowledge(name: string, mark: Mark): void {
    this.acknowledged++
    // A deletion is like any other one: that the ruleset is gone at the end is seen by the digest.
    if (mark !== null) this.#promised.add(`${name} ${mark}`)
  }

  begins(reader: string): void {
    for (const name of NAMES) this.#inHand.delete(`${reader} ${ruleSubject(DEFAULT_TENANT, name)}`)
    this.#places.set(reader, new Map())
    for (const name of NAMES) this.#lastApplied.delete(`${reader} ${name}`)
  }

  /** (a), (b) and (e). */
  has(reader: string, name: string, mark: Mark): void {
    const history = this.#history.get(name) ?? []
    const places = this.#places.get(reader)
    const from = places?.get(name) ?? 0
    const place = history.indexOf(mark, from)
    if (place >= 0) places?.set(name, place)
    else if (!history.includes(mark)) this.#violated(`${reader} has ${name} ${mark}, which never was`)
    else this.#violated(`${reader} goes back to ${name} ${mark}`)
    const key = `${reader} ${name}`
    if (this.#lastApplied.get(key) === mark) this.#violated(`${reader} applied ${name} ${mark} twice`)
    this.#lastApplied.set(key, mark)
  }

  readonly #inHand = new Map<string, Set<number>>()

  delivered(reader: string, { payload, revision = 0 }: IncomingMessage): void {
    const { event } = envelopeOf(readMessage(payload))
    this.#inHand.getOrInsertComputed(`${reader} ${subjectOf(event)}`, () => new Set()).add(revision)
  }

  /** An instance that acknowledges an event has its content, or something newer, or holds a newer pending event. */
  acknowledges(reader: string, { payload, revision = 0 }: IncomingMessage, present: (name: string) => Mark): void {
    const { event } = envelopeOf(readMessage(payload))
    const inHand = this.#inHand.get(`${reader} ${subjectOf(event)}`)
    inHand?.delete(revision)
    const said = markOf(event)
    if (said === undefined || [...(inHand ?? [])].some((other) => other > revision)) return
    const history = this.#history.get(said.name) ?? []
    if (history.lastIndexOf(present(said.name)) < history.indexOf(said.mark))
      this.#violated(`${reader} acknowledges ${said.name} ${said.mark} and has ${present(said.name)}`)
  }

  /** (d): everything acknowledged is stored, and was published. */
  ends(stored: (name: string) => Mark, published: ReadonlySet<string>): void {
    for (const [name, history] of this.#history)
      if (stored(name) !== history.at(-1)) this.#violated(`the writer ends with ${name} ${stored(name)}`)
    for (const promised of this.#promised)
      if (!published.has(promised)) this.#violated(`${promised} was acknowledged and never published`)
  }

  differs(what: string): void {
    this.#violated(what)
  }

  #violated(what: string): void {
    this.violations.push(`${(Date.now() - Date.UTC(2026, 10, 20)) / 1000} s: ${what}`)
  }
}

/** One process of an instance, and its end. */
class Life {
  isOver = false

  /** Take some time, whose end is not seen when the process ends before. */
  pause(random: Random, most: number): Promise<void> {
    const milliseconds = random() < 0.3 ? 0 : random() * most
    return new Promise((resolve) => {
      setTimeout(() => {
        if (!this.isOver) resolve()
      }, milliseconds)
    })
  }
}

/** A store with delayed changes; `kept` is what the next process finds. */
function lastingStore(
  kept: Map<string, StoredRuleset>,
  life: Life,
  random: Random,
  wrote: (name: string, now: StoredRuleset | undefined) => void,
): Store {
  const queue = createWriteQueue(8)
  const isNew = kept.size === 0
  return {
    ...createMemoryStore(),
    isNew,
    list: () => new Map(kept).values(),
    get: (name) => kept.get(name),
    put: (stored) =>
      queue.run(stored.name, async () => {
        await life.pause(random, 5)
        const previous = kept.get(stored.name)
        kept.set(stored.name, stored)
        wrote(stored.name, stored)
        await life.pause(random, 3)
        return { status: previous === undefined ? 'created' : 'updated', previous }
      }),
    delete: (name) =>
      queue.run(name, async () => {
        await life.pause(random, 5)
        const previous = kept.get(name)
        kept.delete(name)
        if (previous !== undefined) wrote(name, undefined)
        await life.pause(random, 3)
        return previous
      }),
  }
}

/** As `services/replication.ts`, without looking into rulesets. */
function localStateOf(store: Store, failure: () => boolean): LocalState {
  return {
    isNew: store.isNew,
    *rulesets() {
      for (const stored of store.list()) yield [DEFAULT_TENANT, stored]
    },
    tenantsText: () => undefined,
    isWithheld: () => false,
    adopt: async () => ({ kind: 'refused', reason: 'there is no other writer' }),
    async apply(event): Promise<Applied> {
      if (event.type === 'TenantConfigChanged') return { kind: 'refused', reason: 'no tenants' }
      if (failure()) return { kind: 'failed', reason: 'the disk' }
      const { name } = event
      if (event.type === 'RuleDeleted')
        return (await store.delete(name)) === undefined ? { kind: 'unchanged' } : { kind: 'applied' }
      const { text, version } = event
      if (store.get(name)?.text === text) return { kind: 'unchanged' }
      await store.put({ name, version, text, description: null, stepCount: 0 })
      return { kind: 'applied' }
    },
  }
}

interface World {
  readonly random: Random
  readonly broker: SimulatedBroker
  readonly checker: Checker
  /** No further faults. */
  isHealed: boolean
}

class Writer {
  readonly #world: World
  readonly #disk = simulatedDisk()
  readonly #kept = new Map<string, StoredRuleset>()
  readonly #padding: number
  /** Milliseconds by which its clock is wrong. */
  #skew = 0
  #life: { isOver: boolean } = { isOver: true }
  #sessions = 0
  #marks = 0
  #running:
    | {
        readonly catalog: RulesetCatalog
        readonly client: SimulatedClient
        readonly publisher: Publisher
        readonly outbox: Outbox
      }
    | undefined
  /** The disk has failed, so that not everything reaches the stream. */
  hasLostEvents = false

  constructor(world: World, padding: number) {
    this.#world = world
    this.#padding = padding
  }

  get client(): SimulatedClient | undefined {
    return this.#running?.client
  }

  get digest(): string {
    return stateDigest(Array.from(this.#kept.values(), (stored) => [DEFAULT_TENANT, stored] as const))
  }

  get waiting(): number {
    return this.#running?.outbox.events.length ?? 0
  }

  mark(name: string): Mark {
    return markIn(this.#kept.get(name)?.text)
  }

  /** The clock is put right, or wrong. */
  jump(milliseconds: number): void {
    this.#skew = Math.round(milliseconds)
  }

  async start(): Promise<void> {
    if (!this.#life.isOver) return
    const { random, broker, checker } = this.#world
    const life = new Life()
    this.#life = life
    const session = `session ${++this.#sessions}`
    const disk = this.#disk.mount(async () => {
      if (life.isOver) return new Promise(() => undefined)
      await life.pause(random, 2)
      if (this.#world.isHealed || random() > this.#eio) return
      this.hasLostEvents = true
      throw Object.assign(new Error('EIO'), { code: 'EIO' })
    })
    const outbox = await openDirectoryOutbox({ disk, rulesDirectory: '/rules', log: NO_LOG }).catch(() => undefined)
    // A server whose disk fails does not start, and is started again.
    if (outbox === undefined) return this.crash(false)
    const own = lastingStore(this.#kept, life, random, (name, stored) => checker.wrote(name, markIn(stored?.text)))
    const client = broker.client('w')
    const publisher = new Publisher({
      broker: client,
      outbox,
      local: () => localStateOf(own, () => false),
      instanceId: 'w',
      session,
      metrics: NO_METRICS,
      log: NO_LOG,
      now: () => Date.now() + this.#skew,
      elapsed: () => performance.now(),
    })
    const catalog = sampleCatalog(own)
    catalog.subscribe(publisher.subscriber())
    this.#running = { catalog, client, publisher, outbox }
    client.connect({ up: () => publisher.up(), down: () => client.isConnected || publisher.down() })
  }

  /** In few runs the disk reports errors. */
  #eio = 0
  failsSometimes(): void {
    this.#eio = 0.02
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  get supersededBy(): string | undefined {
    return this.#running?.publisher.supersededBy
  }

  crash(losesPower: boolean): void {
    this.#life.isOver = true
    this.#running?.client.kill()
    this.#running = undefined
    if (losesPower) this.#disk.losePower(this.#world.random)
  }

  /** One change, which a client waits for. */
  async change(): Promise<void> {
    const { random, checker } = this.#world
    if (this.#running === undefined) return
    const { catalog } = this.#running
    const name = pick(random, NAMES)
    try {
      if (random() < 0.2) {
        if ((await catalog.delete(name, API)) !== undefined) checker.acknowledge(name, null)
      } else {
        const mark = ++this.#marks
        await catalog.put(ruleset(name, mark, random() < 0.4, this.#padding), API)
        checker.acknowledge(name, mark)
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      checker.differs(`the writer refuses a change: ${error.message}`)
    }
  }
}

class Reader {
  readonly #world: World
  readonly id: string
  readonly #isLasting: boolean
  #kept = new Map<string, StoredRuleset>()
  #life = new Life()
  #running: { readonly client: SimulatedClient; readonly subscriber: Subscriber } | undefined

  constructor(world: World, id: string, isLasting: boolean) {
    this.#world = world
    this.id = id
    this.#isLasting = isLasting
  }

  get client(): SimulatedClient | undefined {
    return this.#running?.client
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  get fault(): string | undefined {
    return this.#running?.subscriber.fault
  }

  mark(name: string): Mark {
    return markIn(this.#kept.get(name)?.text)
  }

  get digest(): string {
    return stateDigest(Array.from(this.#kept.values(), (stored) => [DEFAULT_TENANT, stored] as const))
  }

  start(): void {
    const { random, broker, checker } = this.#world
    const life = new Life()
    this.#life = life
    if (!this.#isLasting) this.#kept = new Map()
    checker.begins(this.id)
    const store = lastingStore(this.#kept, life, random, (name, stored) =>
      checker.has(this.id, name, markIn(stored?.text)),
    )
    const client = broker.client(this.id)
    const local = localStateOf(store, () => !this.#world.isHealed && random() < 0.03)
    const subscriber = new Subscriber({
      broker: client,
      local: () => local,
      instanceId: this.id,
      metrics: NO_METRICS,
      log: NO_LOG,
      now: Date.now,
      elapsed: () => performance.now(),
    })
    this.#running = { client, subscriber }
    client.connect({ up: () => subscriber.up(), down: () => client.isConnected || subscriber.down() })
  }

  crash(): void {
    this.#life.isOver = true
    this.#running?.client.kill()
    this.#running = undefined
  }
}

/** One writer and three readers around a broker, and everything fails; then everything heals. Time must be virtual. */
export async function simulate(seed: number): Promise<SimulationRun> {
  const random = seeded(seed)
  const broker = new SimulatedBroker(random)
  const checker = new Checker()
  const world: World = { random, broker, checker, isHealed: false }
  // Now and then so large that the outbox gives up its files.
  const writer = new Writer(world, random() < 0.3 ? 20_000 : 0)
  if (random() < 0.2) writer.failsSometimes()
  const readers = Array.from({ length: READERS }, (_, index) => new Reader(world, `r${index}`, random() < 0.5))
  broker.delivered = (id, message) => checker.delivered(id, message)
  broker.acknowledged = (id, message) => {
    const reader = readers.find((one) => one.id === id)
    checker.acknowledges(id, message, (name) => reader?.mark(name) ?? null)
  }
  broker.chaos = {
    delayMs: [0.1, between(random, 1, 50)],
    drop: random() < 0.5 ? 0 : random() * 0.05,
    stall: random() < 0.5 ? 0 : random() * 0.03,
    duplicate: random() * 0.1,
    reorder: random() * 0.2,
  }
  const faults: Record<string, number> = {}
  const members = [writer, ...readers]
  const later = (milliseconds: number, action: () => void) => void setTimeout(action, milliseconds)

  const kinds: Readonly<Record<string, (ms: number) => void>> = {
    crashWriter(ms) {
      writer.crash(random() < 0.5)
      later(ms, () => void writer.start())
    },
    crashReader(ms) {
      const reader = pick(random, readers)
      reader.crash()
      later(ms, () => reader.isRunning || reader.start())
    },
    cut: () => pick(random, members).client?.cut(),
    partition(ms) {
      const { client } = pick(random, members)
      client?.partition()
      later(ms * 3, () => client?.heal())
    },
    restartBroker(ms) {
      broker.stop()
      later(ms, () => broker.start())
    },
    expire: () => broker.expire(Math.floor(random() * 3)),
    purge: () => broker.purge(),
    wipeBucket: () => broker.wipeBucket(),
    wipeStream: () => broker.wipeStream(),
    wipe(ms) {
      broker.stop()
      broker.wipe()
      later(ms, () => broker.start())
    },
    jump: () => writer.jump(random() < 0.3 ? 0 : between(random, -3_600_000, 3_600_000)),
  }
  const often = Object.keys(kinds).filter((kind) => kind === 'jump' || random() < 0.6)

  void writer.start()
  for (const reader of readers) reader.start()
  const end = Date.now() + FAULTY_MS
  const changing = changes(random, writer, end)
  while (Date.now() < end) {
    await pass(between(random, 100, 3000))
    const kind = pick(random, often)
    if (broker.isUp || kind === 'crashWriter' || kind === 'crashReader' || kind === 'jump') {
      faults[kind] = (faults[kind] ?? 0) + 1
      kinds[kind]?.(between(random, 50, 3000))
    }
  }
  world.isHealed = true
  broker.chaos = CALM
  broker.start()
  for (const { client } of members) client?.heal()
  await pass(10_000)
  await changing
  if (!writer.isRunning) await Promise.all([writer.start(), pass(100)])
  for (const reader of readers) if (!reader.isRunning) reader.start()
  const start = Date.now()
  const isAlike = () => writer.waiting === 0 && readers.every(({ digest }) => digest === writer.digest)
  if (!(await passUntil(isAlike, HEALED_MS)))
    for (const member of readers.filter(({ digest }) => digest !== writer.digest))
      checker.differs(
        `${member.id} ends with ${NAMES.map((name) => `${name} ${member.mark(name)}`).join()} and not with ` +
          `${NAMES.map((name) => `${name} ${writer.mark(name)}`).join()}; ${member.fault ?? 'no fault'}`,
      )
  if (writer.waiting > 0) checker.differs(`${writer.waiting} changes are not published; ${writer.supersededBy}`)
  const healedMs = Date.now() - start
  const published = new Set(broker.taken.map(({ payload }) => nameAndMark(payload)))
  if (!writer.hasLostEvents) checker.ends((name) => writer.mark(name), published)
  for (const member of members) member.crash(false)
  return { violations: checker.violations, acknowledged: checker.acknowledged, healedMs, faults }
}

/** Changes until the end, several at the same time. */
async function changes(random: Random, writer: Writer, end: number): Promise<void> {
  const pace = between(random, 20, 600)
  while (Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, between(random, 0, pace)))
    void writer.change()
  }
}

function nameAndMark(payload: Uint8Array): string {
  const said = markOf(envelopeOf(readMessage(payload)).event)
  return `${said?.name} ${said?.mark}`
}
