import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { composeOn } from '../../apps/platform-server/src/compose/platform.ts'
import { readConfiguration } from '../../apps/platform-server/src/config/config.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { ShutdownList } from '../../packages/process/src/shutdown-list.ts'
import { freePort } from '../postgres.testing.ts'
import { newDataDirectory, useDatabase } from './databases.testing.ts'

const database = useDatabase('postgres')

test('a platform is ready once the link of the first sign-in is written', async () => {
  const dataDir = await newDataDirectory()
  const address = `127.0.0.1:${await freePort()}`
  const read = readConfiguration(['--http-addr', address, '--data-dir', dataDir], {})
  if (read.kind === 'end') throw new Error(read.output)
  const process = { configuration: read.configuration, instanceId: randomUUID(), log: memoryLog().log }
  const service = await composeOn(database(), process, undefined, new ShutdownList())
  onTestFinished(async () => {
    for (const { run } of service.shutdown) await run(10_000)
  })
  const ready = async () => (await fetch(`http://${address}/healthz/ready`).catch(() => undefined))?.status
  let listening: Promise<unknown> | undefined
  await database().unscoped.transaction(async ({ tables }) => {
    // The administrator's account cannot be made meanwhile.
    await sql`lock table users in exclusive mode`.execute(tables)
    listening = service.listen()
    await expect.poll(ready).toBe(503)
    expect(existsSync(join(dataDir, 'first-sign-in.url'))).toBe(false)
  })
  await listening
  expect([await ready(), existsSync(join(dataDir, 'first-sign-in.url'))]).toEqual([200, true])
})
