import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseBrokerUrl } from '../../apps/engine-server/src/sync/broker-address.ts'
import type { Broker } from '../../apps/engine-server/src/sync/broker.ts'
import { brokerAt } from './broker.testing.ts'
import { until } from './fleet.testing.ts'
import { killAllNats, type Nats, startNats } from './nats.testing.ts'

/** The users of `deploy/nats/accounts.conf` have the rights that they need, and no more: without any of them something fails. */
const ACCOUNTS = readFileSync(join(import.meta.dirname, '../../deploy/nats/accounts.conf'), 'utf8')

function rightsOf(user: string): readonly string[] {
  const [, publish = ''] = new RegExp(`user: ${user}[\\s\\S]*?publish: \\[([^\\]]*)\\]`).exec(ACCOUNTS) ?? []
  return Array.from(publish.matchAll(/"([^"]+)"/g), ([, right = '']) => right)
}

/** Used only while a large state arrives slowly, or its consumer is recreated: no small test needs them. */
const UNDER_LOAD = /^\$JS\.(?:FC|API\.CONSUMER\.(?:INFO|DELETE))\.KV_/

const rights = { writer: rightsOf('writer'), reader: rightsOf('reader') }
const cases = (['writer', 'reader'] as const).flatMap((user) => [
  { user, missing: undefined },
  ...rights[user].filter((right) => !UNDER_LOAD.test(right)).map((missing) => ({ user, missing })),
])

/** Each case has a separate account, with a writer that has all rights and the user that lacks one. */
const config = [
  'accounts {',
  ...cases.flatMap(({ user, missing }, index) => {
    const allowed = rights[user].filter((right) => right !== missing)
    const quoted = (all: readonly string[]) => all.map((right) => JSON.stringify(right)).join(', ')
    const one = (name: string, all: readonly string[]) =>
      `{ user: ${name}${index}, password: p, permissions { publish: [${quoted(all)}], subscribe: ["_INBOX.>"] } }`
    // One user has all rights, to inspect the results of the others.
    const owner = user === 'reader' && missing === undefined ? ', { user: owner, password: p }' : ''
    return `A${index} { jetstream: enabled, users: [${one('all', rights.writer)}, ${one('less', allowed)}${owner}] }`
  }),
  '}',
].join('\n')

let nats: Nats
beforeAll(async () => {
  nats = await startNats({ config })
})
afterAll(killAllNats)

/** A client; `reasons` are the broker's refusals. */
async function client(name: string, makes: boolean): Promise<{ broker: Broker; reasons: string[] }> {
  const broker = brokerAt({
    address: parseBrokerUrl(`nats://${name}:p@127.0.0.1:${nats.port}`),
    instanceId: makes ? 'w' : 'r',
    // One server has too few for that, and is requested nevertheless to change its stream.
    replicas: makes ? 3 : 1,
    makes,
  })
  const reasons: string[] = []
  broker.connect({ up: () => undefined, down: (reason) => void reasons.push(reason) })
  await until('it connects, or is refused', () => broker.isConnected || reasons.length > 0)
  return { broker, reasons }
}

const message = { subject: 'default.a', id: 'w-1', revision: 1, payload: Buffer.from('{}') }

/** Everything that a writer does. */
async function write(broker: Broker): Promise<void> {
  const { warnings } = await broker.prepare()
  const refused = warnings.filter((warning) => !warning.includes('replicas > 1 not supported'))
  if (refused.length > 0) throw new Error(refused.join('; '))
  await broker.put('default.a', Buffer.from('{}'), 0)
  await broker.entries()
  await broker.entry('default.a')
  await broker.publish(message)
  await broker.purge('default.a')
  await broker.recreate('state')
  await broker.recreate('stream')
}

/** Everything that a reader does. */
async function read(broker: Broker): Promise<void> {
  await broker.prepare()
  await broker.entries()
  await broker.entry('default.a')
  await broker.ensureConsumer('first')
  let came = false
  const following = await broker.follow(
    (one) => {
      one.ack()
      came = true
    },
    () => undefined,
  )
  await until('an event', () => came, 2000)
  await until('its acknowledgement', async () => (await broker.ensureConsumer('first')).acknowledgedSeq === 1, 2000)
  await following.stop()
  await broker.deleteConsumer()
}

describe('deploy/nats/accounts.conf', () => {
  test.for(cases.map((one, index) => ({ ...one, index })))(
    '$user without $missing',
    { concurrent: true, timeout: 60_000 },
    async ({ user, missing, index }, { expect: expects }) => {
      const { broker: all } = await client(`all${index}`, true)
      if (user === 'reader') {
        await all.prepare()
        await all.put('default.a', Buffer.from('{}'))
        await all.publish(message)
      }
      const { broker, reasons } = await client(`less${index}`, user === 'writer')
      try {
        const failure = await (user === 'writer' ? write : read)(broker).then(
          // The broker reports some refusals only on the connection, not to the request.
          () => new Promise<string | undefined>((resolve) => setTimeout(() => resolve(reasons[0]), 500)),
          (error: unknown) => String(error),
        )
        if (missing === undefined) expects(failure).toBeUndefined()
        else expects(failure, `${missing} is not needed`).toBeDefined()
      } finally {
        await Promise.all([all.close(), broker.close()])
      }
    },
  )

  test('lets a reader update its consumer from an older release', async () => {
    const index = cases.findIndex(({ user, missing }) => user === 'reader' && missing === undefined)
    const { broker: all } = await client(`all${index}`, true)
    const { broker: reader } = await client(`less${index}`, false)
    await all.prepare()
    await reader.ensureConsumer('first')
    const owner = await connect({ servers: `127.0.0.1:${nats.port}`, user: 'owner', pass: 'p' })
    const manager = await jetstreamManager(owner)
    const pending = async () => (await manager.consumers.info('engine-rules', 'engine-r')).config.max_ack_pending
    await manager.consumers.update('engine-rules', 'engine-r', { max_ack_pending: 7 })
    expect(await pending()).toBe(7)
    expect(await reader.ensureConsumer('first')).toMatchObject({ isKnown: true })
    // As many as make 256 MB together, with the usual `max_payload`.
    expect(await pending()).toBe(256)
    await Promise.all([owner.close(), all.close(), reader.close()])
  })

  test('has users for both', () => {
    expect([rights.writer.length, rights.reader.length]).toEqual([17, 13])
  })
})
