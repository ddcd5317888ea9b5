import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { envelopeOf, readMessage, type SyncEvent } from './event.ts'
import { createMemoryOutbox, type Outbox } from './outbox.ts'
import { Publisher } from './publisher.ts'
import { seeded } from './random.testing.ts'
import { CALM, SimulatedBroker, type SimulatedClient } from './simulated-broker.testing.ts'
import { checkpointOf, leaseOf, outboxEvent, recordOf } from './state.ts'
import { type LocalMemory, localMemory, memoryMetrics, searchableLog } from './sync.testing.ts'
import { pass, passUntil, useVirtualTime } from './virtual-time.testing.ts'

let broker: SimulatedBroker

beforeEach(() => {
  useVirtualTime()
  broker = new SimulatedBroker(seeded(1))
})
afterEach(() => vi.useRealTimers())

const API = { origin: 'api' } as const

interface Options {
  readonly id?: string
  readonly session?: string
  readonly local?: LocalMemory
  readonly outbox?: Outbox
  readonly now?: () => number
}

interface WriterUnderTest {
  readonly local: LocalMemory
  readonly publisher: Publisher
  readonly client: SimulatedClient
  readonly outbox: Outbox
  readonly told: string[]
  readonly said: (words: string) => number
  put(name: string, text: string, tenant?: string): Promise<void>
  delete(name: string): Promise<void>
  /** Resolves when everything is published. */
  settled(): Promise<void>
}

/** A writer that is not connected yet. */
function writer(options: Options = {}): WriterUnderTest {
  const { id = 'w', session = 's1', local = localMemory(), outbox = createMemoryOutbox(), now = Date.now } = options
  const client = broker.client(id)
  const { metrics, told } = memoryMetrics()
  const { log, said } = searchableLog()
  const parts = { broker: client, outbox, local: () => local, instanceId: id, session, metrics, log, now }
  const publisher = new Publisher({ ...parts, elapsed: () => performance.now() })
  return {
    local,
    publisher,
    client,
    outbox,
    told,
    said,
    async put(name, text, tenant) {
      const { accept, changed } = publisher.subscriber(tenant)
      const ruleset = { name, version: '1.0.0', description: null, stepCount: 0, text }
      accept?.({ kind: 'put', ruleset }, API)
      await changed({ kind: 'put', ruleset: local.put(name, text, tenant) }, API, undefined)
    },
    async delete(name) {
      const { accept, changed } = publisher.subscriber()
      accept?.({ kind: 'deleted', name }, API)
      local.delete(name)
      await changed({ kind: 'deleted', name }, API, undefined)
    },
    async settled() {
      expect(await passUntil(() => publisher.isSettled && outbox.events.length === 0, 60_000)).toBe(true)
      await pass(100)
    },
  }
}

function connect({ client, publisher }: WriterUnderTest): void {
  client.connect({ up: () => publisher.up(), down: () => publisher.down() })
}

async function running(options: Options = {}): Promise<WriterUnderTest> {
  const one = writer(options)
  connect(one)
  await one.settled()
  return one
}

/** The bucket's content of a subject; null for a deletion. */
function inBucket(subject: string): string | null | undefined {
  const entry = broker.entry(subject)
  return entry === undefined ? undefined : contentOf(recordOf(subject, readMessage(entry.value)).envelope.event)
}

const contentOf = (event: SyncEvent) => (event.type === 'RuleDeleted' ? null : event.text)

/** The messages in the stream as `subject=content`. */
const inStream = () =>
  broker.taken.map(({ subject, payload }) => `${subject}=${contentOf(envelopeOf(readMessage(payload)).event)}`)

const checkpoint = () => {
  const entry = broker.entry('head')
  return entry === undefined ? undefined : checkpointOf(entry)
}

/** Put something into the bucket, as a writer with that clock has done. */
function keep(event: SyncEvent, revision: number, instanceId = 'other', timestampMs = Date.now()): void {
  broker.prepare()
  const { subject, text } = outboxEvent({ instanceId, event, timestampMs }, revision)
  broker.put(subject, Buffer.from(text), undefined)
}

const rulePut = (name: string, text: string): SyncEvent => ({
  type: 'RulePut',
  tenant: 'default',
  name,
  version: '1.0.0',
  text,
})

