import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { composePlatform } from '../../apps/platform-server/src/compose/platform.ts'
import { readConfiguration } from '../../apps/platform-server/src/config/config.ts'
import { openDataDirectory } from '../../apps/platform-server/src/database/data-directory.ts'
import { DurableFiles, START_PARAMETERS } from '../../apps/platform-server/src/database/durable-files.ts'
import { openDatabase } from '../../apps/platform-server/src/database/connection.ts'
import { PGlite } from '@electric-sql/pglite'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { newDataDirectory } from './databases.testing.ts'
import { addOrganization } from './organization.testing.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'platform-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const located = (directory: string) => ({ kind: 'embedded', directory, instanceId: 'test' }) as const

describe('the data directory', () => {
  let directory: string
  beforeAll(() => {
    directory = join(root, 'a/b')
  })

  test('is created at the first start, with a log of the progress, and has everything after the next one', async () => {
    const { log, lines } = memoryLog()
    const first = await openDatabase(located(directory), log)
    const org = await addOrganization(first, 'kept')
    await first.close()
    const texts = lines.map(([, , text]) => text)
    expect(texts[0]).toBe('first start: creating the embedded database')
    expect(texts).toContain('first start: the embedded database is created')
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    expect(existsSync(join(directory, 'database.incomplete'))).toBe(false)

    const second = await openDatabase(located(directory), memoryLog().log)
    const rows = await second.scope(org).read('organizations').selectFrom('organizations').select('name').execute()
    expect(rows).toEqual([{ name: 'kept' }])
    await expect(openDatabase(located(directory), memoryLog().log)).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(
        new RegExp(
          `^--data-dir: cannot use .*: another platform uses it \\(process ${process.pid}, instance .test., on .*\\)`,
        ),
      ),
    })
    await second.close()
  })

  test('with a database of another version of PostgreSQL is refused, and the file names that version', async () => {
    const version = join(directory, 'database/PG_VERSION')
    const kept = readFileSync(version, 'utf8')
    writeFileSync(version, '17\n')
    await expect(openDatabase(located(directory), memoryLog().log)).rejects.toThrow(
      'its database is of PostgreSQL 17, and this program has PostgreSQL 18. Make a backup with the program that wrote it',
    )
    writeFileSync(version, kept)
    await (await openDatabase(located(directory), memoryLog().log)).close()
  })

  test('with a database that is damaged ends the start', async () => {
    truncateSync(join(directory, 'database/global/pg_control'), 100)
    await expect(openDatabase(located(directory), memoryLog().log)).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(
        /^--data-dir: cannot use .*: the database in it cannot be opened \(.+\)\. Restore a backup/,
      ),
    })
  })
})

test('an interrupted creation starts over', async () => {
  const directory = join(root, 'interrupted')
  mkdirSync(join(directory, 'database'), { recursive: true })
  writeFileSync(join(directory, 'database/PG_VERSION'), '18\n')
  writeFileSync(join(directory, 'database.incomplete'), '')
  const database = await openDatabase(located(directory), memoryLog().log)
  await addOrganization(database)
  await database.close()
  expect(existsSync(join(directory, 'database.incomplete'))).toBe(false)
})

test.each<[string, (directory: string) => void, string]>([
  ['that is a file', (directory) => writeFileSync(directory, ''), 'it is not a directory'],
  [
    'with a folder that is not a database',
    (directory) => mkdirSync(join(directory, 'database'), { recursive: true }),
    'is no database',
  ],
])('a data directory %s ends the start', async (_name, prepare, reason) => {
  const directory = join(root, `refused-${reason.length}`)
  prepare(directory)
  await expect(openDatabase(located(directory), memoryLog().log)).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringContaining(reason),
  })
})

test('a data directory that cannot be created ends the start immediately', async () => {
  // The system answers ENOENT although the parent exists.
  await expect(openDatabase(located('/proc/x'), memoryLog().log)).rejects.toMatchObject({
    name: 'StartError',
    message: '--data-dir: cannot use `/proc/x`: no such file or directory',
  })
})

