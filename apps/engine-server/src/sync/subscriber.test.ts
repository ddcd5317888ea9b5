import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { envelopeText, messageBytes, subjectOf, type SyncEvent } from './event.ts'
import { seeded } from './random.testing.ts'
import { CALM, SimulatedBroker, type SimulatedClient } from './simulated-broker.testing.ts'
import { checkpointBytes, outboxEvent } from './state.ts'
import { Subscriber } from './subscriber.ts'
import { type LocalMemory, localMemory, memoryMetrics, searchableLog } from './sync.testing.ts'
import { pass, passUntil, useVirtualTime } from './virtual-time.testing.ts'

let broker: SimulatedBroker
let acknowledged: number[]

beforeEach(() => {
  useVirtualTime()
  broker = new SimulatedBroker(seeded(1))
  acknowledged = []
  broker.acknowledged = (_, { seq }) => void acknowledged.push(seq)
})
afterEach(() => vi.useRealTimers())

interface ReaderUnderTest {
  readonly local: LocalMemory
  readonly subscriber: Subscriber
  readonly client: SimulatedClient
  readonly told: string[]
  readonly said: (words: string) => number
}

const sorted = (numbers: readonly number[]) => numbers.toSorted((left, right) => left - right)

/** A reader that is connected, after a second. */
async function reader(id = 'r', local = localMemory(), after = 1000): Promise<ReaderUnderTest> {
  const client = broker.client(id)
  const { metrics, told } = memoryMetrics()
  const { log, said } = searchableLog()
  const elapsed = () => performance.now()
  const subscriber = new Subscriber({
    broker: client,
    local: () => local,
    instanceId: id,
    metrics,
    log,
    now: Date.now,
    elapsed,
  })
  client.connect({ up: () => subscriber.up(), down: () => subscriber.down() })
  await pass(after)
  return { local, subscriber, client, told, said }
}

const rulePut = (name: string, text: string, tenant = 'default'): SyncEvent => ({
  type: 'RulePut',
  tenant,
  name,
  version: '1.0.0',
  text,
})
const gone = (name: string): SyncEvent => ({ type: 'RuleDeleted', tenant: 'default', name })

/** An event in the stream. */
function send(event: SyncEvent, revision?: number, instanceId = 'w'): number {
  return broker.inject(subjectOf(event), envelopeText({ instanceId, event, timestampMs: Date.now() }), revision)
}

/** Writes the bucket entry of the writer. */
function keep(event: SyncEvent, revision: number): void {
  broker.prepare()
  const { subject, text } = outboxEvent({ instanceId: 'w', event, timestampMs: Date.now() }, revision)
  broker.put(subject, messageBytes(text, 1_000_000), undefined)
}

/** The writer's checkpoint after publishing everything, with these rulesets. */
function tellCheckpoint(revision: number, contents: Readonly<Record<string, string>>, instanceId = 'w'): void {
  broker.prepare()
  const writer = localMemory()
  for (const [name, text] of Object.entries(contents)) writer.put(name, text)
  const rulesets = Object.keys(contents).length
  const checkpoint = { instanceId, revision, digest: writer.digest(), rulesets, timestampMs: Date.now() }
  broker.put('head', checkpointBytes(checkpoint), undefined)
}

