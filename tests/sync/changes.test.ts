import { describe, expect, test } from 'vitest'
import { alike, broker, folder, mark, put, remove, started, startedHere, useNats } from './fleet-over-nats.testing.ts'
import { marked, member, type Member, until } from './fleet.testing.ts'
import { startNats } from './nats.testing.ts'

const nats = useNats()

describe('a change on the writer', () => {
  test('reaches the readers: created, updated, updated with the same version, rolled back, deleted', async () => {
    const writer = await startedHere('writer', 'w', ['--rules-dir', folder()])
    const readers = [await startedHere('reader', 'r1'), await startedHere('reader', 'r2', ['--rules-dir', folder()])]
    const marks = async () => Promise.all(readers.map((reader) => mark(reader, 'a.b')))
    for (const [version, value] of [
      ['1.0.0', 1],
      ['1.1.0', 2],
      ['1.1.0', 3],
    ] as const) {
      await put(writer, marked('a.b', version, value))
      await alike(writer, ...readers)
      expect(await marks()).toEqual([value, value])
    }
    expect((await writer.post('/api/v1/rulesets/a.b/rollback', { seq: 1 })).status).toBe(200)
    await alike(writer, ...readers)
    expect(await marks()).toEqual([1, 1])
    expect((await remove(writer, 'a.b')).status).toBe(204)
    await alike(writer, ...readers)
    expect(await marks()).toEqual([404, 404])
  })

  test('is published as specification 6.1 defines', async () => {
    const writer = await startedHere('writer', 'w')
    await put(writer, marked('a.b', '1.0.0', 1))
    await remove(writer, 'a.b')
    await until('everything is published', async () => (await writer.health())?.sync.outbox === 0)
    await using there = await broker()
    const { config, state } = await there.manager.streams.info('engine-rules')
    expect(config).toMatchObject({
      subjects: ['engine.rules.>'],
      retention: 'limits',
      max_age: 7 * 24 * 3600 * 1e9,
    })
    expect(state.messages).toBe(2)
    const messages = await Promise.all([1, 2].map((seq) => there.manager.streams.getMessage('engine-rules', { seq })))
    expect(messages.map((message) => [message?.subject, message?.json()])).toEqual([
      [
        'engine.rules.default.a=2Eb',
        {
          instance_id: 'w',
          event: {
            type: 'RulePut',
            tenant_id: 'default',
            name: 'a.b',
            ruleset_json: JSON.stringify(marked('a.b', '1.0.0', 1)),
            version: '1.0.0',
          },
          timestamp_ms: expect.any(Number) as number,
        },
      ],
      [
        'engine.rules.default.a=2Eb',
        {
          instance_id: 'w',
          event: { type: 'RuleDeleted', tenant_id: 'default', name: 'a.b' },
          timestamp_ms: expect.any(Number) as number,
        },
      ],
    ])
  })

  test('is accepted while the broker is disconnected, and published in order and once when it is back', async () => {
    const writer = await started('writer', 'w', ['--rules-dir', folder()])
    const reader = await startedHere('reader', 'r')
    await put(writer, marked('a', '1.0.0', 1))
    await alike(writer, reader)
    await nats().kill()
    for (let value = 2; value <= 5; value++) await put(writer, marked('a', '1.0.0', value))
    await put(writer, marked('gone', '1.0.0', 1))
    await remove(writer, 'gone')
    expect((await writer.health())?.sync).toMatchObject({ connected: false, outbox: 6 })
    expect(await mark(reader, 'a'), 'readers serve what they have').toBe(1)
    // Also a writer that is killed meanwhile forgets nothing.
    await writer.kill()
    await writer.start()
    expect((await writer.health())?.sync.outbox).toBe(6)
    await nats().start()
    await alike(writer, reader)
    expect(await mark(reader, 'a')).toBe(5)
    await using there = await broker()
    const { state } = await there.manager.streams.info('engine-rules')
    expect(state.messages, 'each event is in the stream once').toBe(7)
  })

  test('too large for the broker is refused before it is stored; what can be packed arrives', async () => {
    const writer = await startedHere('writer', 'w', ['--rules-dir', folder()])
    const reader = await startedHere('reader', 'r')
    await put(writer, marked('packed', '1.0.0', 'x'.repeat(3_000_000)))
    await alike(writer, reader)
    expect(await mark(reader, 'packed')).toHaveLength(3_000_000)
    const noise = Array.from({ length: 2_500_000 }, () => String.fromCharCode(32 + Math.random() * 90)).join('')
    const answer = await writer.post('/api/v1/rulesets', marked('noise', '1.0.0', noise))
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      error: expect.stringMatching(/max_payload/) as string,
    })
    expect(await writer.get('/api/v1/rulesets/noise')).toBeUndefined()
  })

  test('of tenants, too large for the broker, is refused before it is made, and later ones arrive', async () => {
    const { url } = await startNats({ config: 'max_payload: 64KB' })
    const of = async (role: string, ...args: readonly string[]) => {
      const one = await member(role, ['--role', role, '--broker-url', url, '--multi-tenancy-enabled', ...args])
      await one.start()
      return one
    }
    const [writer, reader] = await Promise.all([of('writer', '--rules-dir', folder()), of('reader')])
    const ids = async (one: Member) =>
      ((await one.get('/api/v1/tenants')) as readonly { readonly id: string }[]).map(({ id }) => id)
    const metadata = Object.fromEntries(Array.from({ length: 64 }, (_, at) => [at, noise()]))
    const refused = await writer.post('/api/v1/tenants', { id: 'large', metadata })
    expect([refused.status, await refused.json()]).toEqual([
      413,
      { code: 'PAYLOAD_TOO_LARGE', error: expect.stringMatching(/max_payload/) as string },
    ])
    expect((await writer.post('/api/v1/tenants', { id: 'small' })).status).toBe(201)
    expect(await ids(writer)).toEqual(['default', 'small'])
    await until('the reader has the tenants of the writer', async () => (await ids(reader)).join() === 'default,small')
  })
})

/** Characters that no packing makes much shorter. */
const noise = () =>
  String.fromCharCode(...Array.from({ length: 1024 }, () => 0x400 + Math.floor(Math.random() * 0x300)))
