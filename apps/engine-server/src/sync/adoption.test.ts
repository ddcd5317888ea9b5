import { delay } from '@engine/process'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Adoption } from './adoption.ts'
import { envelopeText, subjectOf, type SyncEvent } from './event.ts'
import { seeded } from './random.testing.ts'
import { SimulatedBroker } from './simulated-broker.testing.ts'
import { localMemory, memoryMetrics, searchableLog } from './sync.testing.ts'
import { pass, useVirtualTime } from './virtual-time.testing.ts'

let broker: SimulatedBroker
let acknowledged: number[]

beforeEach(() => {
  useVirtualTime()
  broker = new SimulatedBroker(seeded(1))
  broker.prepare()
  acknowledged = []
  broker.acknowledged = (_, { seq }) => void acknowledged.push(seq)
})
afterEach(() => vi.useRealTimers())

/** A writer that adopts others' publications after a second. */
async function writer(options: { readonly requiresSignatures?: boolean; readonly isWriter?: () => boolean } = {}) {
  const client = broker.client('w')
  const local = localMemory('{}')
  const { metrics, told } = memoryMetrics()
  const { log, said } = searchableLog()
  const tenants: string[] = []
  const adoption = new Adoption(
    {
      broker: client,
      local: () => local,
      instanceId: 'w',
      metrics,
      log,
      isWriter: () => true,
      tenantsChanged: async (text) => void tenants.push(text),
      ...options,
    },
    () => performance.now(),
  )
  client.connect({ up: () => adoption.up(), down: () => undefined })
  await pass(1000)
  return { adoption, client, local, told, said, tenants }
}

const put = (name: string, text: string): SyncEvent => ({
  type: 'RulePut',
  tenant: 'default',
  name,
  version: '1',
  text,
})
const gone = (name: string): SyncEvent => ({ type: 'RuleDeleted', tenant: 'default', name })

/** An event in the stream, as others publish it. */
function send(event: SyncEvent, { revision, from = 'other' }: { revision?: number; from?: string } = {}): number {
  const text = envelopeText({ instanceId: from, event, timestampMs: Date.now() })
  return broker.inject(subjectOf(event), text, revision)
}

describe('an event of another writer', () => {
  test('is taken over in the order of the stream; counted events and our own are not', async () => {
    const one = await writer()
    send(put('a', '1'))
    send(put('b', '1'), { revision: 7 })
    send(put('c', '1'), { from: 'w' })
    send(put('a', '2'))
    send(put('d', '1'))
    send(gone('d'))
    send({ type: 'TenantConfigChanged', text: '{"t":1}' })
    await pass(1000)
    expect(one.local.applied).toEqual(['a=1', 'a=2', 'd=1', 'd gone', 'tenants={"t":1}'])
    expect([one.tenants, acknowledged]).toEqual([['{"t":1}'], [1, 2, 3, 4, 5, 6, 7]])
  })

  test('that is older than the first position stays unchanged', async () => {
    send(put('a', '1'))
    const one = await writer()
    send(put('b', '1'))
    await pass(1000)
    expect(one.local.contents()).toEqual({ b: '1' })
  })

  test('that was refused is not redelivered; one that failed is, and undoes nothing newer', async () => {
    const one = await writer()
    one.local.answer = (event) => {
      if (event.type === 'TenantConfigChanged' || event.name === 'a') return { kind: 'failed', reason: 'the disk' }
      return event.name === 'b' ? { kind: 'refused', reason: 'no ruleset' } : undefined
    }
    send(put('a', '1'))
    send(put('b', '1'))
    await pass(500)
    expect([one.local.contents(), acknowledged, one.told]).toEqual([{}, [2], ['skipped rejected']])
    one.local.answer = () => undefined
    send(put('a', '2'))
    await pass(5000)
    expect([one.local.contents(), one.local.applied]).toEqual([{ a: '2' }, ['a=2']])
    expect(acknowledged.toSorted((left, right) => left - right)).toEqual([1, 2, 3])
  })

  test('without a signature is refused where one is required', async () => {
    const one = await writer({ requiresSignatures: true })
    one.local.put('a', '1')
    send(gone('a'))
    send({ type: 'TenantConfigChanged', text: '{"t":1}' })
    await pass(1000)
    expect([one.local.contents(), one.tenants, acknowledged]).toEqual([{ a: '1' }, [], [1, 2]])
    expect(one.said('was not taken over')).toBeGreaterThan(0)
  })

  test.each([
    ['no JSON', 'default.a', '{'],
    ['another subject', 'default.b', envelopeText({ instanceId: 'other', event: put('a', '1'), timestampMs: 1 })],
  ])('with %s is skipped', async (_what, subject, text) => {
    const one = await writer()
    broker.inject(subject, text)
    await pass(1000)
    expect([one.local.contents(), acknowledged, one.told]).toEqual([{}, [1], ['skipped rejected']])
  })

  test('waits where another writer has taken over', async () => {
    let isWriter = true
    const one = await writer({ isWriter: () => isWriter })
    isWriter = false
    send(put('a', '1'))
    await pass(1000)
    expect([one.local.contents(), acknowledged]).toEqual([{}, []])
  })
})

describe('the position in the stream', () => {
  test('resumes after a restart', async () => {
    const one = await writer()
    send(put('a', '1'))
    await pass(1000)
    await one.adoption.close()
    one.client.kill()
    send(put('b', '1'))
    await pass(10_000)
    const next = await writer()
    await pass(10_000)
    expect(next.local.contents()).toEqual({ b: '1' })
  })

  test('that is lost is recreated after the last event', async () => {
    const one = await writer()
    send(put('a', '1'))
    await pass(1000)
    one.local.put('a', 'newer')
    broker.deleteConsumer('w')
    send(put('b', '1'))
    await pass(20_000)
    expect(one.local.contents()).toEqual({ a: 'newer', b: '1' })
  })

  test('starts over in another stream', async () => {
    const one = await writer()
    send(put('a', '1'))
    await pass(1000)
    broker.wipeStream()
    send(put('b', '1'))
    await pass(20_000)
    expect(one.local.contents()).toEqual({ a: '1', b: '1' })
  })
})

test('connections that return while a consumer is made begin it once', async () => {
  let isWriter = false
  const { adoption, client } = await writer({ isWriter: () => isWriter })
  const follow = vi.spyOn(client, 'follow')
  const prepare = client.prepare.bind(client)
  vi.spyOn(client, 'prepare').mockImplementation(async () => {
    await delay(5000)
    return prepare()
  })
  isWriter = true
  for (let count = 0; count < 3; count++) adoption.up()
  await pass(20_000)
  expect(follow).toHaveBeenCalledTimes(1)
})
