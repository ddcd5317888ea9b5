import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import { type DatabaseLocation, openDatabase } from '../../apps/platform-server/src/database/open.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { type Postgres, startPostgres } from '../postgres.testing.ts'

/** The databases that every suite of the platform runs on. */
export const DATABASES = ['embedded', 'postgres'] as const
export type DatabaseKind = (typeof DATABASES)[number]

/** A database of its own for the tests of a file, in memory or of a server that this starts. */
export interface TestDatabases {
  /** Where a new, empty database is. The embedded one is always the same, in memory. */
  location(): Promise<DatabaseLocation>
  stop(): Promise<void>
}

/** Start what a kind of database needs. */
export async function startDatabases(kind: DatabaseKind): Promise<TestDatabases> {
  if (kind === 'embedded') return { location: async () => ({ kind: 'memory' }), stop: async () => {} }
  const server = await startPostgres()
  return {
    location: async () => ({ kind: 'server', url: await newDatabase(server) }),
    stop: () => server.stop(),
  }
}

async function newDatabase({ client }: Postgres): Promise<string> {
  const name = `platform_${randomUUID().replaceAll('-', '')}`
  await client.query(`create database ${name}`)
  return `postgres://postgres@${client.host}:${client.port}/${name}`
}

/**
 * One migrated database for the tests around the call. Tests keep apart by organizations of their own; one that needs empty
 * tables opens a database by itself.
 */
export function useDatabase(kind: DatabaseKind): () => Database {
  let databases: TestDatabases
  let database: Database
  beforeAll(async () => {
    databases = await startDatabases(kind)
    database = await openDatabase(await databases.location(), memoryLog().log)
  })
  afterAll(async () => {
    await database.close()
    await databases.stop()
  })
  return () => database
}
