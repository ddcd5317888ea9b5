import fs, { mkdtempSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { asResponseError } from '../../apps/platform-server/src/errors.ts'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import { openDatabase } from '../../apps/platform-server/src/database/connection.ts'
import { createServerStorage } from '../../apps/platform-server/src/database/storage.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { POSTGRES_USER, startPostgres } from '../postgres.testing.ts'
import { canMount, mountSmallDisk } from '../small-disk.testing.ts'
import { fillDataDirectory, newDataDirectory } from './databases.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'

const systemError = (code: string) => Object.assign(new Error(`${code}: a fault of the disk`), { code })

/** Faults of a disk that the system shows without a write, and the messages for people. */
const FAULTS: readonly (readonly [code: string, told: string])[] = [
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EROFS', 'the file system is read-only'],
  ['EACCES', 'permission denied'],
]

/** Have the directory of a database refuse writes, or have too little room. Ends with the returned function. */
function breakDisk(directory: string, code: string): () => void {
  const spies =
    code === 'ENOSPC'
      ? [vi.spyOn(fs, 'statfsSync').mockReturnValue({ bavail: 10, bsize: 4096 } as fs.StatsFs)]
      : [
          vi.spyOn(fs, 'accessSync').mockImplementation((path) => {
            if (path === directory) throw systemError(code)
          }),
        ]
  syncBuiltinESMExports()
  return () => {
    for (const spy of spies) spy.mockRestore()
    syncBuiltinESMExports()
  }
}

describe('the disk of an embedded database', () => {
  let directory: string
  let database: Database
  let platform: TestPlatform
  let person: Client
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'platform-storage-'))
    await fillDataDirectory(directory)
    database = await openDatabase({ kind: 'embedded', directory, instanceId: 'test' }, memoryLog().log)
    platform = await startPlatform(database)
    person = await platform.person()
    await person.request('POST', '/api/v1/orgs', { name: 'Before' })
  })
  afterAll(async () => {
    await platform.stop()
    await database.close()
    rmSync(directory, { recursive: true, force: true })
  })

  test.each(FAULTS)(
    'with %s refuses changes with the reason, answers reads, and recovers by itself',
    async (code, told) => {
      const repair = breakDisk(directory, code)
      onTestFinished(repair)
      const refused = await person.request('POST', '/api/v1/orgs', { name: code })
      expect([refused.status, refused.body.error]).toEqual([
        503,
        expect.stringContaining(`the database cannot store the change: ${told}`),
      ])
      expect(refused.headers.get('retry-after')).toBe('10')
      const names = async () =>
        (await person.request('GET', '/api/v1/orgs')).body.items.map(({ name }: { name: string }) => name)
      expect(await names()).not.toContain(code)
      const probed = await platform.browser().request('GET', '/healthz/ready')
      expect([probed.status, probed.body.status, probed.body.checks.storage]).toEqual([
        503,
        'unhealthy',
        expect.stringContaining(told),
      ])
      repair()
      expect((await platform.browser().request('GET', '/healthz/ready')).body.checks.storage).toBe('ok')
      expect((await person.request('POST', '/api/v1/orgs', { name: code })).status).toBe(201)
      expect(await names()).toContain(code)
    },
  )
})

test.each([
  ['53100', 'could not extend file "base/5/16385": No space left on device', 'the disk is full'],
  ['53100', 'la extensión del archivo ha fallado', 'the disk is full'],
  ['58030', 'could not write to file "base/5/16385": Disk quota exceeded', 'the disk quota is used up'],
  ['42501', 'could not open file "base/5/16385": Read-only file system', 'the file system is read-only'],
  ['42501', 'could not open file "base/5/16385": Permission denied', 'permission denied'],
])('an error %s of PostgreSQL, %s, is answered by 503 with the reason', (code, message, told) => {
  expect(asResponseError(Object.assign(new Error(message), { code }))).toMatchObject({
    code: 'unavailable',
    message: `the database cannot store the change: ${told}`,
  })
})