describe('a change', () => {
  test('goes to the bucket, then to the stream, then to the head', async () => {
    const one = await running()
    broker.done.length = 0
    await one.put('a', '1')
    await one.settled()
    expect(broker.done).toEqual(['put default.a', 'publish default.a', 'put head'])
    expect([inBucket('default.a'), inStream()]).toEqual(['1', ['default.a=1']])
    expect(checkpoint()).toMatchObject({ instanceId: 'w', digest: one.local.digest(), rulesets: 1 })
    expect(one.publisher.publishedSeq).toBe(1)
    expect(one.told).toEqual(['published RulePut'])
  })

  test('is recorded before the broker is available, and published in order', async () => {
    const one = writer()
    await one.put('a', '1')
    await one.put('b', '1', 'acme')
    await one.delete('a')
    await one.publisher.tenantsSubscriber.changed({ list: [], text: '{}' }, 'api')
    expect(one.outbox.events.map(({ subject }) => subject)).toEqual(['default.a', 'acme.b', 'default.a', 'tenants'])
    connect(one)
    await one.settled()
    expect(inStream()).toEqual(['default.a=1', 'acme.b=1', 'default.a=null', 'tenants={}'])
  })

  test('many are published in batches: each event to the stream, only the last of each ruleset to the bucket', async () => {
    const one = writer()
    await Promise.all(Array.from({ length: 600 }, (_, index) => one.put(`n${index % 2}`, String(index))))
    connect(one)
    await one.settled()
    expect(broker.taken).toHaveLength(600)
    const puts = broker.done.filter((done) => done.startsWith('put default'))
    expect(puts).toHaveLength(3 * 2)
    expect([inBucket('default.n0'), inBucket('default.n1')]).toEqual(['598', '599'])
  })

  test('are sent a few at a time when they are large', async () => {
    const one = writer()
    let [inFlight, most] = [0, 0]
    broker.fate = ({ kind }) => {
      inFlight = kind === 'publish' ? inFlight + 1 : 0
      most = Math.max(most, inFlight)
      return undefined
    }
    for (let index = 0; index < 12; index++) await one.put(`n${index}`, `${index}`.padEnd(900_000, 'x'))
    connect(one)
    await one.settled()
    expect([broker.taken.length, most]).toEqual([12, 4])
  })

  test.each(['lost', 'answer-lost', 'refused'] as const)(
    'whose publication fails (%s) is retried under the same id, and is in the stream once',
    async (fate) => {
      const one = await running()
      let failures = 2
      broker.fate = ({ kind }) => (kind === 'publish' && failures-- > 0 ? fate : undefined)
      await one.put('a', '1')
      await one.put('b', '1')
      await one.settled()
      expect(inStream().toSorted()).toEqual(['default.a=1', 'default.b=1'])
      expect(one.told).toContain('publish failed')
      expect(one.outbox.events).toEqual([])
    },
  )

  test('does not conflict when the answer of the bucket is lost', async () => {
    const one = await running()
    let failures = 1
    broker.fate = ({ kind, key }) =>
      kind === 'put' && key === 'default.a' && failures-- > 0 ? 'answer-lost' : undefined
    await one.put('a', '1')
    await one.settled()
    expect([inBucket('default.a'), one.told]).toEqual(['1', ['publish failed', 'published RulePut']])
  })

  test('of tenants that is too large for the broker is refused before it is made', async () => {
    broker.maxPayload = 100_000
    const one = await running()
    const { tenantsSubscriber } = one.publisher
    expect(() => tenantsSubscriber.accept?.('{}', 'api')).not.toThrow()
    expect(() => tenantsSubscriber.accept?.(noise(150_000), 'sync')).not.toThrow()
    expect(() => tenantsSubscriber.accept?.(noise(150_000), 'api')).toThrow(
      /^tenants\.json has \d+ bytes as an event, but the broker accepts 95904/,
    )
  })

  test('that is too large is refused before it is stored, unless it can be packed', async () => {
    const one = await running()
    broker.maxPayload = 100_000
    await expect(one.put('a', noise(150_000))).rejects.toMatchObject({
      code: 'too-large',
      message: expect.stringMatching(
        /^the ruleset has 1\d{5} bytes as an event, but the broker accepts 95904 \(max_payload/,
      ),
    })
    expect(one.local.contents()).toEqual({})
    await one.put('a', 'x'.repeat(1_000_000))
    await one.settled()
    expect(inBucket('default.a')).toHaveLength(1_000_000)
  })

  test('that no longer fits, because the broker accepts less now, delays no other', async () => {
    const one = writer()
    await one.put('a', noise(150_000))
    await one.put('b', '1')
    broker.maxPayload = 100_000
    connect(one)
    await one.settled()
    expect([inBucket('default.a'), inBucket('default.b')]).toEqual([undefined, '1'])
    expect(one.said('a change is now too large for the broker and will not reach any reader')).toBe(1)
  })

  test('before the first connection is held to the usual limit of a broker', async () => {
    await expect(writer().put('a', noise(1_500_000))).rejects.toMatchObject({ code: 'too-large' })
  })
})

/** Text that cannot be packed by much. */
function noise(length: number): string {
  const random = seeded(7)
  return Array.from({ length }, () => String.fromCharCode(32 + random() * 90)).join('')
}

describe('after a connection', () => {
  test('the broker is reconciled with the store: added, changed, deleted, tenants', async () => {
    keep(rulePut('same', '1'), 1)
    keep(rulePut('changed', '1'), 2)
    keep(rulePut('gone', '1'), 3)
    const local = localMemory('{"tenants":[]}')
    for (const [name, text] of Object.entries({ same: '1', changed: '2', new: '1' })) local.put(name, text)
    await running({ local })
    expect(inStream().toSorted()).toEqual([
      'default.changed=2',
      'default.gone=null',
      'default.new=1',
      'tenants={"tenants":[]}',
    ])
    expect(['same', 'changed', 'gone', 'new'].map((name) => inBucket(`default.${name}`))).toEqual(['1', '2', null, '1'])
  })

  test('nothing is published when nothing differs', async () => {
    keep(rulePut('a', '1'), 1)
    const local = localMemory()
    local.put('a', '1')
    await running({ local })
    expect([inStream(), checkpoint()?.digest]).toEqual([[], local.digest()])
  })

  test('revisions continue above those of the bucket, regardless of the clock', async () => {
    keep(rulePut('a', '1'), 5e15)
    const local = localMemory()
    local.put('a', '2')
    await running({ local, now: () => 1000 })
    expect(broker.taken[0]?.revision).toBeGreaterThan(5e15)
  })

  test('an empty broker gets everything again', async () => {
    const one = await running()
    await one.put('a', '1')
    await one.settled()
    broker.stop()
    broker.wipe()
    await pass(500)
    broker.start()
    await pass(3000)
    expect([inBucket('default.a'), checkpoint()?.digest]).toEqual(['1', one.local.digest()])
  })

  test('data that the broker has lost is noticed with the next sign of life', async () => {
    const one = await running()
    await one.put('a', '1')
    await one.settled()
    broker.wipe()
    await pass(25_000)
    expect([inBucket('default.a'), checkpoint()?.digest]).toEqual(['1', one.local.digest()])
  })

  test('deletions of more than seven days ago are forgotten', async () => {
    const week = 7 * 24 * 3600 * 1000
    const gone = (name: string): SyncEvent => ({ type: 'RuleDeleted', tenant: 'default', name })
    keep(gone('old'), 1, 'w', Date.now() - week - 1000)
    keep(gone('young'), 2, 'w', Date.now() - week + 60_000)
    keep(rulePut('a', '1'), 3, 'w', 0)
    const local = localMemory()
    local.put('a', '1')
    const one = await running({ local })
    expect(broker.keys).toEqual(['default.a', 'default.young', 'head', 'lease'])
    await one.put('old', '2')
    await one.settled()
    expect(inBucket('default.old')).toBe('2')
  })

  test('signs of life are published, and a deleted stream is recreated', async () => {
    await running()
    const first = checkpoint()?.timestampMs ?? 0
    broker.wipeStream()
    await pass(10_000)
    expect(checkpoint()?.timestampMs).toBeGreaterThan(first)
    expect(() => broker.ensureConsumer('r', 'first')).not.toThrow()
  })

  test('a deleted stream is recreated by the first change that it does not accept', async () => {
    const one = await running()
    broker.wipeStream()
    await one.put('a', '1')
    await pass(1000)
    expect(one.outbox.events).toEqual([])
    expect(inStream()).toContain('default.a=1')
  })

  test('an unreadable record of the bucket is overwritten where something is stored, and left elsewhere', async () => {
    broker.prepare()
    for (const key of ['default.a', 'default.b', 'head', 'lease']) broker.put(key, Buffer.from('nonsense'), undefined)
    const local = localMemory()
    local.put('a', '1')
    const one = await running({ local })
    expect([inBucket('default.a'), String(broker.entry('default.b')?.value)]).toEqual(['1', 'nonsense'])
    expect(one.said('a record of a change cannot be read')).toBe(2)
  })
})

describe('a writer without any content of its own', () => {
  test('takes over what the bucket has, tenants first', async () => {
    keep(rulePut('a', '1'), 1)
    keep({ type: 'RuleDeleted', tenant: 'default', name: 'b' }, 2)
    keep({ type: 'TenantConfigChanged', text: '{"t":1}' }, 3)
    const local = localMemory('{}')
    local.isNew = true
    const one = await running({ local })
    expect(local.applied).toEqual(['tenants={"t":1}', 'a=1'])
    expect([inStream(), one.said('fresh writer')]).toEqual([[], 1])
  })

  test('keeps concurrent changes', async () => {
    keep(rulePut('a', 'old'), 1)
    keep(rulePut('b', 'old'), 2)
    keep(rulePut('c', 'old'), 3)
    keep(rulePut('d', 'old'), 4)
    const local = localMemory()
    local.isNew = true
    const one = writer({ local })
    await one.put('a', 'before')
    connect(one)
    const { answer } = local
    local.answer = (event) => {
      local.answer = answer
      void one.put('c', 'meanwhile')
      void one.delete('d')
      return answer(event)
    }
    await one.settled()
    expect(local.contents()).toEqual({ a: 'before', b: 'old', c: 'meanwhile' })
    const kept = ['a', 'b', 'c', 'd'].map((name) => inBucket(`default.${name}`))
    expect(kept).toEqual(['before', 'old', 'meanwhile', null])
  })

  test('reports what it cannot take over', async () => {
    keep(rulePut('a', '1'), 1)
    const local = localMemory()
    local.isNew = true
    local.answer = () => ({ kind: 'refused', reason: 'no signature' })
    const one = await running({ local })
    expect(one.said('a ruleset from the broker was not adopted')).toBe(1)
  })

  test('does so only once: afterwards the broker follows it', async () => {
    const local = localMemory()
    local.isNew = true
    const one = await running({ local })
    keep(rulePut('a', '1'), 1)
    one.client.cut()
    await pass(3000)
    expect([local.contents(), inBucket('default.a')]).toEqual([{}, null])
  })
})

describe('two writers', () => {
  test('the one that started last writes; the other one reports it and changes nothing more', async () => {
    const first = await running({ id: 'w1' })
    await running({ id: 'w2', session: 's2' })
    await first.put('a', '1')
    await pass(1000)
    expect([first.publisher.supersededBy, first.told, inStream()]).toEqual(['w2', ['conflict'], []])
    await expect(first.put('a', '2')).rejects.toMatchObject({
      code: 'conflict',
      message: 'another writer (w2) has taken over: no changes are possible here before a restart',
    })
  })

  test('the first one notices even without a change of its own', async () => {
    const first = await running({ id: 'w1' })
    await running({ id: 'w2', session: 's2' })
    await pass(10_000)
    expect(first.publisher.supersededBy).toBe('w2')
    expect(checkpoint()?.instanceId).toBe('w2')
  })

  test('a newer change of the other one stays in the bucket', async () => {
    const one = await running()
    await one.put('a', '1')
    await one.settled()
    keep(rulePut('a', 'other'), 5e15)
    await one.put('a', '2')
    await one.settled()
    expect([inBucket('default.a'), one.told.includes('conflict')]).toEqual(['other', true])
  })

  test('an older change of the other one is overwritten', async () => {
    const one = await running()
    await one.put('a', '1')
    await one.settled()
    keep(rulePut('a', 'other'), 5)
    await one.put('a', '2')
    await one.settled()
    expect([inBucket('default.a'), one.told.includes('conflict')]).toEqual(['2', false])
  })

  test('a run that has ended cannot take over from the one after it', async () => {
    const first = writer({ session: 's1' })
    broker.fate = ({ kind, key }) => {
      if (kind !== 'put' || key !== 'lease') return undefined
      // Messages of the first run are delayed until the second one has started.
      broker.chaos = { ...CALM, delayMs: [2000, 2000] }
      return undefined
    }
    connect(first)
    await pass(100)
    first.client.kill()
    broker.chaos = { ...CALM, delayMs: [1, 2] }
    broker.fate = () => undefined
    const second = await running({ session: 's2' })
    await pass(20_000)
    expect(second.publisher.supersededBy).toBeUndefined()
    const lease = broker.entry('lease')
    expect(lease && leaseOf(lease)).toMatchObject({ instanceId: 'w', session: 's2' })
  })

  test('pending writes of an ended run take over nothing in a recreated bucket', async () => {
    await running({ session: 's1' })
    const late = broker.entry('lease')?.value ?? new Uint8Array()
    const second = await running({ session: 's2' })
    await second.put('a', '1')
    await second.settled()
    broker.wipeBucket()
    broker.prepare()
    broker.put('lease', late, 0)
    await pass(11_000)
    await second.put('b', '1')
    await second.settled()
    const lease = broker.entry('lease')
    expect(lease && leaseOf(lease)).toMatchObject({ instanceId: 'w', session: 's2' })
    expect([second.publisher.supersededBy, inBucket('default.a'), inBucket('default.b')]).toEqual([undefined, '1', '1'])
  })

  test.each([
    ['without a number, of an older release', '{"instance_id":"w0","session":"s0"}'],
    ['that counts further than a run can', `{"instance_id":"w0","session":"s0","began":${2 ** 53 - 1}}`],
  ])('a lease %s is taken over at the start', async (_what, lease) => {
    broker.prepare()
    broker.put('lease', Buffer.from(lease), 0)
    const one = await running()
    await pass(20_000)
    expect(one.publisher.supersededBy).toBeUndefined()
    await running({ id: 'w2', session: 's2' })
    await pass(11_000)
    expect(one.publisher.supersededBy).toBe('w2')
  })
})

describe('an outbox of an earlier run', () => {
  async function outboxWith(...events: (readonly [event: SyncEvent, revision: number])[]): Promise<Outbox> {
    const outbox = createMemoryOutbox()
    for (const [event, revision] of events)
      await outbox.append(outboxEvent({ instanceId: 'w', event, timestampMs: 5 }, revision))
    return outbox
  }

  test('pending changes are published unchanged, and only once', async () => {
    const local = localMemory()
    local.put('a', '2')
    const outbox = await outboxWith([rulePut('a', '1'), 10], [rulePut('a', '2'), 20])
    await running({ local, outbox })
    expect(broker.taken.map(({ id, revision }) => [id, revision])).toEqual([
      ['w-10', 10],
      ['w-20', 20],
    ])
  })

  test.each<[what: string, stored: Record<string, string>]>([
    ['was changed', { a: '3' }],
    ['was deleted', {}],
  ])(
    'a ruleset that %s between the store and the outbox when the process ended is published too',
    async (_what, stored) => {
      const local = localMemory()
      for (const [name, text] of Object.entries(stored)) local.put(name, text)
      await running({ local, outbox: await outboxWith([rulePut('a', '2'), 20]) })
      expect(inBucket('default.a')).toBe(stored['a'] ?? null)
      expect(inStream()).toEqual(['default.a=2', `default.a=${stored['a'] ?? null}`])
    },
  )

  test.each<[what: string, stored: string]>([
    ['the broker has', '2'],
    ['waits', '1'],
  ])('an entry older than that of the broker does not replace it: %s is stored', async (_what, stored) => {
    keep(rulePut('a', '2'), 5e15)
    const local = localMemory()
    local.put('a', stored)
    await running({ local, outbox: await outboxWith([rulePut('a', '1'), 10]) })
    const entry = broker.entry('default.a')
    expect(inBucket('default.a')).toBe(stored)
    expect(entry && recordOf('default.a', readMessage(entry.value)).revision).toBeGreaterThanOrEqual(5e15)
  })

  test('a write without a change is skipped', async () => {
    const outbox = createMemoryOutbox()
    await outbox.append({ revision: 1, subject: 'default.a', type: 'RulePut', text: '{"revision":1}' })
    const local = localMemory()
    local.put('a', '1')
    const one = writer({ local, outbox })
    connect(one)
    await pass(1000)
    expect([one.publisher.isSettled, inBucket('default.a')]).toEqual([true, '1'])
  })
})

describe('closing', () => {
  test('waits for pending publications', async () => {
    const one = await running()
    await one.put('a', '1')
    const closed = one.publisher.close(5000)
    await pass(1000)
    await closed
    expect(inStream()).toEqual(['default.a=1'])
  })

  test('does not wait without a connection, nor longer than it may', async () => {
    const away = writer()
    await away.put('a', '1')
    await away.publisher.close(5000)
    const one = await running({ session: 's2' })
    broker.fate = () => 'lost'
    await one.put('a', '1')
    const start = Date.now()
    const closed = one.publisher.close(3000)
    await pass(4000)
    await closed
    expect(Date.now() - start).toBe(4000)
    expect(one.outbox.events).toHaveLength(1)
  })
})

describe('what the broker cannot store', () => {
  test.each(['stream', 'state'] as const)(
    'its %s is recreated after some attempts, and everything is published',
    async (what) => {
      const one = await running()
      await one.put('a', '1')
      await one.settled()
      broker.broken = what
      await one.put('b', '1')
      await pass(2000)
      expect(one.publisher.refused).toMatchObject({ reason: 'Error: error opening msg block file' })
      expect(one.publisher.refused?.times).toBeGreaterThan(3)
      expect(one.outbox.events).toHaveLength(1)
      await one.settled()
      expect([inBucket('default.a'), inBucket('default.b')]).toEqual(['1', '1'])
      expect(inStream()).toContain('default.b=1')
      expect([one.publisher.refused, one.said('deleting and recreating its stream')]).toEqual([undefined, 1])
      expect(broker.done.filter((done) => done.startsWith('recreate'))).toEqual([`recreate ${what}`])
    },
  )

  test('is logged less and less often, and retried at growing intervals', async () => {
    const one = await running()
    broker.recreate = () => {
      throw new Error('other fleets use it too')
    }
    broker.broken = 'stream'
    await one.put('a', '1')
    await pass(600_000)
    expect(one.said('the broker did not accept an event')).toBeLessThan(15)
    expect(one.said('the stream could not be recreated')).toBeLessThan(12)
    expect(one.publisher.refused?.seconds).toBeGreaterThan(590)
  })

  test('another refusal recreates nothing', async () => {
    const one = await running()
    broker.fate = ({ kind }) => (kind === 'publish' ? 'refused' : undefined)
    await one.put('a', '1')
    await pass(120_000)
    expect(broker.done.filter((done) => done.startsWith('recreate'))).toEqual([])
    expect(one.publisher.refused?.reason).toBe('Error: the broker refuses')
  })
})

test('a ruleset whose file cannot be read is not deleted on the readers, even when the bucket is lost', async () => {
  const first = await running()
  await first.put('a', '1')
  await first.put('b', '1')
  await first.settled()
  first.client.kill()
  const local = localMemory()
  local.put('a', '1')
  local.withheld.add('b')
  const one = writer({ session: 's2', local })
  connect(one)
  await one.settled()
  expect([inBucket('default.b'), checkpoint()?.rulesets]).toEqual(['1', 2])
  expect(one.said('the file of a ruleset cannot be served')).toBe(1)
  broker.wipe()
  await pass(15_000)
  expect([inBucket('default.b'), checkpoint()?.rulesets]).toEqual(['1', 2])
  // Its file went away: now it is deleted.
  local.withheld.clear()
  one.client.cut()
  await pass(15_000)
  expect(checkpoint()?.rulesets).toBe(1)
})

test('a replica that lags for a minute is counted and logged once, until it is current', async () => {
  const one = await running()
  broker.staleReplicas = ['`engine-rules` on `n2`']
  await pass(45_000)
  expect(one.publisher.staleReplicas).toBe(0)
  await pass(60_000)
  expect(one.publisher.staleReplicas).toBe(1)
  expect(one.said('has lagged for a minute')).toBe(1)
  broker.staleReplicas = []
  await pass(15_000)
  expect(one.publisher.staleReplicas).toBe(0)
})

test('a warning of the broker is logged once', async () => {
  broker.warnings = ['`engine-rules` has one copy in a cluster']
  const one = await running()
  await pass(60_000)
  expect(one.said('has one copy in a cluster')).toBe(1)
})

test('a change is acknowledged when the outbox has it on disk, and not before', async () => {
  const memory = createMemoryOutbox()
  let stored = () => {}
  const disk = new Promise<void>((resolve) => (stored = resolve))
  const slow: Outbox = {
    get events() {
      return memory.events
    },
    get lastRevision() {
      return memory.lastRevision
    },
    append: (event) => memory.append(event).then(() => disk),
    published: (count) => memory.published(count),
    close: () => memory.close(),
  }
  const one = await running({ outbox: slow })
  let isAcknowledged = false
  const put = one.put('a', '1').then(() => (isAcknowledged = true))
  await pass(1000)
  expect(isAcknowledged).toBe(false)
  stored()
  await put
})
