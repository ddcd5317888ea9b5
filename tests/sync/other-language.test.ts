import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { systemProgram } from '../programs.testing.ts'
import { put, remove, started, useNats } from './fleet-over-nats.testing.ts'
import { marked, until } from './fleet.testing.ts'

const nats = useNats()
const READER = join(import.meta.dirname, '../../docs/clients/sync_reader.py')

test('a reader in Python written from docs/sync.md alone has the digest of /health', async () => {
  const writer = await started('writer', 'w')
  const digests = new Set<string>()
  const agree = async () => {
    await until('everything is published', async () => (await writer.health())?.sync.outbox === 0)
    const args = [READER, '127.0.0.1', String(nats().port)]
    const { stdout } = await promisify(execFile)(systemProgram('python3'), args, { timeout: 30_000 })
    expect(stdout.trim()).toBe((await writer.health())?.sync.digest)
    digests.add(stdout)
  }
  await agree()
  await put(writer, marked('a', '1.0.0', 1))
  await put(writer, marked('b.c-1', '1.0.0', '"\\\u2028'))
  await agree()
  await remove(writer, 'a')
  await agree()
  expect(digests.size).toBe(3)
}, 60_000)