describe.runIf(canMount)('the full disk of a database server', () => {
  test('refuses changes with the reason, which readiness names until a write succeeds; reads go on', async () => {
    const disk = mountSmallDisk('48m', POSTGRES_USER)
    onTestFinished(() => disk.unmount())
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    await server.client.query(`create tablespace small location '${disk.folder}'`)
    await server.client.query('create database kept tablespace small')
    const { host, port } = server.client
    const url = `postgres://postgres@${host}:${port}/kept`
    const database = await openDatabase({ kind: 'server', url }, memoryLog().log)
    onTestFinished(() => database.close())
    const platform = await startPlatform(database)
    onTestFinished(() => platform.stop())
    const person = await platform.person()
    const create = (name: string) =>
      person.request('POST', '/api/v1/orgs', { name, description: name.padEnd(2000, name) })
    const storage = async () => {
      const { status, body } = await platform.browser().request('GET', '/healthz/ready')
      return [status, body.checks.storage]
    }
    expect((await create('Before')).status).toBe(201)
    disk.fill()
    let made = 1
    let refused = await create('Last')
    // Pages with room in them are filled first.
    for (; refused.status === 201; made++) refused = await create(`Last ${made}`)
    expect([refused.status, refused.body.error, refused.headers.get('retry-after')]).toEqual([
      503,
      'the database cannot store the change: the disk is full',
      '10',
    ])
    expect(await storage()).toEqual([503, 'the disk is full'])
    expect(await storage()).toEqual([503, 'the disk is full'])
    const { status, body } = await person.request('GET', '/api/v1/orgs?limit=200')
    expect([status, body.items.length]).toEqual([200, made])
    disk.makeRoom()
    expect(await storage()).toEqual([200, 'ok'])
    expect((await create('After')).status).toBe(201)
  })
})

describe('a disk of a database server that was full', () => {
  const FULL = Object.assign(new Error('could not extend file "base/5/1": No space left on device'), { code: '53100' })
  const DENIED = Object.assign(new Error('permission denied to create temporary tables'), { code: '42501' })

  test.each<[what: string, writes: readonly (Error | undefined)[], found: readonly (string | undefined)[]]>([
    ['counts as full until the write of a test succeeds', [FULL, undefined], ['the disk is full', undefined]],
    ['counts as full for a minute where no test may be written', [DENIED, DENIED], ['the disk is full', undefined]],
  ])('%s', async (_what, writes, found) => {
    const outcomes = [...writes]
    let time = 0
    const storage = createServerStorage(
      async () => {
        const outcome = outcomes.shift()
        if (outcome !== undefined) throw outcome
      },
      () => time,
    )
    expect(await storage.fault()).toBeUndefined()
    storage.noteFailure(new Error('a defect'))
    expect(await storage.fault()).toBeUndefined()
    storage.noteFailure(FULL)
    const faults: (string | undefined)[] = []
    for (const _ of writes) {
      faults.push(await storage.fault())
      time += 61_000
    }
    expect(faults).toEqual(found)
    expect(await storage.fault()).toBeUndefined()
    expect(outcomes).toEqual([])
  })
})

test('a missing permission of the database user is not a fault of the disk', () => {
  const error = Object.assign(new Error('permission denied for table users'), { code: '42501' })
  expect(asResponseError(error).code).toBe('defect')
})

test('a start on a disk that cannot be written names the reason, and advises no restore', async () => {
  const directory = await newDataDirectory()
  const write = vi.spyOn(fs.promises, 'writeFile').mockRejectedValue(systemError('ENOSPC'))
  syncBuiltinESMExports()
  onTestFinished(() => {
    write.mockRestore()
    syncBuiltinESMExports()
  })
  const opening = openDatabase({ kind: 'embedded', directory, instanceId: 'test' }, memoryLog().log)
  await expect(opening).rejects.toMatchObject({
    name: 'StartError',
    message:
      `--data-dir: cannot use \`${directory}\`: nothing can be written to it: the disk is full. The data in it are not ` +
      'damaged: make it writable, with room for at least 20 MiB, and start again',
  })
})