describe('an event', () => {
  test('is applied, acknowledged when it is stored, and counted', async () => {
    const one = await reader()
    let store = () => {}
    const { apply } = one.local
    one.local.apply = async (event) => {
      await new Promise<void>((resolve) => (store = resolve))
      return apply(event)
    }
    send(rulePut('a', '1'), 10)
    await pass(100)
    expect([acknowledged, one.subscriber.lag], 'what is being applied has not been applied').toEqual([[], 1])
    store()
    await pass(100)
    expect([one.local.contents(), acknowledged, one.told, one.subscriber.appliedSeq]).toEqual([
      { a: '1' },
      [1],
      ['applied RulePut'],
      1,
    ])
    expect(one.subscriber.isSynced, 'no writer has said what there is in all').toBe(false)
  })

  test.each<[what: string, events: (readonly [event: SyncEvent, revision: number | undefined])[], told: string[]]>([
    [
      'that came already',
      [
        [rulePut('a', '1'), 10],
        [rulePut('a', '1'), 10],
      ],
      ['applied RulePut', 'skipped already_applied'],
    ],
    [
      'that is older',
      [
        [rulePut('a', '2'), 20],
        [rulePut('a', '1'), 10],
      ],
      ['applied RulePut', 'skipped older'],
    ],
    [
      'with an existing one',
      [
        [rulePut('a', '1'), 10],
        [rulePut('a', '1'), 20],
      ],
      ['applied RulePut', 'skipped already_applied'],
    ],
    ['that deletes nothing', [[gone('a'), 10]], ['skipped already_applied']],
    [
      'that is older than a deletion',
      [
        [rulePut('a', '1'), 10],
        [gone('a'), 30],
        [rulePut('a', '2'), 20],
      ],
      ['applied RulePut', 'applied RuleDeleted', 'skipped older'],
    ],
    [
      'of a sender that does not count',
      [
        [rulePut('a', '1'), undefined],
        [rulePut('a', '2'), undefined],
      ],
      ['applied RulePut', 'applied RulePut'],
    ],
    [
      'of another ruleset',
      [
        [rulePut('a', '2'), 20],
        [rulePut('b', '1'), 10],
      ],
      ['applied RulePut', 'applied RulePut'],
    ],
    [
      'of another tenant',
      [
        [rulePut('a', '2'), 20],
        [rulePut('a', '1', 'acme'), 10],
      ],
      ['applied RulePut', 'applied RulePut'],
    ],
  ])('%s', async (_what, events, told) => {
    const one = await reader()
    for (const [event, revision] of events) {
      send(event, revision)
      await pass(100)
    }
    expect([one.told, acknowledged]).toEqual([told, events.map((_, index) => index + 1)])
  })

  test.each<[what: string, payload: string, reason: string]>([
    ['of its own', envelopeText({ instanceId: 'r', event: rulePut('a', '1'), timestampMs: 0 }), 'echo'],
    ['that is invalid', 'nonsense', 'rejected'],
    ['of an unknown kind', '{"event":{"type":"Surprise"}}', 'rejected'],
  ])('%s is skipped, and later ones are not', async (_what, payload, reason) => {
    const one = await reader()
    broker.inject('default.a', payload, 10)
    send(rulePut('b', '1'), 20)
    await pass(100)
    expect([one.local.contents(), one.told, acknowledged]).toEqual([
      { b: '1' },
      [`skipped ${reason}`, 'applied RulePut'],
      [1, 2],
    ])
  })

  test('that is refused changes nothing and is not redelivered', async () => {
    const one = await reader()
    one.local.answer = () => ({ kind: 'refused', reason: 'no signature' })
    send(rulePut('a', '1'), 10)
    await pass(30_000)
    expect([one.told, acknowledged, one.said('an event was not applied')]).toEqual([['skipped rejected'], [1], 1])
  })

  test('that could not be stored is redelivered until it is', async () => {
    const one = await reader()
    let failures = 3
    one.local.answer = () => (failures-- > 0 ? { kind: 'failed', reason: 'disk full' } : undefined)
    send(rulePut('a', '1'), 10)
    await pass(1000)
    expect([one.local.contents(), acknowledged]).toEqual([{}, []])
    await pass(10_000)
    expect([one.local.contents(), acknowledged]).toEqual([{ a: '1' }, [1]])
  })

  test('that could not be stored is dropped when a newer one arrives', async () => {
    const one = await reader()
    one.local.answer = () => ({ kind: 'failed', reason: 'disk full' })
    send(rulePut('a', '1'), 10)
    await pass(100)
    one.local.answer = () => undefined
    send(rulePut('a', '2'), 20)
    await pass(10_000)
    expect([one.local.applied, sorted(acknowledged)]).toEqual([['a=2'], [1, 2]])
  })

  test('a copy of one that could not be stored does not acknowledge it', async () => {
    const one = await reader()
    broker.chaos = { ...CALM, delayMs: [5, 5], duplicate: 1 }
    let failures = 1
    one.local.answer = () => (failures-- > 0 ? { kind: 'failed', reason: 'disk full' } : undefined)
    send(rulePut('a', '1'), 10)
    await pass(500)
    expect([one.local.contents(), acknowledged]).toEqual([{}, []])
    await pass(10_000)
    expect(one.local.contents()).toEqual({ a: '1' })
  })

  test('several of one ruleset that arrive together: only the newest that is not refused is applied', async () => {
    const one = await reader()
    one.local.answer = (event) =>
      event.type === 'RulePut' && event.text === '3' ? { kind: 'refused', reason: 'bad' } : undefined
    broker.chaos = { ...CALM, delayMs: [5, 5] }
    for (const [index, text] of ['2', '1', '3'].entries()) send(rulePut('a', text), [20, 10, 30][index])
    await pass(100)
    expect([one.local.applied, sorted(acknowledged)]).toEqual([['a=2'], [1, 2, 3]])
    expect(one.told).toEqual(['skipped rejected', 'applied RulePut', 'skipped older'])
  })

  test('of a tenant comes before its rulesets', async () => {
    const one = await reader('r', localMemory('{}'))
    broker.chaos = { ...CALM, delayMs: [5, 5] }
    send(rulePut('a', '1', 'acme'), 10)
    send({ type: 'TenantConfigChanged', text: '{"t":1}' }, 20)
    send(rulePut('a', '2', 'other'), 30)
    await pass(100)
    expect(one.local.applied[0]).toBe('tenants={"t":1}')
    expect(one.local.contents()).toEqual({ 'acme/a': '1', 'other/a': '2' })
  })

  test('that was not acknowledged is redelivered after a crash, and does not undo newer changes', async () => {
    const first = await reader()
    first.local.answer = () => ({ kind: 'failed', reason: 'disk full' })
    send(rulePut('a', '1'), 10)
    await pass(100)
    first.client.kill()
    const local = localMemory()
    keep(rulePut('a', '2'), 20)
    tellCheckpoint(20, { a: '2' })
    send(rulePut('a', '2'), 20)
    await reader('r', local, 30_000)
    expect([local.applied, sorted(acknowledged)]).toEqual([['a=2'], [1, 2]])
  })
})

