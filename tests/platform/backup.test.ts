import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHash, randomUUIDv7 } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { SYSTEM } from '../../apps/platform-server/src/database/audit.ts'
import { writeBackup } from '../../apps/platform-server/src/database/backup.ts'
import { openDataDirectory } from '../../apps/platform-server/src/database/data-directory.ts'
import { readMigrations } from '../../apps/platform-server/src/database/migrations.ts'
import {
  connectDatabase,
  type Connected,
  type DatabaseLocation,
  migrateConnected,
  openDatabase,
} from '../../apps/platform-server/src/database/connection.ts'
import { verifyBackup } from '../../apps/platform-server/src/database/backup-file.ts'
import { restoreBackup } from '../../apps/platform-server/src/database/restore.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { casesOfProperty, IS_FULL_RUN } from '../cases.testing.ts'
import { runTool } from '../programs.testing.ts'
import { sharedPostgres } from '../postgres.testing.ts'
import {
  DATABASES,
  type DatabaseKind,
  migratedDataDirectory,
  newDataDirectory,
  newDatabase,
  newLocation,
  tablesOf,
} from './databases.testing.ts'
import { addOrganization } from './organization.testing.ts'
import { startPlatform } from './platform.testing.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'platform-backup-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const { log } = memoryLog()
const migrations = readMigrations()
const connected = async (kind: DatabaseKind): Promise<Connected> => connectDatabase(await newLocation(kind), log)

const HOSTILE = [
  '',
  'NULL',
  '{"a",b}',
  'line\nbreak\r\n',
  '\\x00',
  "'; drop table users; --",
  'ä€𝄞',
  '\u0001',
  'a\u2028b\u2029c\u0085d\ve\ff',
  '\ufeff',
  '"',
  '\\"',
]

/** Rows with everything that a text can hold on its way through a file. */
async function fill({ pool }: Connected): Promise<void> {
  const organization = randomUUIDv7()
  await pool.query('insert into organizations (org_id, name, created_by) values ($1, $2, $3)', [
    organization,
    'Acme',
    'x',
  ])
  for (const [index, text] of HOSTILE.entries()) {
    await pool.query(
      'insert into api_keys (org_id, id, name, token_hash, prefix, scopes, project_ids, created_by, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)',
      [
        organization,
        randomUUIDv7(),
        `${index}${text}`,
        Buffer.from([index, 0, 255]),
        text,
        [text, text],
        index % 2 === 0 ? null : [],
        'x',
        new Date(index),
      ],
    )
    await pool.query(
      "insert into audit_entries (org_id, id, actor_type, actor_id, actor_name, action, object_type, object_id, object_name, before, after) values ($1, $2, 'system', '', $3, 'a.b', 'a', '', '', $4, $5)",
      [
        organization,
        randomUUIDv7(),
        text,
        JSON.stringify({ [text]: [1.5, '\u0000'] }),
        ' {"b": 1,\n "a" : 12345678901234567890 } ',
      ],
    )
  }
  // More rows than one batch fetches or inserts, and a reference to a row that comes later in the file.
  await pool.query(
    "insert into users (id, email, display_name) select gen_random_uuid(), 'user' || n || '@example.com', 'U' from generate_series(1, 1203) n",
  )
  await pool.query(
    "insert into sessions (id, token_hash, prefix, user_id, auth_epoch, expires_at) select gen_random_uuid(), sha256(id::text::bytea), 'eng', id, 0, now() from users",
  )
}

const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n')
/** Rows except the creation time, and the checksum, which covers it. */
const contentOf = (file: string) => linesOf(file).slice(1, -1).toSorted()
const checksumOf = (lines: readonly string[]) =>
  createHash('sha256')
    .update(lines.map((line) => `${line}\n`).join(''))
    .digest('hex')
