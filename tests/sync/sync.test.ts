import { connect } from '@nats-io/transport-node'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { killAll, run } from '../engine-server.testing.ts'
import { marked, member, type Member, temporaryFolder, until } from './fleet.testing.ts'
import { killAllNats, type Nats, startNats } from './nats.testing.ts'

let nats: Nats
const folders: { remove(): void }[] = []

beforeAll(async () => {
  nats = await startNats()
})
afterEach(async () => {
  await killAll()
  for (const made of folders.splice(0)) made.remove()
  await nats.wipe()
  await nats.start()
})
afterAll(killAllNats)

function folder(): string {
  const made = temporaryFolder()
  folders.push(made)
  return made.path
}

async function started(role: 'writer' | 'reader', id: string, args: readonly string[] = []): Promise<Member> {
  const one = await member(id, ['--role', role, '--broker-url', nats.url, ...args])
  await one.start()
  return one
}

const put = async (writer: Member, document: object) => {
  const answer = await writer.post('/api/v1/rulesets', document)
  expect([200, 201], await answer.clone().text()).toContain(answer.status)
}

const remove = (writer: Member, name: string) => fetch(`${writer.url}/api/v1/rulesets/${name}`, { method: 'DELETE' })

/** Every reader has what the writer has. */
async function alike(writer: Member, ...readers: readonly Member[]): Promise<void> {
  await until('the readers are like the writer', async () => {
    const [own, ...others] = await Promise.all([writer, ...readers].map((one) => one.health()))
    return own !== undefined && others.every((other) => other?.sync.digest === own.sync.digest)
  })
}

async function mark(one: Member, name: string): Promise<unknown> {
  const answer = await one.post(`/api/v1/execute/${name}`, { input: {} })
  if (answer.status !== 200) return answer.status
  return ((await answer.json()) as { output: { mark: unknown } }).output.mark
}

async function broker() {
  const connection = await connect({ servers: nats.url })
  return {
    js: jetstream(connection),
    manager: await jetstreamManager(connection),
    [Symbol.asyncDispose]: () => connection.close(),
  }
}

/** An envelope of specification 6.1, as somebody else's writer sends it. */
const envelope = (event: object, instance = 'other') =>
  JSON.stringify({ instance_id: instance, event, timestamp_ms: Date.now() })

const rulePut = (name: string, version: string, value: number, tenant = 'default') => ({
  type: 'RulePut',
  tenant_id: tenant,
  name,
  ruleset_json: JSON.stringify(marked(name, version, value)),
  version,
})

