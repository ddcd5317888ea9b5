import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectDatabase, type Connected, migrateConnected } from '../../apps/platform-server/src/database/open.ts'
import { type Migration, readMigrations } from '../../apps/platform-server/src/database/migrations.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { DATABASES, newLocation, tablesOf } from './databases.testing.ts'

const migration = (number: number, text: string): Migration => ({
  number,
  name: `step-${number}`,
  sql: text,
  checksum: createHash('sha256').update(text).digest('hex'),
})

const STEPS = Array.from({ length: 4 }, (_, index) =>
  migration(index + 1, `create table step_${index + 1} (id integer)`),
)

test('the migrations of the program are numbered from 1 without gaps', () => {
  const numbers = readMigrations().map(({ number }) => number)
  expect(numbers.length).toBeGreaterThan(0)
  expect(numbers).toEqual(Array.from(numbers, (_, index) => index + 1))
})

describe.each(DATABASES)('on %s', (kind) => {
  let connection: Connected
  beforeAll(async () => {
    connection = await connectDatabase(await newLocation(kind), memoryLog().log)
  })
  afterAll(() => connection.close())

  /** The database, empty. */
  async function connected(): Promise<Connected> {
    await connection.pool.query('drop schema public cascade; create schema public')
    return connection
  }

  test('each migration runs once, in order; a failing one leaves those before it', async () => {
    const { log, lines } = memoryLog()
    const database = await connected()
    expect(await migrateConnected(database, STEPS.slice(0, 2), log)).toEqual([1, 2])
    expect(await migrateConnected(database, STEPS.slice(0, 2), log)).toEqual([])
    expect(lines.map(([, fields]) => fields)).toEqual([
      { migration: 1, name: 'step-1' },
      { migration: 2, name: 'step-2' },
    ])
    const broken = [...STEPS.slice(0, 3), migration(4, 'create table half (id integer); select nonsense')]
    await expect(migrateConnected(database, broken, log)).rejects.toThrow('column "nonsense" does not exist')
    expect(await tablesOf(database.pool)).toEqual(['schema_migrations', 'step_1', 'step_2', 'step_3'])
    expect(await migrateConnected(database, STEPS, log)).toEqual([4])
  })

  const refusals: readonly [string, readonly Migration[], RegExp][] = [
    [
      'an older program',
      STEPS.slice(0, 3),
      /^--.*: the database is at migration 4, and this program knows 3: run the newer/,
    ],
    [
      'a migration that was edited',
      STEPS.with(1, migration(2, 'create table other (id integer)')),
      /^--.*: migration 2 `step-2` was changed after it had run/,
    ],
  ]

  test.each(refusals)('%s is refused, and nothing changes', async (_name, migrations, message) => {
    const database = await connected()
    const { log } = memoryLog()
    await migrateConnected(database, STEPS, log)
    await expect(migrateConnected(database, migrations, log)).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(message),
    })
    expect(await migrateConnected(database, STEPS, log)).toEqual([])
  })

  test('a row that is missing in the middle is refused', async () => {
    const database = await connected()
    const { log } = memoryLog()
    await migrateConnected(database, STEPS, log)
    await database.pool.query('delete from schema_migrations where number = 2')
    await expect(migrateConnected(database, STEPS, log)).rejects.toThrow(
      'migration 2 is missing in the database, which is at 4',
    )
  })
})

test('of replicas that start at once on a server one migrates, and the others wait for it', async () => {
  const location = await newLocation('postgres')
  const slow = [migration(1, 'create table slow (id integer); select pg_sleep(0.2)'), ...STEPS.slice(1)]
  const replicas = await Promise.all(Array.from({ length: 4 }, () => connectDatabase(location, memoryLog().log)))
  const applied = await Promise.all(replicas.map((replica) => migrateConnected(replica, slow, memoryLog().log)))
  expect(applied.toSorted((left, right) => left.length - right.length)).toEqual([[], [], [], [1, 2, 3, 4]])
  for (const replica of replicas) await replica.close()
})
