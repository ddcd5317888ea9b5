import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort, POSTGRES_USER, postgresBinaries } from '../../tests/postgres.testing.ts'
import { Program } from './program.ts'

const ROOT = join(import.meta.dirname, '../..')
const PLATFORM_PROGRAM = join(ROOT, 'apps/platform-server/bin/engine-platform.js')
const ENGINE_PROGRAM = join(ROOT, 'apps/engine-server/bin/engine-server.js')
/** Bytes of the file systems of the embedded database and of each engine, which rounds fill. */
const PLATFORM_DISK = '320m'
const ENGINE_DISK = '16m'
const REQUEST_LIMIT_MS = 40_000
/** For how long a caller waits for a decision. */
const DECISION_LIMIT_MS = 3000
const SETTLE_LIMIT_MS = 120_000
const ENGINE_NAMES = ['first', 'second'] as const
/** Actions of the key that saves, publishes and reads. */
const AUTHOR_SCOPES = ['project.read', 'ruleset.edit', 'ruleset.publish', 'server.manage', 'environment.manage']

export const RULESETS = ['credit', 'discount', 'fraud'] as const

/** An answer; status 0 where there is none. */
export interface Answer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are read member by member
  readonly body: any
}

export interface EngineProcess {
  readonly name: string
  readonly url: string
  readonly folder: string
  readonly program: Program
}

/** Which database the platform has: a PostgreSQL server of its own, or the embedded one on a small file system. */
export type DatabaseKind = 'server' | 'embedded'

/** A platform with two engines that decide by the content published to one environment. */
export class World {
  readonly kind: DatabaseKind
  readonly folder: string
  readonly platform: Program
  readonly database: Program | undefined
  readonly engines: readonly EngineProcess[]
  readonly platformUrl: string
  readonly #ports: Readonly<Record<'platform' | 'database', number>>
  #databaseName = 'engine'
  #connectToken = ''
  #project = ''
  #authorKey = ''
  #callerKey = ''

