import type { Log } from '@engine/process'
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type pg from 'pg'
import { type Database, databaseOf, type Opened } from './database.ts'
import { type Embedded, type EmbeddedLocation, openEmbedded } from './embedded.ts'
import { LongJsonReader } from './long-json.ts'
import { migrate } from './migrate.ts'
import { type Migration, readMigrations } from './migrations.ts'
import { createPool } from './pool.ts'
import { connectServer, reservedPool } from './server.ts'
import { createServerStorage, createStorage, writeTestPage } from './storage.ts'
import type { Tables } from './tables.ts'
import { createUnits } from './unit-of-work.ts'
import { LocalWakes, ServerWakes } from './notifications.ts'

/** The location of the database. */
export type DatabaseLocation = EmbeddedLocation | { readonly kind: 'server'; readonly url: string }

/** A connected database whose tables are not checked yet. */
export interface Connected {
  readonly pool: pg.Pool
  readonly embedded: Embedded | undefined
  /** The option that names it, for messages. */
  readonly origin: string
  close(): Promise<void>
  /** Closes it, and removes an embedded database that did not exist before. */
  discard(): Promise<void>
}

/** Connects to the database; creates an embedded one if it does not exist yet. Throws `StartError`. */
export async function connectDatabase(location: DatabaseLocation, log: Log): Promise<Connected> {
  if (location.kind === 'server') {
    const server = await connectServer(location.url, log)
    return {
      pool: server,
      embedded: undefined,
      origin: '--database-url',
      close: () => server.end(),
      discard: () => server.end(),
    }
  }
  const embedded = await openEmbedded(location, log)
  // PGlite has only one session; closing it when idle and opening it again would gain nothing.
  const config = { stream: embedded.connect, max: 1, idleTimeoutMillis: 0, user: 'postgres', database: 'postgres' }
  const pool = createPool(config, log)
  return {
    pool,
    embedded,
    origin: '--data-dir',
    async close() {
      await pool.end()
      await embedded.close()
    },
    async discard() {
      await pool.end()
      await embedded.discard()
    },
  }
}

/** Migrates a connected database to the last of these migrations. Throws `StartError`. */
export async function migrateConnected(
  { pool, origin }: Pick<Connected, 'pool' | 'origin'>,
  migrations: readonly Migration[],
  log: Log,
): Promise<readonly number[]> {
  const client = await pool.connect()
  try {
    return await migrate(client, migrations, origin, log)
  } finally {
    client.release()
  }
}

/** Connects to the database and migrates it. Throws `StartError`. */
export async function openDatabase(location: DatabaseLocation, log: Log): Promise<Database> {
  const connected = await connectDatabase(location, log)
  const migrations = readMigrations()
  try {
    await migrateConnected(connected, migrations, log)
    return databaseOf(await opened(location, connected, migrations.length, log))
  } catch (error) {
    await connected.close()
    throw error
  }
}

async function opened(location: DatabaseLocation, connected: Connected, migration: number, log: Log): Promise<Opened> {
  const wakes = location.kind === 'server' ? new ServerWakes(location.url, log) : new LocalWakes()
  if (wakes instanceof ServerWakes) await wakes.connect()
  const units = createUnits(connected.pool)
  const tables = tablesOf(units.connections)
  const reserved = location.kind === 'server' ? reservedConnections(location.url, log) : undefined
  const { probes } = reserved ?? { probes: tables }
  return {
    mode: location.kind === 'server' ? 'postgres' : 'embedded',
    migration,
    tables,
    reserved: reserved ?? { decisions: tables, probes: tables },
    units,
    wakes,
    storage:
      location.kind === 'embedded'
        ? createStorage(location.directory)
        : createServerStorage(() => writeTestPage(probes)),
    lost: connected.embedded?.lost ?? new Promise<never>(() => {}),
    async close() {
      await wakes.close()
      await reserved?.close()
      await connected.close()
    },
  }
}

const tablesOf = (pool: PostgresPool) =>
  new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), plugins: [new LongJsonReader()] })

/** Connection pools reserved for one purpose each. */
function reservedConnections(url: string, log: Log) {
  const [decisions, probes] = [reservedPool(url, log), reservedPool(url, log)]
  return {
    decisions: tablesOf(decisions),
    probes: tablesOf(probes),
    async close() {
      await Promise.all([decisions.end(), probes.end()])
    },
  }
}
