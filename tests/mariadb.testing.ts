import { once } from 'node:events'
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, createConnection } from 'mysql2/promise'
import { systemProgram } from './programs.testing.ts'
import { spawnWatched } from './watched-process.testing.ts'

/** Not root: the server refuses to run as root. */
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {}

/** A separate MariaDB server, reached by a socket in its folder; `stop` removes it. */
export interface MariaDb {
  /** The database exists already. */
  connect(database: string): Promise<Connection>
  stop(): Promise<void>
}

let shared: Promise<MariaDb> | undefined

/** The server that all tests of this process share, each with a separate database. It ends with the process. */
export function sharedMariaDb(): Promise<MariaDb> {
  shared ??= startMariaDb()
  return shared
}

/** Start the `mariadbd` of `MARIADB_BIN`, else of the system, on an empty folder, without network and without accounts. */
async function startMariaDb(): Promise<MariaDb> {
  const program = process.env['MARIADB_BIN'] ?? systemProgram('mariadbd', 'mariadb-server-core')
  const folder = mkdtempSync(join(tmpdir(), 'mariadb-'))
  const data = join(folder, 'data')
  mkdirSync(data)
  if (isRoot) for (const path of [folder, data]) chownSync(path, NOBODY, NOBODY)
  const socketPath = join(folder, 's')
  const options = {
    datadir: data,
    tmpdir: folder,
    socket: socketPath,
    'pid-file': join(folder, 'pid'),
    'character-set-server': 'utf8mb4',
    'innodb-flush-log-at-trx-commit': '0',
    'innodb-buffer-pool-size': '16M',
  }
  const command = [
    program,
    '--no-defaults',
    '--skip-grant-tables',
    '--skip-networking',
    ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
  ]
  const server = spawnWatched({ folder, command, signal: 'KILL', stderr: 'pipe', user: identity })
  let log = ''
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-4000)
  })
  const connect = (database?: string) =>
    createConnection({
      socketPath,
      user: 'root',
      charset: 'utf8mb4',
      maxPreparedStatements: 20,
      ...(database === undefined ? {} : { database }),
    })
  const first = await connected(connect, () => (server.exitCode === null ? undefined : log))
  return {
    async connect(database) {
      await first.query(`create database \`${database}\` character set utf8mb4 collate utf8mb4_general_ci`)
      return await connect(database)
    },
    async stop() {
      await first.end()
      const ended = once(server, 'exit')
      server.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function connected(connect: () => Promise<Connection>, failure: () => string | undefined): Promise<Connection> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await connect()
    } catch (error) {
      const log = failure()
      if (log !== undefined) throw new Error(`MariaDB did not start:\n${log}`, { cause: error })
      if (attempt === 600) throw error
      await delay(50)
    }
  }
}
