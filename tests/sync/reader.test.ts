import { describe, expect, test } from 'vitest'
import { run } from '../engine-server.testing.ts'
import {
  alike,
  broker,
  envelope,
  folder,
  mark,
  put,
  remove,
  rulePut,
  started,
  startedHere,
  useNats,
} from './fleet-over-nats.testing.ts'
import { marked, until } from './fleet.testing.ts'

const nats = useNats()

describe('a reader', () => {
  test('refuses changes and names the writer', async () => {
    const reader = await startedHere('reader', 'r', ['--writer-addr', 'http://writer:8080'])
    const answer = await reader.post('/api/v1/rulesets', marked('a', '1.0.0', 1))
    expect(answer.status).toBe(409)
    expect(await answer.json()).toEqual({
      error: 'read_only',
      writer: 'http://writer:8080',
      message: expect.stringContaining('http://writer:8080') as string,
    })
  })

  test('that starts before the writer serves nothing, and is ready once there is a state', async () => {
    const reader = await startedHere('reader', 'r')
    expect(await reader.get('/api/v1/rulesets')).toEqual([])
    expect(await reader.health()).toMatchObject({
      status: 'unhealthy',
      checks: { sync: 'there are no rulesets yet: waiting for the first ones of the writer' },
    })
    const writer = await startedHere('writer', 'w')
    await put(writer, marked('a', '1.0.0', 1))
    await alike(writer, reader)
    await until('it is ready', async () => (await reader.health())?.status === 'healthy')
  })

  test('that restarts without memory has everything again, deletes included', async () => {
    const writer = await startedHere('writer', 'w')
    const reader = await started('reader', 'r')
    for (const name of ['a', 'b', 'c']) await put(writer, marked(name, '1.0.0', name))
    await alike(writer, reader)
    await reader.kill()
    await remove(writer, 'b')
    await put(writer, marked('c', '1.0.0', 'new'))
    await reader.start()
    await alike(writer, reader)
    expect(await Promise.all(['a', 'b', 'c'].map((name) => mark(reader, name)))).toEqual(['a', 404, 'new'])
  })

  test.each(['purged', 'deleted', 'lost with the whole store'])(
    'that was down while the stream was %s has the state of the writer',
    async (what) => {
      const writer = await startedHere('writer', 'w', ['--rules-dir', folder()])
      const reader = await started('reader', 'r', ['--rules-dir', folder()])
      await put(writer, marked('a', '1.0.0', 1))
      await put(writer, marked('b', '1.0.0', 1))
      await alike(writer, reader)
      await reader.kill()
      await put(writer, marked('a', '1.0.0', 2))
      await remove(writer, 'b')
      await until('everything is published', async () => (await writer.health())?.sync.outbox === 0)
      if (what === 'lost with the whole store') {
        await nats().wipe()
        await nats().start()
      } else {
        await using there = await broker()
        if (what === 'purged') await there.manager.streams.purge('engine-rules')
        else await there.manager.streams.delete('engine-rules')
      }
      await reader.start()
      await alike(writer, reader)
      expect([await mark(reader, 'a'), await mark(reader, 'b')]).toEqual([2, 404])
      // And it continues.
      await put(writer, marked('a', '1.0.0', 3))
      await alike(writer, reader)
    },
  )

  test.each(['stream', 'consumer', 'store'])('whose %s is deleted during its work recovers by itself', async (what) => {
    const writer = await startedHere('writer', 'w', ['--rules-dir', folder()])
    const reader = await startedHere('reader', 'r')
    await put(writer, marked('a', '1.0.0', 1))
    await alike(writer, reader)
    if (what === 'store') {
      await nats().wipe()
      await nats().start()
    } else {
      await using there = await broker()
      if (what === 'stream') await there.manager.streams.delete('engine-rules')
      else {
        // The state alone makes a reader like its writer, before it follows.
        const { consumers } = there.manager
        await until('the reader has a consumer', () =>
          consumers.info('engine-rules', 'engine-r').then(Boolean, () => false),
        )
        // A busy broker reports at times that the folder of the deleted consumer could not be removed.
        await consumers.delete('engine-rules', 'engine-r').catch(() => {})
      }
    }
    await put(writer, marked('a', '1.0.0', 2))
    await put(writer, marked('b', '1.0.0', 1))
    await alike(writer, reader)
    expect(await mark(reader, 'a')).toBe(2)
  })

  test('serves the rulesets on its disk while broker and writer are unavailable', async () => {
    const writer = await started('writer', 'w')
    const reader = await started('reader', 'r', ['--rules-dir', folder()])
    await put(writer, marked('a', '1.0.0', 1))
    await alike(writer, reader)
    await reader.kill()
    await writer.kill()
    await nats().kill()
    await reader.start()
    expect(await mark(reader, 'a')).toBe(1)
    expect(await reader.health()).toMatchObject({ status: 'healthy', sync: { connected: false } })
    await nats().start()
  })

  test('follows events of a writer that keeps no state and counts no changes', async () => {
    await using there = await broker()
    await there.manager.streams.add({ name: 'engine-rules', subjects: ['engine.rules.>'] })
    await there.js.publish('engine.rules.default.a', envelope(rulePut('a', '1.0.0', 1)))
    const reader = await started('reader', 'r')
    await until('the event from before', async () => (await mark(reader, 'a')) === 1)
    await there.js.publish('engine.rules.default.a', envelope(rulePut('a', '1.0.0', 2)))
    await until('the same version with new content', async () => (await mark(reader, 'a')) === 2)
    await there.js.publish('engine.rules.default.a', envelope(rulePut('a', '1.0.0', 3), 'r'))
    await there.js.publish('engine.rules.default.a', 'no JSON')
    await there.js.publish('engine.rules.default.a', envelope({ type: 'Surprise' }))
    await there.js.publish('engine.rules.default.a', envelope({ ...rulePut('a', '9.0.0', 4), ruleset_json: '{}' }))
    await there.js.publish('engine.rules.default.x', envelope({ ...rulePut('a', '9.0.0', 4), name: '../../x' }))
    await there.js.publish('engine.rules.default.b', envelope(rulePut('b', '1.0.0', 5)))
    await until('what follows bad ones', async () => (await mark(reader, 'b')) === 5)
    expect(await mark(reader, 'a'), 'its own and bad events change nothing').toBe(2)
    const metrics = await (await fetch(`${reader.url}/metrics`)).text()
    expect(metrics).toMatch(/engine_sync_skipped_total\{reason="echo"\} 1/)
    expect(metrics).toMatch(/engine_sync_skipped_total\{reason="rejected"\} 4/)
    expect(metrics).toMatch(/engine_sync_applied_total\{type="RulePut"\} 3/)
    // A reader without memory and without a state to load reads the stream from its beginning.
    await reader.kill()
    await reader.start()
    await until(
      'everything is there again',
      async () => (await mark(reader, 'b')) === 5 && (await mark(reader, 'a')) === 2,
    )
  })

  test('accepts no unsigned ruleset where signatures are required', async () => {
    const writer = await startedHere('writer', 'w')
    const key = Buffer.alloc(32, 7).toString('base64')
    const reader = await startedHere('reader', 'r', [
      '--signature-enabled',
      '--signature-require',
      '--signature-trusted-keys',
      key,
    ])
    await put(writer, marked('a', '1.0.0', 1))
    await until('it was refused', async () =>
      /engine_signature_rejected_total\{reason="no signature found"\} [1-9]/.test(
        await (await fetch(`${reader.url}/metrics`)).text(),
      ),
    )
    expect(await mark(reader, 'a')).toBe(404)
  })

  test.each([
    ['of another reader', 'r', 'another instance has the same --instance-id'],
    ['of the writer', 'w', 'the writer has the same --instance-id'],
  ])('with the id %s does not start', async (_, id, message) => {
    const writer = await startedHere('writer', 'w')
    await put(writer, marked('a', '1.0.0', 1))
    await startedHere('reader', 'r')
    const second = run([
      '--http-addr',
      '127.0.0.1:0',
      '--disable-grpc',
      '--role',
      'reader',
      '--broker-url',
      nats().url,
      '--instance-id',
      id,
    ])
    expect(await second.ended).toBe(1)
    expect(second.stderr()).toContain(message)
  })
})