/** A backup as earlier programs have written it. */
const withoutChecksum = (lines: readonly string[]) =>
  lines.map((line) => line.replace(',"checksum":"sha256"', '').replace(/,"sha256":"[^"]*"/, ''))

describe.each(DATABASES)('from %s', (kind) => {
  let source: Connected
  let file: string
  beforeAll(async () => {
    source = await connected(kind)
    await migrateConnected(source, migrations, log)
    await fill(source)
    file = join(folder, `${kind}.ndjson`)
    await writeBackup(source.pool, file, '--from')
  })
  afterAll(() => source.close())

  test.each(DATABASES)('everything is restored to %s unchanged', async (other) => {
    const target = await connected(other)
    const rows = await restoreBackup(target.pool, file, migrations, '--to', log)
    const copy = join(folder, `${kind}-${other}.ndjson`)
    expect(await writeBackup(target.pool, copy, '--to')).toBe(rows)
    expect(contentOf(copy)).toEqual(contentOf(file))
    // It is a whole database: it is used, and refuses to be overwritten.
    await expect(restoreBackup(target.pool, file, migrations, '--to', log)).rejects.toMatchObject({
      name: 'StartError',
      message: '--to: the database is not empty: restore into a new one',
    })
    await target.close()
  })

  test('the file is readable by people and its owner alone, and ends by its number of rows', () => {
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const lines = linesOf(file).map((line) => JSON.parse(line))
    expect(lines[0]).toEqual({
      format: 'engine-platform-backup',
      version: 1,
      migration: migrations.length,
      made_at: expect.stringMatching(/Z$/),
      checksum: 'sha256',
    })
    expect(lines).toHaveLength(1203 * 2 + HOSTILE.length * 2 + 3)
    expect(lines.at(-1)).toEqual({ end: true, rows: lines.length - 2, sha256: checksumOf(linesOf(file).slice(0, -1)) })
    expect(lines.find(({ table }) => table === 'users').row).toMatchObject({ display_name: 'U', password_hash: null })
  })
})

describe('a backup', () => {
  let source: Connected
  beforeAll(async () => {
    source = await connected('postgres')
    await migrateConnected(source, migrations, log)
    await fill(source)
  })
  afterAll(() => source.close())

  /** The pool, which does something after the first rows were read. */
  const interrupted = (work: () => Promise<unknown>) =>
    ({
      async connect() {
        const client = await source.pool.connect()
        let isDue = true
        const query = async (text: string) => {
          const found = await client.query(text)
          if (isDue && text.startsWith('fetch')) {
            isDue = false
            await work()
          }
          return found
        }
        return { query, release: () => client.release() }
      },
    }) as unknown as typeof source.pool

  test('has the state at its start', async () => {
    const before = join(folder, 'before.ndjson')
    await writeBackup(source.pool, before, '--from')
    const meanwhile = interrupted(() =>
      source.pool.query(
        "insert into users (id, email, display_name) values (gen_random_uuid(), 'late@example.com', 'Late')",
      ),
    )
    const file = join(folder, 'moment.ndjson')
    await writeBackup(meanwhile, file, '--from')
    await source.pool.query("delete from users where email = 'late@example.com'")
    expect(contentOf(file)).toEqual(contentOf(before))
  })

  test('is on disk before it has its name, and its name before it is acknowledged', async () => {
    const file = join(folder, 'synced.ndjson')
    const steps: string[] = []
    const handle = await open(folder, 'r')
    const prototype = Object.getPrototypeOf(handle) as typeof handle
    await handle.close()
    const spies = [
      vi.spyOn(prototype, 'sync').mockImplementation(async () => void steps.push('sync the file')),
      vi.spyOn(fs.promises, 'link').mockImplementation(async (from, to) => {
        steps.push('name the file')
        fs.linkSync(from, to)
      }),
      vi.spyOn(fs, 'fsyncSync').mockImplementation(() => void steps.push('sync the folder')),
    ]
    syncBuiltinESMExports()
    try {
      await writeBackup(source.pool, file, '--from')
    } finally {
      for (const spy of spies) spy.mockRestore()
      syncBuiltinESMExports()
    }
    expect(steps).toEqual(['sync the file', 'name the file', 'sync the folder'])
  })
})

describe('every text that the API accepts', () => {
  const PIECE = 2000
  const pieces = Array.from({ length: Math.ceil(0x1_0000 / PIECE) }, (_, index) =>
    String.fromCharCode(...Array.from({ length: PIECE }, (_unit, offset) => index * PIECE + offset)),
  )
  /** All of the Basic Multilingual Plane but NUL and surrogates, which are refused, and texts of all planes. */
  const TEXTS = [
    ...pieces.map((text) => text.replaceAll(/[\0\p{Cs}]/gu, '')),
    ...fc.sample(fc.string({ unit: 'binary', maxLength: 500 }), casesOfProperty(300)),
  ]

  async function accepted(location: DatabaseLocation): Promise<ReadonlySet<string>> {
    const database = await openDatabase(location, log)
    const platform = await startPlatform(database)
    const person = await platform.person()
    const { body: org } = await person.request('POST', '/api/v1/orgs', { name: 'Texts' })
    const { body: project } = await person.request('POST', `/api/v1/orgs/${org.id}/projects`, { name: 'texts' })
    const kept = new Set<string>()
    for (const description of TEXTS) {
      const { status } = await person.request('PUT', `/api/v1/projects/${project.id}`, { description })
      if (status === 200) kept.add(description)
    }
    await platform.stop()
    await database.close()
    return kept
  }

  // Each database reads the backup of the other one; in a full run its own too.
  const readersOf = (kind: DatabaseKind) => DATABASES.filter((other) => IS_FULL_RUN || other !== kind)

  test.each(DATABASES)('is the same after a backup of %s and a restore into another database', async (kind) => {
    const location: DatabaseLocation =
      kind === 'postgres'
        ? await newLocation(kind)
        : { kind: 'embedded', directory: await migratedDataDirectory(), instanceId: 'test' }
    const texts = await accepted(location)
    expect(texts.size).toBeGreaterThanOrEqual(pieces.length)
    const source = await connectDatabase(location, log)
    const file = join(folder, `texts-${kind}.ndjson`)
    await writeBackup(source.pool, file, '--from')
    await source.close()
    for (const other of readersOf(kind)) {
      const target = await connected(other)
      await restoreBackup(target.pool, file, migrations, '--to', log)
      const { rows } = await target.pool.query<{ text: string }>(
        "select after->>'description' as text from audit_entries where action = 'project.updated'",
      )
      expect(texts.difference(new Set(rows.map(({ text }) => text)))).toEqual(new Set())
      await target.close()
    }
  })
})

describe('a file', () => {
  let target: Connected
  let file: string
  let lines: readonly string[]
  beforeAll(async () => {
    const source = await connected('postgres')
    await migrateConnected(source, migrations, log)
    await source.pool.query("insert into users (id, email, display_name) values (gen_random_uuid(), 'a@b', 'A')")
    file = join(folder, 'one.ndjson')
    await writeBackup(source.pool, file, '--from')
    await source.close()
    lines = linesOf(file)
    target = await connected('postgres')
  })
  afterAll(() => target.close())

  test.each<[string, (all: readonly string[]) => readonly string[], RegExp]>([
    ['that is empty', () => [], /line 1: /],
    ['without its head', (all) => all.slice(1), /line 1: it is not the head of a backup/],
    ['that was cut off', (all) => all.slice(0, -1), /it was cut off: its last line is missing/],
    ['that was cut off within a line', (all) => [...all.slice(0, -1), '{"end":tr'], /line 3: /],
    ['that lacks a row', (all) => all.toSpliced(1, 1), /it says that it has 1 rows, and has 0/],
    [
      'of a newer program',
      (all) => all.with(0, all[0]?.replace(/"migration":\d+/, '"migration":99') ?? ''),
      /the backup is of migration 99/,
    ],
    [
      'of another format',
      (all) => all.with(0, all[0]?.replace('"version":1', '"version":2') ?? ''),
      /its format has another version than 1/,
    ],
    ['with an unknown table', (all) => all.with(1, '{"table":"x","row":{}}'), /line 2: there is no table `x`/],
    [
      'with an unknown column',
      (all) => all.with(1, '{"table":"users","row":{"x\\"y":"1"}}'),
      /line 2: there is no column/,
    ],
    [
      'with a value that is not text',
      (all) => all.with(1, '{"table":"users","row":{"id":1}}'),
      /line 2: it is neither/,
    ],
    [
      'with an invalid value of its column',
      (all) => all.with(1, all[1]?.replace(/"rev":"1"/, '"rev":"one"') ?? ''),
      /it cannot be loaded: invalid input syntax/,
    ],
    ['with a line after its end', (all) => [...all, ''], /line 4: there is something after the end/],
  ])('%s is refused, and nothing is loaded', async (_name, change, message) => {
    const changed = join(folder, 'changed.ndjson')
    writeFileSync(
      changed,
      change(withoutChecksum(lines))
        .map((line) => `${line}\n`)
        .join(''),
    )
    const restoring = restoreBackup(target.pool, changed, migrations, '--to', log)
    await expect(restoring).rejects.toMatchObject({ name: 'StartError', message: expect.stringMatching(message) })
    await expect(restoring).rejects.toThrow(`\`${changed}\`: `)
    expect(await tablesOf(target.pool)).toEqual([])
  })

  test('with one changed byte anywhere is refused', async () => {
    const bytes = readFileSync(file)
    const changed = join(folder, 'flipped.ndjson')
    for (let at = 0; at < bytes.length; at++) {
      const flipped = Buffer.from(bytes)
      flipped[at] = (flipped[at] ?? 0) ^ 1
      writeFileSync(changed, flipped)
      await expect(verifyBackup(changed), `byte ${at}`).rejects.toMatchObject({ name: 'StartError' })
    }
    writeFileSync(changed, readFileSync(file, 'utf8').replace('a@b', 'c@b'))
    await expect(restoreBackup(target.pool, changed, migrations, '--to', log)).rejects.toThrow(
      `\`${changed}\`: its checksum does not match: the file was changed or damaged after it was written`,
    )
    expect(await tablesOf(target.pool)).toEqual([])
  })

  test('without a checksum, of an earlier program, is loaded with a warning', async () => {
    const old = join(folder, 'unchecked.ndjson')
    writeFileSync(old, `${withoutChecksum(lines).join('\n')}\n`)
    const { log: watched, lines: logged } = memoryLog()
    const other = await connected('postgres')
    expect(await restoreBackup(other.pool, old, migrations, '--to', watched)).toBe(1)
    await other.close()
    expect(logged.map(([, , text]) => text)).toContain(
      'the backup has no checksum: a changed byte in it cannot be noticed',
    )
  })

  test('that exists is replaced only when that is asked for', async () => {
    const source = await connected('postgres')
    await migrateConnected(source, migrations, log)
    const existing = join(folder, 'existing.ndjson')
    writeFileSync(existing, 'precious')
    await expect(writeBackup(source.pool, existing, '--from')).rejects.toMatchObject({
      name: 'StartError',
      message: `\`${existing}\` exists already: name another file, or replace it with --force`,
    })
    expect(readFileSync(existing, 'utf8')).toBe('precious')
    await writeBackup(source.pool, existing, '--from', { force: true })
    expect((await verifyBackup(existing)).rows).toBe(0)
    expect(readdirSync(folder).filter((name) => name.includes('.tmp'))).toEqual([])
    await source.close()
  })

  test('that is complete is loaded by the same database', async () => {
    expect(await restoreBackup(target.pool, file, migrations, '--to', log)).toBe(1)
  })

  test('of an earlier migration is loaded as that, then migrated', async () => {
    const early = await connected('postgres')
    await migrateConnected(early, migrations.slice(0, 1), log)
    await early.pool.query("insert into users (id, email, display_name) values (gen_random_uuid(), 'a@b', 'A')")
    const old = join(folder, 'old.ndjson')
    await writeBackup(early.pool, old, '--from')
    await early.close()
    const late = await connected('postgres')
    expect(await restoreBackup(late.pool, old, migrations, '--to', log)).toBe(1)
    expect(await migrateConnected(late, migrations, log)).toEqual([])
    await late.close()
  })
})

describe('an embedded database', () => {
  test('that was created for a backup that cannot be loaded is removed', async () => {
    const directory = join(folder, 'created')
    const data = await openDataDirectory(directory, 'test')
    mkdirSync(join(data.folder, 'base'), { recursive: true })
    data.created()
    data.discard()
    data.release()
    expect(readdirSync(directory).filter((name) => name.startsWith('database'))).toEqual([])
  })

  test('that was there before stays', async () => {
    const directory = await newDataDirectory()
    const opened = await connectDatabase({ kind: 'embedded', directory, instanceId: 'test' }, log)
    await opened.discard()
    expect(existsSync(join(directory, 'database/PG_VERSION'))).toBe(true)
  })
})

describe('the program', () => {
  beforeAll(async () => {
    const source = await connected('postgres')
    await migrateConnected(source, migrations, log)
    await writeBackup(source.pool, join(folder, 'whole.ndjson'), '--from')
    await source.close()
  })

  test('writes, loads and migrates, with its exit code', async () => {
    const server = await sharedPostgres()
    const [from, to] = [await newDatabase(server), await newDatabase(server)]
    const run = (...args: string[]) => runTool('engine-platform', args, folder)
    const migrated = await run('migrate', '--database-url', from)
    expect([migrated.code, migrated.stdout]).toEqual([
      0,
      `the database is at migration ${migrations.length}; ${migrations.length} applied\n`,
    ])
    const database = await openDatabase({ kind: 'server', url: from }, log)
    const org = await addOrganization(database, 'Moved')
    await database.close()
    const written = await run('backup', 'moved.ndjson', '--database-url', from)
    expect([written.code, written.stdout]).toEqual([0, '2 rows written to moved.ndjson, read back and verified\n'])
    expect((await run('backup', 'moved.ndjson', '--database-url', from)).stderr).toContain('exists already')
    expect((await run('backup', 'moved.ndjson', '--force', '--database-url', from)).code).toBe(0)
    const restored = await run('restore', 'moved.ndjson', '--database-url', to)
    expect([restored.code, restored.stdout]).toEqual([0, '2 rows loaded from moved.ndjson\n'])
    const moved = await openDatabase({ kind: 'server', url: to }, log)
    const rows = await moved.scope(org).read('organizations').selectFrom('organizations').select('name').execute()
    expect(rows).toEqual([{ name: 'Moved' }])
    await moved.change(org, SYSTEM, async ({ scope, audit }) => {
      await scope.update('organizations').set({ name: 'Used' }).execute()
      await audit({ action: 'organization.updated', object: { id: org, name: 'Used' } })
    })
    await moved.close()
  })

  test.each<[readonly string[], number, RegExp]>([
    [['backup'], 2, /^error: the file is missing\nSee `engine-platform backup --help`/],
    [['restore', '--data-dir', 'x'], 2, /^error: the file is missing/],
    [['backup', 'f', '--nonsense'], 2, /unknown option --nonsense/],
    [['backup', 'f', '--data-dir', 'absent'], 1, /^error: --data-dir: there is no database in `absent`/],
    [['restore', 'absent.ndjson'], 1, /^error: cannot read `absent.ndjson`: no such file or directory/],
    [['restore', 'whole.ndjson', '--database-url', 'postgres://127.0.0.1:1/x'], 1, /the connection is refused/],
    [['backup', 'whole.ndjson'], 1, /^error: `whole.ndjson` exists already/],
  ])('%j ends with %i', async (args, code, message) => {
    const ended = await runTool('engine-platform', args, folder)
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(message)])
  })

  test('explains itself', async () => {
    const { code, stdout } = await runTool('engine-platform', ['restore', '--help'], folder)
    expect([code, stdout]).toEqual([0, expect.stringContaining('Loads a backup into an empty database.')])
  })
})