describe('an event that takes long to read', () => {
  /** Quoted twice, this takes the reader many turns. */
  const long = JSON.stringify(Array.from({ length: 50_000 }, (_, at) => `"${at}"`))

  test('is not overtaken by a later one of the same ruleset, with or without a revision', async () => {
    const one = await reader()
    const { applied } = one.local
    send(rulePut('a', long), 10)
    send(rulePut('b', long))
    send(rulePut('a', '2'), 20)
    send(rulePut('b', '2'))
    await passUntil(() => acknowledged.length === 4, 3_600_000)
    // Each is either applied before the later one, or passed over for it.
    const short = applied.map((text) => text.replace(long, 'long'))
    expect([['a=2'], ['a=long', 'a=2']]).toContainEqual(short.filter((text) => text.startsWith('a')))
    expect([['b=2'], ['b=long', 'b=2']]).toContainEqual(short.filter((text) => text.startsWith('b')))
    expect(one.local.contents()).toEqual({ a: '2', b: '2' })
  })

  test('is not applied after the shutdown, and is redelivered after the next start', async () => {
    const one = await reader()
    // It is read in real time: so long that the shutdown comes first on every machine.
    const longer = long.repeat(20)
    send(rulePut('a', longer), 10)
    await passUntil(() => one.subscriber.lag > 0, 1000)
    await one.subscriber.close()
    await pass(1000)
    expect([one.local.applied, acknowledged]).toEqual([[], []])
    one.client.kill()
    const next = await reader('r', localMemory())
    await passUntil(() => next.local.applied.length > 0, 3_600_000)
    expect(next.local.contents()).toEqual({ a: longer })
  })
})

