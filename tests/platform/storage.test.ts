import fs, { mkdtempSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { asResponseError } from '../../apps/platform-server/src/errors.ts'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import { openDatabase } from '../../apps/platform-server/src/database/connection.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { filledDataDirectory, newDataDirectory } from './databases.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'

const systemError = (code: string) => Object.assign(new Error(`${code}: a fault of the disk`), { code })

/** The faults of a disk, as far as the system shows them without a write, and what people are told. */
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
    directory = await filledDataDirectory(mkdtempSync(join(tmpdir(), 'platform-storage-')))
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
    'with %s refuses changes and says why, answers reads, and recovers by itself',
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

test('a right that a user of a server lacks is no fault of the disk', () => {
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