describe('a change on the writer', () => {
  test('reaches the readers: created, updated, updated with the same version, rolled back, deleted', async () => {
    const writer = await started('writer', 'w', ['--rules-dir', folder()])
    const readers = [await started('reader', 'r1'), await started('reader', 'r2', ['--rules-dir', folder()])]
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

  test('goes out as specification 6.1 has it', async () => {
    const writer = await started('writer', 'w')
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

  test('is taken while the broker is away, and goes out once it is back, in order and once', async () => {
    const writer = await started('writer', 'w', ['--rules-dir', folder()])
    const reader = await started('reader', 'r')
    await put(writer, marked('a', '1.0.0', 1))
    await alike(writer, reader)
    await nats.kill()
    for (let value = 2; value <= 5; value++) await put(writer, marked('a', '1.0.0', value))
    await put(writer, marked('gone', '1.0.0', 1))
    await remove(writer, 'gone')
    expect((await writer.health())?.sync).toMatchObject({ connected: false, outbox: 6 })
    expect(await mark(reader, 'a'), 'readers serve what they have').toBe(1)
    // Also a writer that is killed meanwhile forgets nothing.
    await writer.kill()
    await writer.start()
    expect((await writer.health())?.sync.outbox).toBe(6)
    await nats.start()
    await alike(writer, reader)
    expect(await mark(reader, 'a')).toBe(5)
    await using there = await broker()
    const { state } = await there.manager.streams.info('engine-rules')
    expect(state.messages, 'each event is in the stream once').toBe(7)
  })

  test('too large for the broker is refused before it is stored; what can be packed arrives', async () => {
    const writer = await started('writer', 'w', ['--rules-dir', folder()])
    const reader = await started('reader', 'r')
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
})

describe('a reader', () => {
  test('refuses changes and names the writer', async () => {
    const reader = await started('reader', 'r', ['--writer-addr', 'http://writer:8080'])
    const answer = await reader.post('/api/v1/rulesets', marked('a', '1.0.0', 1))
    expect(answer.status).toBe(409)
    expect(await answer.json()).toEqual({
      error: 'read_only',
      writer: 'http://writer:8080',
      message: expect.stringContaining('http://writer:8080') as string,
    })
  })

  test('that starts before the writer serves nothing, is not ready, and is once there is a state', async () => {
    const reader = await started('reader', 'r')
    expect(await reader.get('/api/v1/rulesets')).toEqual([])
    expect(await reader.health()).toMatchObject({
      status: 'unhealthy',
      checks: { sync: 'there are no rulesets yet: waiting for the first ones of the writer' },
    })
    const writer = await started('writer', 'w')
    await put(writer, marked('a', '1.0.0', 1))
    await alike(writer, reader)
    await until('it is ready', async () => (await reader.health())?.status === 'healthy')
  })

  test('that comes back without memory has everything again, deletes included', async () => {
    const writer = await started('writer', 'w')
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
    'that was away while the stream was %s has the state of the writer',
    async (what) => {
      const writer = await started('writer', 'w', ['--rules-dir', folder()])
      const reader = await started('reader', 'r', ['--rules-dir', folder()])
      await put(writer, marked('a', '1.0.0', 1))
      await put(writer, marked('b', '1.0.0', 1))
      await alike(writer, reader)
      await reader.kill()
      await put(writer, marked('a', '1.0.0', 2))
      await remove(writer, 'b')
      await until('everything is published', async () => (await writer.health())?.sync.outbox === 0)
      if (what === 'lost with the whole store') {
        await nats.wipe()
        await nats.start()
      } else {
        await using there = await broker()
        if (what === 'purged') await there.manager.streams.purge('engine-rules')
        else await there.manager.streams.delete('engine-rules')
      }
      await reader.start()
      await alike(writer, reader)
      expect([await mark(reader, 'a'), await mark(reader, 'b')]).toEqual([2, 404])
      // And it goes on.
      await put(writer, marked('a', '1.0.0', 3))
      await alike(writer, reader)
    },
  )

  test.each(['stream', 'consumer', 'store'])('whose %s is deleted under it goes on by itself', async (what) => {
    const writer = await started('writer', 'w', ['--rules-dir', folder()])
    const reader = await started('reader', 'r')
    await put(writer, marked('a', '1.0.0', 1))
    await alike(writer, reader)
    if (what === 'store') {
      await nats.wipe()
      await nats.start()
    } else {
      await using there = await broker()
      if (what === 'stream') await there.manager.streams.delete('engine-rules')
      else await there.manager.consumers.delete('engine-rules', 'engine-r')
    }
    await put(writer, marked('a', '1.0.0', 2))
    await put(writer, marked('b', '1.0.0', 1))
    await alike(writer, reader)
    expect(await mark(reader, 'a')).toBe(2)
  })

  test('serves what it has on disk while broker and writer are away', async () => {
    const writer = await started('writer', 'w')
    const reader = await started('reader', 'r', ['--rules-dir', folder()])
    await put(writer, marked('a', '1.0.0', 1))
    await alike(writer, reader)
    await reader.kill()
    await writer.kill()
    await nats.kill()
    await reader.start()
    expect(await mark(reader, 'a')).toBe(1)
    expect(await reader.health()).toMatchObject({ status: 'healthy', sync: { connected: false } })
    await nats.start()
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
    // Without a state to load, a reader without memory reads the stream from its beginning.
    await reader.kill()
    await reader.start()
    await until(
      'everything is there again',
      async () => (await mark(reader, 'b')) === 5 && (await mark(reader, 'a')) === 2,
    )
  })

  test('takes no unsigned ruleset where signatures are required', async () => {
    const writer = await started('writer', 'w')
    const key = Buffer.alloc(32, 7).toString('base64')
    const reader = await started('reader', 'r', [
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
  ])(
    'with the id %s does not start',
    async (_, id, message) => {
      const writer = await started('writer', 'w')
      await put(writer, marked('a', '1.0.0', 1))
      await started('reader', 'r')
      const second = run([
        '--http-addr',
        '127.0.0.1:0',
        '--disable-grpc',
        '--role',
        'reader',
        '--broker-url',
        nats.url,
        '--instance-id',
        id,
      ])
      expect(await second.ended).toBe(1)
      expect(second.stderr()).toContain(message)
    },
    60_000,
  )
})

describe('a writer', () => {
  test('without a directory goes on with what the broker keeps', async () => {
    const writer = await started('writer', 'w')
    const reader = await started('reader', 'r')
    await put(writer, marked('a', '1.0.0', 1))
    await put(writer, marked('b', '1.0.0', 1))
    await remove(writer, 'b')
    await alike(writer, reader)
    await writer.kill()
    await writer.start()
    expect([await mark(writer, 'a'), await mark(writer, 'b'), await mark(reader, 'a')]).toEqual([1, 404, 1])
  })

  test('with a directory puts the broker right: what was changed in it while nobody looked', async () => {
    const directory = folder()
    const writer = await started('writer', 'w', ['--rules-dir', directory])
    const reader = await started('reader', 'r')
    for (const name of ['a', 'b']) await put(writer, marked(name, '1.0.0', 1))
    await alike(writer, reader)
    await writer.stop()
    writeFileSync(join(directory, 'a.json'), JSON.stringify(marked('a', '1.0.0', 2)))
    rmSync(join(directory, 'b.json'))
    writeFileSync(join(directory, 'c.yaml'), JSON.stringify(marked('c', '1.0.0', 3)))
    await writer.start()
    await alike(writer, reader)
    expect(await Promise.all(['a', 'b', 'c'].map((name) => mark(reader, name)))).toEqual([2, 404, 3])
  })

  test('that another one has taken over from changes nothing more', async () => {
    const first = await started('writer', 'w1', ['--rules-dir', folder()])
    const reader = await started('reader', 'r')
    await put(first, marked('a', '1.0.0', 1))
    await alike(first, reader)
    const second = await started('writer', 'w2', ['--rules-dir', folder()])
    await put(second, marked('a', '1.0.0', 2))
    await until('the first one has noticed', async () => {
      const answer = await first.post('/api/v1/rulesets', marked('a', '1.0.0', 3))
      return answer.status === 409 && ((await answer.json()) as { error: string }).error.includes('w2')
    })
    await alike(second, reader)
    expect(await mark(reader, 'a')).toBe(2)
    expect((await first.health())?.status).toBe('unhealthy')
  })

  test('that cannot reach its broker starts and takes changes', async () => {
    await nats.kill()
    const writer = await started('writer', 'w')
    await put(writer, marked('a', '1.0.0', 1))
    expect((await writer.health())?.sync).toMatchObject({ connected: false, outbox: 1 })
    await nats.start()
    const reader = await started('reader', 'r')
    await alike(writer, reader)
    expect(await mark(reader, 'a')).toBe(1)
  })

  test('gives up the files of its outbox that hold nothing any more', async () => {
    const directory = folder()
    mkdirSync(directory, { recursive: true })
    const writer = await started('writer', 'w', ['--rules-dir', directory])
    for (let value = 0; value < 4; value++) await put(writer, marked('a', '1.0.0', `${value}`.repeat(600_000)))
    const outbox = join(directory, '.outbox')
    const bytes = () => readdirSync(outbox).reduce((sum, name) => sum + statSync(join(outbox, name)).size, 0)
    await until('nothing but a mark is left', () => bytes() < 100)
    await put(writer, marked('a', '1.0.0', 1))
    await until('everything is published', async () => (await writer.health())?.sync.outbox === 0)
  })
})

test('a writer and a reader may each be several processes, and watch their files', async () => {
  const directory = folder()
  const several = ['--workers', '2']
  const writer = await started('writer', 'w', ['--rules-dir', directory, '--watch-rules', ...several])
  const reader = await started('reader', 'r', ['--rules-dir', folder(), '--watch-rules', ...several])
  await put(writer, marked('a', '1.0.0', 1))
  await alike(writer, reader)
  const marks = () => Promise.all(Array.from({ length: 8 }, () => mark(reader, 'a')))
  expect(await marks()).toEqual(Array(8).fill(1))
  writeFileSync(join(directory, 'a.json'), JSON.stringify(marked('a', '1.0.0', 2)))
  await until('a file of the writer that was changed by hand reaches all workers of the reader', async () =>
    (await marks()).every((found) => found === 2),
  )
  await remove(writer, 'a')
  await alike(writer, reader)
  expect(await marks()).toEqual(Array(8).fill(404))
  expect((await fetch(`${reader.url}/metrics`)).status).toBe(200)
  expect([await reader.stop(), await writer.stop()]).toEqual([0, 0])
})

test('a file that is changed by hand on a reader is taken over, and put right by the writer', async () => {
  const directory = folder()
  const writer = await started('writer', 'w')
  const reader = await started('reader', 'r', ['--rules-dir', directory, '--watch-rules'])
  await put(writer, marked('a', '1.0.0', 1))
  await alike(writer, reader)
  writeFileSync(join(directory, 'a.json'), JSON.stringify(marked('a', '1.0.0', 2)))
  await until('it is taken over', async () => (await mark(reader, 'a')) === 2)
  await until('it is put right', async () => (await mark(reader, 'a')) === 1)
  await alike(writer, reader)
})

test('tenants and their rulesets reach the readers, and their limits with them', async () => {
  const tenancy = '--multi-tenancy-enabled'
  const writer = await started('writer', 'w', ['--rules-dir', folder(), tenancy])
  const readers = [
    await started('reader', 'r1', [tenancy]),
    await started('reader', 'r2', [tenancy, '--rules-dir', folder()]),
  ]
  const ask = (one: Member, tenant: string, name: string) =>
    fetch(`${one.url}/api/v1/execute/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-tenant-id': tenant },
      body: '{"input":{}}',
    })
  expect((await writer.post('/api/v1/tenants', { id: 'acme', name: 'Acme' })).status).toBe(201)
  const stored = await fetch(`${writer.url}/api/v1/rulesets`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-tenant-id': 'acme' },
    body: JSON.stringify(marked('a', '1.0.0', 1)),
  })
  expect(stored.status).toBe(201)
  await alike(writer, ...readers)
  for (const reader of readers) {
    expect((await ask(reader, 'acme', 'a')).status).toBe(200)
    expect((await ask(reader, 'default', 'a')).status).toBe(404)
  }
  const disabled = await fetch(`${writer.url}/api/v1/tenants/acme`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Acme', enabled: false }),
  })
  expect(disabled.status).toBe(200)
  for (const reader of readers)
    await until('the tenant is disabled', async () => (await ask(reader, 'acme', 'a')).status === 403)
  // A reader that comes later has tenants before rulesets.
  const late = await started('reader', 'r3', [tenancy])
  await alike(writer, late)
  expect((await ask(late, 'acme', 'a')).status).toBe(403)
})