describe('the content of the bucket', () => {
  test('is loaded before events are consumed', async () => {
    for (const [index, name] of ['a', 'b', 'c'].entries()) keep(rulePut(name, 'new'), 10 + index)
    keep(gone('d'), 13)
    tellCheckpoint(13, { a: 'new', b: 'new', c: 'new' })
    send(rulePut('a', 'long ago'), 5)
    const local = localMemory()
    for (const [name, text] of Object.entries({ a: 'old', b: 'new', d: 'old', x: 'forgotten' })) local.put(name, text)
    const one = await reader('r', local)
    expect(local.contents()).toEqual({ a: 'new', b: 'new', c: 'new' })
    expect([one.told, one.subscriber.isSynced, one.subscriber.isFollowing]).toEqual([['reconciled start'], true, true])
  })

  test('is read, packed records too, tenants first', async () => {
    keep(rulePut('a', 'x'.repeat(900_000), 'acme'), 10)
    keep({ type: 'TenantConfigChanged', text: '{"t":1}' }, 20)
    tellCheckpoint(20, {})
    const { local } = await reader('r', localMemory('{}'))
    // Decompression runs on another thread, in real time.
    await passUntil(() => local.applied.length > 1, 3_600_000)
    expect(local.applied[0]).toBe('tenants={"t":1}')
    expect(local.contents()['acme/a']).toHaveLength(900_000)
  })

  test('reports no deletions while it is being rebuilt', async () => {
    const local = localMemory()
    for (const name of ['a', 'b']) local.put(name, '1')
    keep(rulePut('a', '1'), 10)
    tellCheckpoint(10, { a: '1', b: '1' })
    await reader('r', local, 30_000)
    expect(local.contents()).toEqual({ a: '1', b: '1' })
  })

  test('that is missing counts as deleted, so that no earlier event restores it', async () => {
    keep(rulePut('b', '1'), 45)
    tellCheckpoint(50, { b: '1' })
    const local = localMemory()
    local.put('a', '1')
    local.put('b', '1')
    const one = await reader('r', local)
    send(rulePut('a', '1'), 40)
    await pass(100)
    expect([local.applied, one.told]).toEqual([['a gone'], ['reconciled start', 'skipped older']])
    send(rulePut('a', '2'), 60)
    await pass(100)
    expect(local.contents()).toEqual({ a: '2', b: '1' })
  })

  test('without any ruleset, as after a total loss, removes none', async () => {
    tellCheckpoint(50, {})
    const local = localMemory()
    local.put('a', '1')
    const one = await reader('r', local)
    await pass(100)
    expect([local.contents(), local.applied]).toEqual([{ a: '1' }, []])
    expect(one.said('the writer has no rulesets: keeping the local ones')).toBeGreaterThan(0)
  })

  test('that cannot be read leaves the local state unchanged', async () => {
    keep(rulePut('a', '2'), 10)
    broker.put('default.b', Buffer.from('nonsense'), undefined)
    tellCheckpoint(10, { a: '2' })
    const local = localMemory()
    for (const name of ['a', 'b', 'c']) local.put(name, '1')
    const one = await reader('r', local)
    expect(local.contents()).toEqual({ a: '2', b: '1' })
    expect(one.said('an entry of the state bucket cannot be read')).toBeGreaterThan(0)
  })

  test('is not read where no writer keeps it: the stream is read from its beginning', async () => {
    send(rulePut('a', '1'))
    const first = await reader()
    expect(first.local.contents()).toEqual({ a: '1' })
    first.client.kill()
    const again = await reader('r', localMemory(), 10_000)
    expect([again.local.contents(), again.told]).toEqual([{ a: '1' }, ['applied RulePut']])
  })

  test('that was loaded before a change from the stream does not undo that change', async () => {
    const one = await reader()
    keep(rulePut('a', '1'), 10)
    tellCheckpoint(10, { a: '1' })
    const old = broker.entries()
    one.client.entries = async () => old
    for (const [name, revision] of Object.entries({ a: 20, b: 21 })) {
      keep(rulePut(name, '2'), revision)
      send(rulePut(name, '2'), revision)
    }
    await pass(30_000)
    expect([one.local.applied, one.told.includes('reconciled digest')]).toEqual([['a=2', 'b=2'], true])
  })
})

