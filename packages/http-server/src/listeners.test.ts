import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { listening } from './listeners.ts'

const directory = mkdtempSync(join(tmpdir(), 'engine-listeners-'))
afterAll(() => rmSync(directory, { recursive: true }))

test('a socket is open to its user and group, whatever the umask is, and to nobody else', async () => {
  const path = join(directory, 'engine.sock')
  const server = createServer()
  await listening(server, { path })
  expect(statSync(path).mode & 0o777).toBe(0o660)
  await new Promise((resolve) => server.close(resolve))
})
