import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, expect, test } from 'vitest'
import { parseBrokerUrl } from '../../apps/engine-server/src/sync/broker-address.ts'
import { CHECKPOINT } from '../../apps/engine-server/src/sync/state.ts'
import { brokerAt } from './broker.testing.ts'
import { until } from './fleet.testing.ts'
import { killAllNats, startNats } from './nats.testing.ts'

afterAll(killAllNats)

const KEYS = Array.from({ length: 200 }, (_, index) => `default.r${index}`)
const LISTS = 100

/** Listing a bucket under continuous changes would not end before the changes do, with old and new content of one key. */
test('the state is listed while it changes: each key once, and nothing older than the request', async () => {
  const nats = await startNats()
  const broker = brokerAt({ address: parseBrokerUrl(nats.url) })
  broker.connect({ up: () => undefined, down: () => undefined })
  await until('it connects', () => broker.isConnected)
  await broker.prepare()
  expect(await broker.entries()).toEqual([])
  for (const key of [...KEYS, CHECKPOINT]) await broker.put(key, Buffer.from('0'))

  // Another connection, so that the list and the changes do not wait for each other.
  const connection = await connect({ servers: nats.url })
  const client = jetstream(connection)
  const changing = { isOver: false, changes: 0 }
  const changes = Array.from({ length: 8 }, async (_, number) => {
    for (let at = number; !changing.isOver; at += 8) {
      const key = at % 50 === 49 ? CHECKPOINT : KEYS[at % KEYS.length]
      await client.publish(`$KV.engine-rules-state.engine.rules.${key}`, String(at))
      changing.changes++
    }
  })
  try {
    let least = 0
    for (let list = 0; list < LISTS; list++) {
      const before = await broker.entry(CHECKPOINT)
      const entries = await broker.entries()
      const keys = entries.map(({ key }) => key)
      expect(new Set(keys).size).toBe(keys.length)
      expect(keys).toContain(CHECKPOINT)
      const newest = Math.max(...entries.map(({ place }) => place))
      expect(newest).toBeGreaterThanOrEqual(Math.max(least, before?.place ?? Infinity))
      least = newest
    }
    expect(changing.changes).toBeGreaterThan(LISTS)
  } finally {
    changing.isOver = true
    await Promise.all(changes)
    await connection.close()
  }
  expect((await broker.entries()).map(({ key }) => key).toSorted()).toEqual([...KEYS, CHECKPOINT].toSorted())
  await broker.close()
})