describe('changes that may have been missed', () => {
  test('a gap in the sequence causes a comparison', async () => {
    const one = await reader()
    send(rulePut('a', '1'), 10)
    await pass(100)
    keep(rulePut('a', '1'), 10)
    keep(rulePut('b', '1'), 20)
    tellCheckpoint(20, { a: '1', b: '1' })
    broker.chaos = { ...CALM, drop: 1 }
    send(rulePut('b', '1'), 20)
    broker.chaos = CALM
    keep(rulePut('c', '1'), 30)
    send(rulePut('c', '1'), 30)
    await pass(500)
    expect([one.local.contents(), one.told.includes('reconciled gap')]).toEqual([{ a: '1', b: '1', c: '1' }, true])
  })

  test('a gap means nothing where others publish too', async () => {
    broker.isOurs = false
    const one = await reader()
    tellCheckpoint(10, { a: '1' })
    send(rulePut('a', '1'), 10)
    await pass(100)
    broker.chaos = { ...CALM, drop: 1 }
    send(rulePut('b', '1'), 20)
    broker.chaos = CALM
    send(rulePut('a', '1'), 30)
    await pass(500)
    expect(one.told).not.toContain('reconciled gap')
  })

  test('a gap that is filled out of order causes nothing', async () => {
    const one = await reader()
    tellCheckpoint(30, { a: '1', b: '1', c: '1' })
    send(rulePut('a', '1'), 10)
    await pass(100)
    broker.chaos = { ...CALM, reorder: 1 }
    send(rulePut('b', '1'), 20)
    broker.chaos = CALM
    send(rulePut('c', '1'), 30)
    await pass(700)
    expect([one.local.contents(), one.told.includes('reconciled gap')]).toEqual([{ a: '1', b: '1', c: '1' }, false])
  })

  test('a recreated stream is consumed after a comparison', async () => {
    const one = await reader()
    send(rulePut('a', '1'), 10)
    await pass(100)
    keep(rulePut('a', '2'), 20)
    tellCheckpoint(20, { a: '2' })
    broker.wipeStream()
    await pass(3000)
    expect([one.local.contents(), one.said('consumer lost')]).toEqual([{ a: '2' }, 1])
    expect(one.told).toContain('reconciled gap')
    send(rulePut('a', '3'), 30)
    await pass(100)
    expect(one.local.contents()).toEqual({ a: '3' })
  })

  test('a digest that is not the writer\u2019s leads to a comparison, at the second look', async () => {
    const one = await reader()
    keep(rulePut('a', '1'), 10)
    tellCheckpoint(10, { a: '1' })
    await pass(3000)
    expect([one.local.contents(), one.told]).toEqual([{ a: '1' }, ['reconciled digest']])
    expect(one.subscriber.writerDigest).toBe(one.local.digest())
  })

  test('comparisons that do not help are repeated at growing intervals', async () => {
    const one = await reader()
    one.local.answer = () => ({ kind: 'refused', reason: 'no signature' })
    keep(rulePut('a', '1'), 10)
    tellCheckpoint(10, { a: '1' })
    const compared: number[] = []
    for (let minute = 0; minute < 60; minute++) {
      one.told.length = 0
      await pass(60_000)
      compared.push(one.told.length)
    }
    expect(compared.slice(0, 4)).toEqual([4, 1, 1, 0])
    expect(compared.slice(30).reduce((sum, times) => sum + times)).toBe(6)
    // Changes are examined immediately.
    one.local.answer = () => undefined
    tellCheckpoint(11, { a: '1', b: '1' })
    await pass(6000)
    expect(one.local.contents()).toEqual({ a: '1' })
  })

  test('it is checked immediately after a reconnect', async () => {
    const one = await reader()
    one.client.cut()
    keep(rulePut('a', '1'), 10)
    tellCheckpoint(10, { a: '1' })
    await pass(4000)
    expect(one.local.contents()).toEqual({ a: '1' })
  })

  test('the time since the last news from the writer is known', async () => {
    const one = await reader()
    expect(one.subscriber.silence).toBeUndefined()
    tellCheckpoint(1, {})
    await pass(3000)
    expect(one.subscriber.silence).toBeLessThan(3)
    await pass(60_000)
    expect(one.subscriber.silence).toBeGreaterThan(57)
  })
})

