import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connectDatabase,
  type Connected,
  migrateConnected,
} from '../../apps/platform-server/src/database/connection.ts'
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

/**
 * The migrations that databases have run. None is ever edited: a database that has run it would be refused. A change is a new
 * migration, and a new line here.
 */
const FROZEN: readonly (readonly [name: string, checksum: string])[] = [
  ['identity', 'd2b2bf802d7ce8c03c0a0f3b95612764d48ffff16ca7055aa272e88469834e50'],
  ['organizations', 'c602a594332c4b701caa11de4862fe14668d62f99b7ade5efedba863ff8d376f'],
  ['projects-and-engines', '08b0929ac867a73c8e15906a974a0fb4b898eeda0b7d1fc3fdbeb80777c2d9f5'],
  ['drafts', '6afd777584f261903b253234f82ffca3e05c3ee74735ad4d760b0c9af581d3e8'],
  ['catalog', '674eaaa6df851c4b8ded78501f05058fb841e354d31afaf43f6d936a61e06d43'],
  ['integrations', '1970aa5c67b07cf58760def31e0deb3a72ee92f86b4593413dfd950cd0ef2603'],
  ['releases', '7b423f46e45f360e79fb2b6942d7154b9fc60222f6dbdbda494d4bdaa94cb623'],
  ['presence-and-counts', '2b52007ae35f3bf155cf43300168e306eae4eb2b1e78d0cc71c0a06a4ff6e33e'],
  ['recording', 'ba1af34b3e2d4be339a8f6359cf611a074306cd0a2326c837638cce0a3b8c74f'],
  ['canary-servers', '973a275a65e541138213491efdf53a67c0f158f252130566617e54b367a7090d'],
  ['config-of-saves', 'cf5c26ec032a5b48b4e9b3ea3da3ba546e52b3603ea2af3fe45bf58386d05c78'],
  ['database-identity', 'c0b487efe36c026bbc3cf43874bd4600de7d0e6d5f4ea0bbb9ef5b95f90d876b'],
  ['local-rulesets', 'b529a8dd935cebd3e8c9ee5595557c44172a012b206e2513be2b497ed8810c3b'],
  ['release-comments', '76bc266b3e4a8bd72c28ca23cc25aafa54d625cbec325daddf914711018a392b'],
  ['release-signatures', '195a4a71b8d4b5103bae64dc803fedf48f7c675a438d728e009d3fdc268bd220'],
  ['engine-identity', '1df04458ecd8df0b85552da7a5972679b45c1a3d6b44f4e5f0188e88191ce9c0'],
  ['draft-comments', 'a6de7c3bcfcec1223e2f691866fe030227bd8073bcdc5de4c137b198eeb35816'],
  ['webhook-cloudevents', 'd4e173fdf7a469c9e017270e52eab245271f38066f5ae632ef7fc338816f3e0e'],
  ['contract-mode', '7b3c83d72551b74c6ca98c3b7d4a5654893eba791b0ca7b35095ca507bb6ca1e'],
  ['release-analysis', 'dcdbae6c45648af9027bbc4535a14f8ed51e08734489219821bbe01f39722f4b'],
  ['places-of-release-comments', '193cf7277c08c97fe730437a32058f7d15a6c1d36aaadc141ba61860470ec0d0'],
  ['receipts', '39dfff3b6f85c1d379b8aafe226e1fe5f96681660e4af1f24bc4b54caa7d1f3f'],
  ['receipt-keys', '912733da98448bbc3e6ecea9c3ed1e1e7f5c756acb478fc67c0c734685e38ea3'],
  ['recorded-calls', '307715f5c1ccc102e1627f86c5ff7c287642c43836227911fcc22a88dd5d7a74'],
  ['replays', '81167526d08365c33f4de8645a48a82f14f470d5527c9d6720e93d33eb82d49b'],
  ['recorded-refusals', '28ef5374883ada3745da81e4dc448bcb7076d2733c306966fc62560135c3cdd4'],
  ['branch-counts', 'ed85aebef32c0e4cca6e4e387ffe22841c09d67f410962a860b550c3c14337b1'],
]

test('a migration that has run anywhere is never edited', () => {
  expect(readMigrations().map(({ name, checksum }) => [name, checksum])).toEqual(FROZEN)
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

  test('a migration waits ten seconds for a table, and is stored whole or not at all', async () => {
    const { log } = memoryLog()
    const database = await connected()
    const waiting = migration(1, "create table waits as select current_setting('lock_timeout') as value")
    await migrateConnected(database, [waiting], log)
    expect((await database.pool.query('select value from waits')).rows).toEqual([{ value: '10s' }])
    const uncounted = migration(2, 'create table half (id integer); alter table schema_migrations rename to lost')
    await expect(migrateConnected(database, [waiting, uncounted], log)).rejects.toThrow('schema_migrations')
    expect(await tablesOf(database.pool)).toEqual(['schema_migrations', 'waits'])
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
      /^--.*: migration 2 `step-2` was changed after it had run: make a backup with the program that the database belongs to, and restore/,
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

  const edited = (number: number, from: string | RegExp, to: string): Migration => {
    const { name, sql } = readMigrations()[number - 1] ?? migration(0, '')
    return { ...migration(number, sql.replace(from, to)), name }
  }
  /** As they were on 22 November, before they were edited. */
  const THIRD = edited(
    3,
    'Base64 of the Ed25519 public key; the private one sealed',
    'Hex of the Ed25519 public key; the private one encrypted',
  )
  const FOURTH = edited(4, /-- Looked for with every heartbeat\.\ncreate index deployments_queued [^;]*;\n/, '')

  test.each([
    ['a comment', [THIRD]],
    ['a comment and an index', [THIRD, FOURTH]],
  ])('a database of before the first release, whose migrations differ by %s, is repaired', async (_name, earlier) => {
    const database = await connected()
    const { log, lines } = memoryLog()
    const all = readMigrations()
    const old = earlier.reduce((list, one) => list.with(one.number - 1, one), all).slice(0, 4)
    await migrateConnected(database, old, log)
    expect(await migrateConnected(database, all, log)).toEqual(all.slice(4).map(({ number }) => number))
    expect(lines.filter(([, , text]) => text.startsWith('database repaired'))).toHaveLength(earlier.length)
    const { rows } = await database.pool.query("select from pg_indexes where indexname = 'deployments_queued'")
    expect(rows).toHaveLength(1)
    expect(await migrateConnected(database, all, log)).toEqual([])
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

test('of replicas that start together on a server one migrates, and the others wait for it', async () => {
  const location = await newLocation('postgres')
  const slow = [migration(1, 'create table slow (id integer); select pg_sleep(0.2)'), ...STEPS.slice(1)]
  const replicas = await Promise.all(Array.from({ length: 4 }, () => connectDatabase(location, memoryLog().log)))
  const applied = await Promise.all(replicas.map((replica) => migrateConnected(replica, slow, memoryLog().log)))
  expect(applied.toSorted((left, right) => left.length - right.length)).toEqual([[], [], [], [1, 2, 3, 4]])
  for (const replica of replicas) await replica.close()
})
