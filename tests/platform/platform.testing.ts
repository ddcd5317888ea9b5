import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { hashPassword } from '../../apps/platform-server/src/access/passwords.ts'
import { composeOn } from '../../apps/platform-server/src/compose/platform.ts'
import { readConfiguration } from '../../apps/platform-server/src/config/config.ts'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import { createAccount } from '../../apps/platform-server/src/features/identity/accounts.ts'
import { administratorToken } from '../../apps/platform-server/src/features/identity/first-start.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { ShutdownList } from '../../packages/process/src/shutdown-list.ts'

/** The parts of an answer that tests read. */
export interface Answered {
  readonly status: number
  /** JSON; undefined: the answer has no body. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a body is looked at member by member
  readonly body: any
  readonly text: string
  readonly headers: Headers
}

/** A client: a browser with cookies and an origin, or a program with a key. */
export interface Client {
  request(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answered>
  readonly cookies: Map<string, string>
}

/** A platform that listens, on a database that the test has opened. */
export interface TestPlatform {
  readonly url: string
  /** The address that a browser must use: requests of pages of another origin are refused. */
  readonly publicUrl: string
  readonly dataDir: string
  readonly firstLink: string | undefined
  readonly lines: ReturnType<typeof memoryLog>['lines']
  /** A client without cookies at first; it returns those that it receives. */
  browser(headers?: Readonly<Record<string, string>>): Client
  /** A program, with a key or without; it sends no origin. */
  program(key: string | undefined, headers?: Readonly<Record<string, string>>): Client
  /** A person with a separate account. */
  person(email?: string): Promise<Client & { readonly email: string; readonly userId: string }>
  stop(): Promise<void>
}

/** The password of everyone. */
export const PASSWORD = 'a long phrase'

/** The hash of that password: computing it for each person would cost more than the rest of the account. */
let passwordHash: Promise<string> | undefined

/** The key of every platform, so that several on one database can open what one of them has sealed. */
export const SECRET_KEY = Buffer.alloc(32, 7)

/** Start a platform at a free port. */
export async function startPlatform(database: Database, args: readonly string[] = []): Promise<TestPlatform> {
  const dataDir = mkdtempSync(join(tmpdir(), 'platform-'))
  writeFileSync(join(dataDir, 'secret.key'), SECRET_KEY.toString('base64'), { mode: 0o600 })
  const all = ['--http-addr', '127.0.0.1:0', '--data-dir', dataDir, ...args]
  const read = readConfiguration(all, {})
  if (read.kind === 'end') throw new Error(read.output)
  const { log, lines } = memoryLog()
  const shutdown = new ShutdownList()
  const service = await composeOn(
    database,
    { configuration: read.configuration, instanceId: randomUUID(), log },
    undefined,
    shutdown,
  )
  const { url, publicUrl, firstLink } = await service.listen()
  const origin = new URL(publicUrl).origin
  const browser = (headers: Readonly<Record<string, string>> = {}) => clientOf(url, { origin, ...headers })
  return {
    url,
    publicUrl: publicUrl.replace(/\/$/, ''),
    dataDir,
    firstLink,
    lines,
    browser,
    program: (key, headers = {}) =>
      clientOf(url, key === undefined ? headers : { authorization: `Bearer ${key}`, ...headers }),
    async person(email = `${randomUUID()}@example.com`) {
      const client = browser()
      passwordHash ??= hashPassword(PASSWORD)
      const account = await createAccount(database.unscoped.tables, email, 'Administrator', await passwordHash)
      const token = await administratorToken(database, email)
      const password = account === undefined ? PASSWORD : undefined
      const { body } = await client.request('POST', '/api/v1/auth/token', { token, password })
      return { ...client, email, userId: body.user.id }
    },
    async stop() {
      for (const { run } of service.shutdown) await run(10_000)
    },
  }
}

function clientOf(url: string, own: Readonly<Record<string, string>>): Client {
  const cookies = new Map<string, string>()
  return {
    cookies,
    async request(method, path, body, headers = {}) {
      const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(url + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(cookie === '' ? {} : { cookie }),
          ...own,
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body) }),
      })
      for (const line of response.headers.getSetCookie()) {
        const [pair = ''] = line.split(';', 1)
        const [name = '', ...value] = pair.split('=')
        if (value.join('=') === '') cookies.delete(name)
        else cookies.set(name, value.join('='))
      }
      const type = response.headers.get('content-type') ?? ''
      const text = type.startsWith('text/event-stream') ? await beginningOf(response) : await response.text()
      const isJson = text !== '' && type.startsWith('application/json')
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
    },
  }
}

/** The first piece of an answer that stays open; it is left then. */
async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  const piece = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(piece?.value)
}