test('a port that is in use ends the start before a database is created', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  const directory = join(root, 'never')
  const read = readConfiguration(['--http-addr', `127.0.0.1:${port}`, '--data-dir', directory], {})
  if (read.kind === 'end') throw new Error(read.output)
  const { configuration } = read
  await expect(composePlatform({ configuration, instanceId: 'test', log: memoryLog().log })).rejects.toMatchObject({
    name: 'StartError',
    message: `--http-addr: cannot use \`127.0.0.1:${port}\`: it is in use`,
  })
  expect(existsSync(directory)).toBe(false)
  await new Promise((resolve) => taken.close(resolve))
})

test('the mark of an unfinished creation is durable before the database, and removed durably after it', async () => {
  const directory = mkdtempSync(join(root, 'marked-'))
  const steps: string[] = []
  const paths = new Map<number, string>()
  const { openSync, rmSync: remove } = fs
  const nameOf = (path: unknown) => String(path).slice(directory.length + 1) || 'the directory'
  const spies = [
    vi.spyOn(fs, 'openSync').mockImplementation((path, ...rest) => {
      const descriptor = openSync(path, ...rest)
      paths.set(descriptor, nameOf(path))
      return descriptor
    }),
    vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => void steps.push(`sync ${paths.get(descriptor)}`)),
    vi.spyOn(fs, 'rmSync').mockImplementation((path, options) => {
      steps.push(`remove ${nameOf(path)}`)
      remove(path, options)
    }),
  ]
  syncBuiltinESMExports()
  try {
    const opened = await openDataDirectory(directory, 'test')
    const begun = steps.splice(0)
    expect(begun.slice(-2)).toEqual(['sync database.incomplete', 'sync the directory'])
    opened.created()
    expect(steps.splice(0)).toEqual(['sync the directory', 'remove database.incomplete', 'sync the directory'])
    opened.discard()
    expect(steps).toEqual([
      'sync database.incomplete',
      'sync the directory',
      'remove database',
      'sync the directory',
      'remove database.incomplete',
      'sync the directory',
    ])
    opened.release()
  } finally {
    for (const spy of spies) spy.mockRestore()
    syncBuiltinESMExports()
  }
})

test('a commit is synced before it is acknowledged', async () => {
  const synced = vi.spyOn(fs, 'fsyncSync')
  syncBuiltinESMExports()
  const database = await PGlite.create({
    fs: new DurableFiles(join(await newDataDirectory(), 'database')),
    startParams: [...START_PARAMETERS],
  })
  await database.exec('create table counted (id integer)')
  for (let id = 0; id < 20; id++) {
    const before = synced.mock.calls.length
    await database.query('insert into counted values ($1)', [id])
    expect(synced.mock.calls.length).toBeGreaterThan(before)
  }
  await database.close()
  synced.mockRestore()
  syncBuiltinESMExports()
})

describe('a server that cannot be used', () => {
  let silent: Server
  let port: number
  beforeAll(async () => {
    silent = createServer((socket) => socket.end('no PostgreSQL'))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    port = (silent.address() as AddressInfo).port
  })
  afterAll(() => silent.close())

  test.each([
    [
      'where nothing listens',
      () => 'postgres://user:secret@127.0.0.1:1/db',
      /^--database-url: 127.0.0.1:1\/db: the connection is refused/,
    ],
    [
      'that is not PostgreSQL',
      () => `postgres://user:secret@127.0.0.1:${port}/db`,
      /^--database-url: 127.0.0.1:\d+\/db: /,
    ],
    [
      'of a host that is not known',
      () => 'postgres://user:secret@nowhere.invalid/db',
      /^--database-url: nowhere.invalid\/db: the host/,
    ],
  ])('%s ends the start without showing the password', async (_name, url, message) => {
    const opening = openDatabase({ kind: 'server', url: url() }, memoryLog().log)
    const error = await opening.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject({ name: 'StartError', message: expect.stringMatching(message) })
    expect(String(error)).not.toContain('secret')
  })
})
