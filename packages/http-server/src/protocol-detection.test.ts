import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { shareWithHttp2 } from './protocol-detection.ts'

test('a connection whose client leaves without a request is closed immediately', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'engine-detection-'))
  const server = createServer()
  onTestFinished(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })
  shareWithHttp2(server, () => {})
  const path = join(folder, 'e.sock')
  await once(server.listen(path), 'listening')
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const client = connect(path, () => client.destroy())
  const [connection] = await accepted
  let waited = false
  connection.once('timeout', () => (waited = true))
  if (!connection.closed) await once(connection, 'close')
  expect(waited, 'the time in which a connection has to say what it is was over').toBe(false)
})
