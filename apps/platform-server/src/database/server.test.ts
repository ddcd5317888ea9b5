import type { Log } from '@engine/process'
import { expect, test } from 'vitest'
import { connectServer } from './server.ts'

const LOG = { error: () => {}, warn: () => {}, info: () => {} } as unknown as Log

test.each([
  ['a refused connection', 'postgres://ann:secret@127.0.0.1:1/rules', '127.0.0.1:1/rules: the connection is refused.'],
  [
    'the folder of a socket',
    'postgres://ann:secret@%2Fnowhere%2Fpg/rules',
    '/nowhere/pg, database rules: there is no such socket',
  ],
  [
    'the same as a parameter',
    'postgres:///rules?host=/nowhere/pg&user=ann',
    '/nowhere/pg, database rules: there is no such socket',
  ],
])('an error of the start names %s, without user and password', async (_what, url, message) => {
  const failure = await connectServer(url, LOG).catch((error: unknown) => String(error))
  expect(failure).toContain(`--database-url: ${message}`)
  expect(failure).not.toMatch(/ann|secret/)
})