  private constructor(kind: DatabaseKind, folder: string, ports: readonly [number, number, number, number]) {
    const [platform, database, ...engines] = ports
    this.kind = kind
    this.folder = folder
    this.#ports = { platform, database }
    this.platformUrl = `http://127.0.0.1:${platform}`
    this.database = kind === 'server' ? this.#databaseProgram() : undefined
    this.platform = this.#platformProgram()
    this.engines = ENGINE_NAMES.map((name, index) => this.#engineProcess(name, engines[index] ?? 0))
  }

  static async start(kind: DatabaseKind): Promise<World> {
    const folder = mkdtempSync(join(tmpdir(), 'engine-disasters-'))
    const world = new World(kind, folder, [await freePort(), await freePort(), await freePort(), await freePort()])
    try {
      await world.#prepare()
    } catch (error) {
      await world.stop()
      throw error
    }
    return world
  }

  async stop(): Promise<void> {
    for (const { program } of this.engines) await program.kill()
    await this.platform.kill()
    await this.database?.kill()
    for (const folder of [this.#platformFolder, ...this.engines.map((engine) => engine.folder)]) unmount(folder)
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** By the key of the author. */
  ask(method: string, path: string, body?: object): Promise<Answer> {
    return request(method, `${this.platformUrl}/api/v1${path}`, { body, key: this.#authorKey })
  }

  ruleset(name: string): string {
    return `/projects/${this.#project}/rulesets/${name}`
  }

  decideByProxy(ruleset: string): Promise<Answer> {
    const path = `/api/v1/engine/${this.#project}/execute/${ruleset}`
    return request('POST', this.platformUrl + path, {
      body: { input: {} },
      key: this.#callerKey,
      headers: { 'x-environment': 'dev' },
      limitMs: DECISION_LIMIT_MS,
    })
  }

  decideDirectly(engine: EngineProcess, ruleset: string): Promise<Answer> {
    return request('POST', `${engine.url}/api/v1/execute/${ruleset}`, {
      body: { input: {} },
      limitMs: DECISION_LIMIT_MS,
    })
  }

  async backUp(file: string): Promise<void> {
    await runPlatformCommand(['backup', file, ...this.#databaseOptions()])
  }

  /** Into a new database, by which the platform is started again. */
  async restore(file: string): Promise<void> {
    await this.platform.stop()
    this.#databaseName = `restored_${Date.now()}`
    await this.#createDatabase()
    await runPlatformCommand(['restore', file, ...this.#databaseOptions()])
    await this.platform.start()
  }

  get #secretKeyFile(): string {
    return join(this.folder, 'secret.key')
  }

  get #platformFolder(): string {
    return join(this.folder, 'platform')
  }

  #databaseOptions(): readonly string[] {
    const data = `--data-dir=${this.#platformFolder}`
    if (this.kind === 'embedded') return [data]
    return [`--database-url=postgres://postgres@127.0.0.1:${this.#ports.database}/${this.#databaseName}`, data]
  }

  #databaseProgram(): Program {
    const data = join(this.folder, 'postgres')
    const { database: port } = this.#ports
    const bin = postgresBinaries(this.folder)
    return new Program({
      name: 'PostgreSQL',
      command: () => [join(bin, 'postgres'), '-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', this.folder],
      isReady: () => canConnect(port),
      user: POSTGRES_USER,
    })
  }

  #platformProgram(): Program {
    return new Program({
      name: 'the platform',
      command: () => [
        process.execPath,
        PLATFORM_PROGRAM,
        `--http-addr=127.0.0.1:${this.#ports.platform}`,
        '--rate-limit=0',
        ...(this.kind === 'server' ? [`--secret-key-file=${this.#secretKeyFile}`] : []),
        ...this.#databaseOptions(),
      ],
      isReady: async () => (await request('GET', `${this.platformUrl}/healthz/ready`)).status === 200,
    })
  }

  #engineProcess(name: string, port: number): EngineProcess {
    const folder = join(this.folder, name)
    const url = `http://127.0.0.1:${port}`
    const program = new Program({
      name: `the ${name} engine`,
      command: () => [
        process.execPath,
        ENGINE_PROGRAM,
        `--http-addr=127.0.0.1:${port}`,
        '--disable-grpc',
        `--rules-dir=${folder}`,
        `--platform-url=${this.platformUrl}`,
        `--platform-connect-token=${this.#connectToken}`,
        `--platform-server-name=${name}`,
      ],
      isReady: async () => (await request('GET', `${url}/healthz/ready`)).status === 200,
    })
    return { name, url, folder, program }
  }

  async #prepare(): Promise<void> {
    if (this.kind === 'embedded') {
      mount(this.#platformFolder, PLATFORM_DISK)
      for (const { folder } of this.engines) mount(folder, ENGINE_DISK)
    }
    if (this.database !== undefined) {
      writeFileSync(this.#secretKeyFile, randomBytes(32).toString('base64'), { mode: 0o600 })
      createCluster(this.folder)
      await this.database.start()
      await this.#createDatabase()
    }
    await this.platform.start()
    await this.#signIn()
    for (const { program } of this.engines) await program.start()
    await this.#bindEngines()
  }

  async #createDatabase(): Promise<void> {
    const client = new pg.Client({ host: '127.0.0.1', port: this.#ports.database, user: 'postgres' })
    await client.connect()
    await client.query(`create database ${this.#databaseName} encoding 'UTF8' locale 'C' template template0`)
    await client.end()
  }

  async #signIn(): Promise<void> {
    const file = join(this.#platformFolder, 'first-sign-in.url')
    await until(() => Promise.resolve(existsSync(file)), 'the first sign-in link')
    const link = readFileSync(file, 'utf8')
    const origin = new URL(link).origin
    let cookie = ''
    const ask = async (path: string, body: object) => {
      const response = await fetch(`${this.platformUrl}/api/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin, cookie },
        body: JSON.stringify(body),
      })
      cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
      const text = await response.text()
      if (!response.ok) throw new Error(`POST ${path}: ${text}`)
      return text === '' ? {} : JSON.parse(text)
    }
    await ask('/auth/token', { token: link.split('#token=')[1]?.trim(), password: 'a long phrase' })
    const { id: org } = await ask('/orgs', { name: 'Disasters' })
    this.#project = (await ask(`/orgs/${org}/projects`, { name: 'Shop' })).id
    this.#authorKey = (await ask(`/orgs/${org}/api-keys`, { name: 'author', scopes: AUTHOR_SCOPES })).token
    this.#callerKey = (await ask(`/orgs/${org}/api-keys`, { name: 'caller', scopes: ['decision.execute'] })).token
    this.#connectToken = (await ask(`/orgs/${org}/connect-tokens`, {})).token
  }

  async #bindEngines(): Promise<void> {
    let servers: readonly { readonly id: string; readonly name: string }[] = []
    await until(async () => {
      servers = (await this.ask('GET', '/servers')).body.items
      return servers.length === ENGINE_NAMES.length
    }, 'both engines in the directory')
    const ids = ENGINE_NAMES.map((name) => servers.find((server) => server.name === name)?.id)
    const bound = await this.ask('PUT', `/projects/${this.#project}/server`, { environment: 'dev', server_ids: ids })
    if (bound.status !== 200) throw new Error(`the engines were not bound: ${JSON.stringify(bound.body)}`)
  }
}

/** Poll until it holds. Throws the awaited condition after two minutes. */
export async function until(holds: () => Promise<boolean>, awaited: string): Promise<void> {
  const deadline = performance.now() + SETTLE_LIMIT_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${awaited}: not there after ${SETTLE_LIMIT_MS / 1000} s`)
    await wait(50)
  }
}

interface RequestSettings {
  readonly body?: object | undefined
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly limitMs?: number
}

async function request(
  method: string,
  url: string,
  { body, key, headers, limitMs = REQUEST_LIMIT_MS }: RequestSettings = {},
): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(limitMs),
    })
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text }
  } catch (error) {
    return { status: 0, body: String(error) }
  }
}

async function runPlatformCommand(args: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [PLATFORM_PROGRAM, ...args])
}

async function canConnect(port: number): Promise<boolean> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', connectionTimeoutMillis: 2000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}

function createCluster(folder: string): void {
  const data = join(folder, 'postgres')
  const { uid, gid } = POSTGRES_USER
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  const args = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8']
  execFileSync(join(postgresBinaries(folder), 'initdb'), args, { ...POSTGRES_USER, cwd: folder, stdio: 'ignore' })
}

function mount(folder: string, size: string): void {
  mkdirSync(folder)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', folder])
}

function unmount(folder: string): void {
  try {
    execFileSync('umount', [folder], { stdio: 'ignore' })
  } catch {
    // It was not a separate file system.
  }
}
