import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeBackup } from '../../apps/platform-server/src/database/backup.ts'
import { readMigrations } from '../../apps/platform-server/src/database/migrations.ts'
import { connectDatabase, openDatabase } from '../../apps/platform-server/src/database/connection.ts'
import { restoreBackup } from '../../apps/platform-server/src/database/restore.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { DATABASES, newLocation } from './databases.testing.ts'

/** The files of each released version, made by `make-released-version.ts` at its commit (CONTRIBUTING.md). */
const RELEASED = join(import.meta.dirname, 'released')
const VERSIONS = readdirSync(RELEASED)

type Row = Readonly<Record<string, string | null>>
interface Line {
  readonly table: string
  readonly row: Row
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'platform-released-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const { log } = memoryLog()
const migrations = readMigrations()

const rowsOf = (file: string): readonly Line[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"table"'))
    .map((line) => JSON.parse(line) as Line)

/** Every earlier row is present, columns added since then apart. */
function expectRows(file: string, before: readonly Line[]): void {
  const after = Map.groupBy(rowsOf(file), ({ table }) => table)
  const missing = before.filter(
    ({ table, row }) =>
      after.get(table)?.some((one) => Object.entries(row).every(([column, value]) => one.row[column] === value)) !==
      true,
  )
  expect(missing).toEqual([])
}

test('there are files of a released version', () => {
  expect(VERSIONS).toContain('0.1.0')
})

describe.each(VERSIONS)('version %s', (version) => {
  const backup = join(RELEASED, version, 'backup.ndjson')
  const before = rowsOf(backup)

  test.each(DATABASES)('its backup is restored into %s with every row', async (kind) => {
    expect(before.length).toBeGreaterThan(20)
    const target = await connectDatabase(await newLocation(kind), log)
    expect(await restoreBackup(target.pool, backup, migrations, '--to', log)).toBe(before.length)
    const copy = join(folder, `${version}-${kind}.ndjson`)
    await writeBackup(target.pool, copy, '--from')
    await target.close()
    expectRows(copy, before)
  })

  test('its data directory is opened and migrated with every row', async () => {
    const directory = join(folder, version)
    mkdirSync(directory, { mode: 0o700 })
    const archive = join(folder, 'database.tar')
    writeFileSync(archive, brotliDecompressSync(readFileSync(join(RELEASED, version, 'database.tar.br'))))
    execFileSync('tar', ['-xf', archive, '-C', directory])
    const location = { kind: 'embedded', directory, instanceId: 'test' } as const
    const database = await openDatabase(location, log)
    expect(database.migration).toBe(migrations.length)
    await database.close()
    const opened = await connectDatabase(location, log)
    const copy = join(folder, `${version}-directory.ndjson`)
    await writeBackup(opened.pool, copy, '--from')
    await opened.close()
    expectRows(copy, before)
  })
})
