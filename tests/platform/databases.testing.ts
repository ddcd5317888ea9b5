import { execFileSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import { type Migration, readMigrations } from '../../apps/platform-server/src/database/migrations.ts'
import {
  connectDatabase,
  type Connected,
  type DatabaseLocation,
  migrateConnected,
  openDatabase,
} from '../../apps/platform-server/src/database/connection.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { IS_FULL_RUN } from '../cases.testing.ts'
import { type Postgres, sharedPostgres } from '../postgres.testing.ts'

/** The databases that the platform runs on. Suites of the database itself run on both. */
export const DATABASES = ['embedded', 'postgres'] as const
export type DatabaseKind = (typeof DATABASES)[number]
type DatabaseServer = Extract<DatabaseLocation, { readonly kind: 'server' }>

/**
 * The databases that suites of the API run on: all in a full run. Otherwise PostgreSQL alone, whose queries cost a third of
 * the processor time of PGlite's, and which has more than one connection.
 */
export const DATABASES_OF_API: readonly DatabaseKind[] = IS_FULL_RUN ? DATABASES : ['postgres']

/** Where a new, empty database is: in memory, or one of the server that the tests of this process share. */
export async function newLocation(kind: DatabaseKind): Promise<DatabaseLocation> {
  if (kind === 'embedded') return { kind: 'memory', template: await emptyTemplate() }
  return { kind: 'server', url: await newDatabase(await sharedPostgres()) }
}

/** The same with the tables of the newest migration, for a test that does not show how they are made. */
export async function migratedLocation(kind: DatabaseKind): Promise<DatabaseLocation> {
  if (kind === 'embedded') return { kind: 'memory', template: await migratedTemplate() }
  const postgres = await sharedPostgres()
  migratedDatabase ??= migrated(postgres)
  return { kind: 'server', url: await newDatabase(postgres, await migratedDatabase) }
}

/** The database of the shared server that others are copies of, which costs less than the migrations. */
let migratedDatabase: Promise<string> | undefined

async function migrated(postgres: Postgres): Promise<string> {
  const url = await newDatabase(postgres)
  await (await openDatabase({ kind: 'server', url }, memoryLog().log)).close()
  return new URL(url).pathname.slice(1)
}

/** Creating an embedded database takes some 5 s of processor time, opening one from a template a quarter of that. */
const TEMPLATE = join(import.meta.dirname, '../../node_modules/.cache/platform-database')

/** An empty embedded database in memory, made once for all test files by the PGlite that is installed. */
const emptyTemplate = async (): Promise<Uint8Array> => readFileSync(await templateFile())

/** The same after the migrations. */
const migratedTemplate = async (): Promise<Uint8Array> => readFileSync(await migratedTemplateFile())

/** A data directory with an empty database, for a test that does not show how one is created. Gone with the test. */
export async function newDataDirectory(): Promise<string> {
  const directory = temporaryDirectory()
  unpack(await templateFile(), directory)
  return directory
}

/** The same with the tables of the newest migration, for a test that does not show how they are made. */
export async function migratedDataDirectory(): Promise<string> {
  const directory = temporaryDirectory()
  await fillDataDirectory(directory)
  return directory
}

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'platform-data-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/**
 * Fills a data directory, which the caller removes, with a database after the newest migration. A start with it takes 3 s of
 * processor time, with an empty database 5 and without one 7.
 */
export async function fillDataDirectory(directory: string): Promise<void> {
  unpack(await migratedTemplateFile(), directory)
}

function unpack(template: string, directory: string): void {
  const database = join(directory, 'database')
  mkdirSync(database, { recursive: true, mode: 0o700 })
  execFileSync('tar', ['-xf', template, '-C', database], { stdio: 'ignore' })
}

async function templateFile(): Promise<string> {
  const { version } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.resolve('@electric-sql/pglite')), 'utf8'),
  )
  return madeOnce(join(TEMPLATE, `${version}.tar`), { kind: 'memory' }, [])
}

async function migratedTemplateFile(): Promise<string> {
  const migrations = readMigrations()
  const content = createHash('sha256').update(migrations.map(({ checksum }) => checksum).join())
  const path = `${await templateFile()}.${content.digest('hex').slice(0, 16)}`
  return madeOnce(path, { kind: 'memory', template: await emptyTemplate() }, migrations)
}

/** The file with a template database after these migrations, created on first use. */
async function madeOnce(path: string, location: DatabaseLocation, migrations: readonly Migration[]): Promise<string> {
  if (existsSync(path)) return path
  const { log } = memoryLog()
  const { pool, embedded, close } = await connectDatabase(location, log)
  if (migrations.length > 0) await migrateConnected({ pool, origin: 'the template' }, migrations, log)
  const template = await embedded?.dump()
  await close()
  mkdirSync(TEMPLATE, { recursive: true })
  // Files of one run make it at the same time; each finds a complete one or none.
  const temporary = `${path}.${randomUUID()}`
  writeFileSync(temporary, template ?? '')
  renameSync(temporary, path)
  return path
}

/** The names of all tables of a database. */
export async function tablesOf(pool: Connected['pool']): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' order by 1",
  )
  return rows.map(({ name }) => name)
}

/** A new database of a server, empty or a copy. */
export async function newDatabase({ client }: Postgres, template = 'template1'): Promise<string> {
  const name = `platform_${randomUUID().replaceAll('-', '')}`
  await client.query(`create database ${name} template ${template}`)
  return `postgres://postgres@${client.host}:${client.port}/${name}`
}

/**
 * One migrated database for the tests around the call. Tests keep apart by separate organizations; one that needs empty tables
 * opens a database by itself.
 */
export function useDatabase(kind: DatabaseKind): () => Database {
  let database: Database
  beforeAll(async () => {
    const location = await migratedLocation(kind)
    database = await openDatabase(location.kind === 'server' ? await bySocket(location) : location, memoryLog().log)
  })
  afterAll(() => database.close())
  return () => database
}

/** A database of the shared server, by its socket: a query costs two thirds of the processor time of one by TCP. */
async function bySocket({ kind, url }: DatabaseServer): Promise<DatabaseServer> {
  const { folder } = await sharedPostgres()
  return { kind, url: url.replace(/@[^:]*/, `@${encodeURIComponent(folder)}`) }
}