describe('an id in use', () => {
  test('by the writer: not consuming events, until the writer has another one', async () => {
    tellCheckpoint(1, {}, 'r')
    const one = await reader()
    expect(one.subscriber.fault).toBe('the writer has the same --instance-id, `r`: every instance needs its own')
    tellCheckpoint(2, {})
    await pass(3000)
    expect([one.subscriber.fault, one.subscriber.isFollowing]).toEqual([undefined, true])
  })

  test('by another reader: events are not consumed, and one line logs it', async () => {
    await reader()
    const second = await reader('r', localMemory(), 20_000)
    expect(second.subscriber.fault).toMatch(/^another instance has the same --instance-id/)
    expect([second.subscriber.isFollowing, second.said('not consuming events')]).toEqual([false, 1])
  })

  test('by its own run that has just ended: it waits', async () => {
    const first = await reader()
    first.client.kill()
    const second = await reader('r', localMemory(), 8000)
    expect([second.subscriber.fault, second.subscriber.isFollowing]).toEqual([undefined, true])
  })
})

describe('a broker that fails', () => {
  test.each(['prepare', 'entry', 'ensureConsumer', 'entries', 'follow'] as const)(
    'at `%s` is retried',
    async (kind) => {
      keep(rulePut('a', '1'), 10)
      tellCheckpoint(10, { a: '1' })
      let failures = 2
      broker.fate = (operation) => (operation.kind === kind && failures-- > 0 ? 'refused' : undefined)
      const one = await reader('r', localMemory(), 10_000)
      expect([one.local.contents(), one.subscriber.isFollowing]).toEqual([{ a: '1' }, true])
      expect(one.said('cannot consume the events'), 'the same reason is told once').toBe(1)
    },
  )

  test('that is unavailable at first is waited for', async () => {
    broker.stop()
    const one = await reader()
    expect([one.subscriber.isFollowing, one.said('')]).toEqual([false, 0])
    broker.start()
    send(rulePut('a', '1'), 10)
    await pass(3000)
    expect(one.local.contents()).toEqual({ a: '1' })
  })
})

test('nothing is applied after the shutdown', async () => {
  const one = await reader()
  await one.subscriber.close()
  send(rulePut('a', '1'), 10)
  one.subscriber.up()
  await pass(30_000)
  expect([one.local.contents(), acknowledged]).toEqual([{}, []])
})

