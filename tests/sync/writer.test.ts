import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { alike, folder, mark, put, remove, started, startedHere, useNats } from './fleet-over-nats.testing.ts'
import { marked, until, type Peer } from './fleet.testing.ts'

const nats = useNats()

describe('a writer', () => {
  test('without a directory continues with the state of the broker', async () => {
    const writer = await started('writer', 'w')
    const reader = await startedHere('reader', 'r')
    await put(writer, marked('a', '1.0.0', 1))
    await put(writer, marked('b', '1.0.0', 1))
    await remove(writer, 'b')
    await alike(writer, reader)
    await writer.kill()
    await writer.start()
    expect([await mark(writer, 'a'), await mark(writer, 'b'), await mark(reader, 'a')]).toEqual([1, 404, 1])
  })

  test('with a directory updates the broker with changes made while no server ran', async () => {
    const directory = folder()
    const writer = await started('writer', 'w', ['--rules-dir', directory])
    const reader = await startedHere('reader', 'r')
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

  test('that was replaced by another one changes nothing more', async () => {
    const first = await startedHere('writer', 'w1', ['--rules-dir', folder()])
    const reader = await startedHere('reader', 'r')
    await put(first, marked('a', '1.0.0', 1))
    await alike(first, reader)
    const second = await startedHere('writer', 'w2', ['--rules-dir', folder()])
    await put(second, marked('a', '1.0.0', 2))
    await until('the first one has noticed', async () => {
      const answer = await first.post('/api/v1/rulesets', marked('a', '1.0.0', 3))
      return answer.status === 409 && ((await answer.json()) as { error: string }).error.includes('w2')
    })
    await alike(second, reader)
    expect(await mark(reader, 'a')).toBe(2)
    expect((await first.health())?.status).toBe('unhealthy')
  })

  test('that cannot reach its broker starts and accepts changes', async () => {
    await nats().kill()
    const writer = await startedHere('writer', 'w')
    await put(writer, marked('a', '1.0.0', 1))
    expect((await writer.health())?.sync).toMatchObject({ connected: false, outbox: 1 })
    await nats().start()
    const reader = await startedHere('reader', 'r')
    await alike(writer, reader)
    expect(await mark(reader, 'a')).toBe(1)
  })

  test('deletes the files of its outbox that have become empty', async () => {
    const directory = folder()
    mkdirSync(directory, { recursive: true })
    const writer = await startedHere('writer', 'w', ['--rules-dir', directory])
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

test('a file that is changed by hand on a reader is loaded, and corrected by the writer', async () => {
  const directory = folder()
  const writer = await startedHere('writer', 'w')
  const reader = await startedHere('reader', 'r', ['--rules-dir', directory, '--watch-rules'])
  await put(writer, marked('a', '1.0.0', 1))
  await alike(writer, reader)
  writeFileSync(join(directory, 'a.json'), JSON.stringify(marked('a', '1.0.0', 2)))
  await until('it is taken over', async () => (await mark(reader, 'a')) === 2)
  await until('it is put right', async () => (await mark(reader, 'a')) === 1)
  await alike(writer, reader)
})

test('tenants and their rulesets reach the readers, and their limits with them', async () => {
  const tenancy = '--multi-tenancy-enabled'
  const writer = await startedHere('writer', 'w', ['--rules-dir', folder(), tenancy])
  const readers = [
    await startedHere('reader', 'r1', [tenancy]),
    await startedHere('reader', 'r2', [tenancy, '--rules-dir', folder()]),
  ]
  const ask = (one: Peer, tenant: string, name: string) =>
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
  const late = await startedHere('reader', 'r3', [tenancy])
  await alike(writer, late)
  expect((await ask(late, 'acme', 'a')).status).toBe(403)
})