describe('a message of a stranger', () => {
  /** A reader with `a` in sync with the writer. */
  async function settled() {
    keep(rulePut('a', '1'), 10)
    tellCheckpoint(10, { a: '1' })
    return reader()
  }

  test.each<[what: string, event: SyncEvent, revision: number | undefined]>([
    ['a put', rulePut('a', 'x'), 20],
    ['a put of the future', rulePut('a', 'x'), Number.MAX_SAFE_INTEGER],
    ['a put with the same content', rulePut('a', '1'), Number.MAX_SAFE_INTEGER],
    ['a ruleset of its own', rulePut('x', 'x'), Number.MAX_SAFE_INTEGER],
    ['a deletion', gone('a'), 20],
    ['a deletion of the future', gone('a'), Number.MAX_SAFE_INTEGER],
    ['an uncounted event', rulePut('a', 'x'), undefined],
    ['an invalid revision', rulePut('a', 'x'), Number.NaN],
  ])('%s disappears with a comparison, and the next change of the writer applies', async (_what, event, revision) => {
    const one = await settled()
    send(event, revision, 'stranger')
    await pass(10_000)
    expect(one.local.contents()).toEqual({ a: '1' })
    keep(rulePut('a', '2'), 30)
    tellCheckpoint(30, { a: '2' })
    send(rulePut('a', '2'), 30)
    await pass(10_000)
    expect(one.local.contents()).toEqual({ a: '2' })
  })

  test('that is refused blocks no change of the writer', async () => {
    const one = await settled()
    one.local.answer = (event) =>
      event.type === 'RulePut' && event.text === 'x' ? { kind: 'refused', reason: 'no signature' } : undefined
    send(rulePut('a', 'x'), Number.MAX_SAFE_INTEGER)
    await pass(100)
    keep(rulePut('a', '2'), 30)
    send(rulePut('a', '2'), 30)
    await pass(100)
    expect([one.local.contents(), one.told]).toEqual([
      { a: '2' },
      ['reconciled start', 'skipped rejected', 'applied RulePut'],
    ])
  })

  test('on the subject of another is skipped', async () => {
    const one = await settled()
    const event = rulePut('a', 'x', 'globex')
    broker.inject('acme.a', envelopeText({ instanceId: 's', event, timestampMs: 1 }), 20)
    await pass(100)
    expect([one.local.contents(), one.told.at(-1)]).toEqual([{ a: '1' }, 'skipped rejected'])
  })
})

test('a reader that gets only old events while the writer continues compares every few seconds', async () => {
  const one = await reader()
  let revision = 100
  const change = () => {
    revision++
    keep(rulePut('a', String(revision)), revision)
    tellCheckpoint(revision, { a: String(revision) })
  }
  // While events arrive, comparisons that do not help become rare.
  for (let second = 0; second < 60; second++) {
    change()
    send(rulePut('b', String(revision)), revision)
    await pass(1000)
  }
  // Only redeliveries arrive after this.
  let late = 0
  for (let second = 0; second < 60; second++) {
    change()
    send(rulePut('b', '101'), 101)
    await pass(1000)
    if (second > 10) late = Math.max(late, revision - Number(one.local.contents()['a'] ?? 100))
  }
  expect(late).toBeLessThan(10)
})

test('a reader that gets no events while the writer continues compares every few seconds, and reports that it lags', async () => {
  const one = await reader()
  // Nothing comes from the stream: the writer's events go to a place on a server that is gone.
  let revision = 100
  let [late, lagged] = [0, 0]
  for (let second = 0; second < 60; second++) {
    revision++
    keep(rulePut('a', String(revision)), revision)
    tellCheckpoint(revision, { a: String(revision) })
    await pass(1000)
    late = Math.max(late, revision - Number(one.local.contents()['a'] ?? 100))
    if (one.subscriber.lag > 0) lagged++
  }
  expect(late).toBeLessThan(10)
  expect(lagged).toBeGreaterThan(30)
})

test('a position that the broker does not answer for is given up', async () => {
  const one = await reader('r', localMemory(), 100)
  keep(rulePut('a', '1'), 10)
  tellCheckpoint(10, { a: '1' })
  one.client.kill()
  let isSilent = true
  broker.fate = ({ kind }) => {
    if (kind === 'deleteConsumer') isSilent = false
    return kind === 'ensureConsumer' && isSilent ? 'lost' : undefined
  }
  const again = await reader('r', localMemory(), 30_000)
  expect([again.subscriber.isFollowing, again.local.contents()]).toEqual([true, { a: '1' }])
})
