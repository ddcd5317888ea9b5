import { canonicalJson } from '@engine/signing'
import { createHash, randomUUID } from 'node:crypto'
import { expect, vi } from 'vitest'
import { SYSTEM } from '../../apps/platform-server/src/database/audit.ts'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { refreshServers } from '../../apps/platform-server/src/features/engines/desired-state.ts'
import { startServer, type TestServer } from '../http/server.testing.ts'
import type { Answered, Client, TestPlatform } from './platform.testing.ts'
import { made } from './team.testing.ts'

const A = '/api/v1'

/** A person with an organization and a project in it. */
export interface Team {
  readonly owner: Client
  readonly org: string
  readonly project: string
  /** Paths. */
  readonly O: string
  readonly P: string
  connectToken(): Promise<string>
}

export async function startTeam(platform: TestPlatform): Promise<Team> {
  const owner = await platform.person()
  const org = (await owner.request('POST', `${A}/orgs`, { name: 'Acme' })).body.id as string
  const O = `${A}/orgs/${org}`
  const project = (await owner.request('POST', `${O}/projects`, { name: 'Shop' })).body.id as string
  return {
    owner,
    org,
    project,
    O,
    P: `${O}/projects/${project}`,
    connectToken: async () => (await owner.request('POST', `${O}/connect-tokens`, { label: 'test' })).body.token,
  }
}

/** A program that may decide, and nothing else. */
export async function decidingProgram(platform: TestPlatform, { owner, O }: Team): Promise<Client> {
  const key = { name: 'caller', scopes: ['decision.execute'] }
  return platform.program((await made(owner.request('POST', `${O}/api-keys`, key))).token)
}

/** A real engine that has registered. */
export async function startLinked(
  { url }: Pick<TestPlatform, 'url'>,
  connectToken: string,
  ...options: readonly string[]
): Promise<{ readonly id: string; readonly engine: TestServer }> {
  const link = ['--platform-url', url, '--platform-connect-token', connectToken]
  const engine = await startServer(...link, '--platform-server-name', randomUUID(), ...options)
  const health = async () => (await engine.request('GET', '/health')).body.platform
  // Polls of `expect` are for tests alone, and this is for what goes before them too.
  await vi.waitFor(async () => expect((await health()).registered).toBe(true), { timeout: 120_000, interval: 20 })
  return { id: (await health()).server_id, engine }
}

/** An engine as far as its requests go. */
export interface Engine {
  readonly id: string
  readonly token: string
  readonly proxyToken: string
  beat(more?: object, headers?: Readonly<Record<string, string>>): Promise<Answered>
}

/** The report of an engine about itself. */
export const engineNamed = (name: string, more: object = {}) => ({
  name,
  instance_id: `${name}-1`,
  url: 'http://127.0.0.1:1',
  version: '1.0.0',
  capabilities: ['network.http'],
  tenants: false,
  ...more,
})

/** Register an engine that tests play. */
export async function addEngine(platform: TestPlatform, connectToken: string, body: object): Promise<Engine> {
  const { body: answer } = await asEngine(platform, 'POST', '/internal/register', body, {
    'x-connect-token': connectToken,
  })
  return {
    id: answer.server_id,
    token: answer.server_token,
    proxyToken: answer.proxy_token,
    beat: (more = {}, headers = {}) =>
      asEngine(platform, 'POST', '/internal/heartbeat', heartbeat(more), {
        authorization: `Bearer ${answer.server_token}`,
        ...headers,
      }),
  }
}

export const heartbeat = (more: object = {}) => ({
  session: 's-1',
  health: { status: 'healthy', checks: {}, uptime_seconds: 1 },
  version: '1.0.0',
  capabilities: ['network.http'],
  applied_revision: 0,
  digest: 'sha256:none',
  problems: [],
  stats: [],
  wait_ms: 0,
  ...more,
})

/** A request of a program: it has neither cookies nor an origin. */
export async function asEngine(
  { url }: Pick<TestPlatform, 'url'>,
  method: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Answered> {
  const response = await fetch(`${url}${A}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== ''
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
}

/** A ruleset of the engine's format. */
export type Document = { readonly config: { readonly name: string; readonly version: string } }

export const digestOf = (document: Document): string =>
  createHash('sha256').update(canonicalJson(document)).digest('hex')

/** Set the desired rulesets of an environment like a release, replacing earlier ones. */
export async function want(
  database: Database,
  org: string,
  environment: string,
  documents: readonly Document[],
  releaseId: string | null = null,
): Promise<void> {
  const { tables } = database.unscoped
  for (const document of documents)
    await tables
      .insertInto('ruleset_contents')
      .values({ digest: digestOf(document), content: JSON.stringify(document) })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  await database.change(org as OrgId, SYSTEM, async (change) => {
    const { scope, audit, lock } = change
    await lock()
    await scope.delete('desired_rulesets').where('environment_id', '=', environment).execute()
    const rows = documents.map((document) => ({
      environment_id: environment,
      name: document.config.name,
      digest: digestOf(document),
      version: document.config.version,
      release_id: releaseId,
    }))
    if (rows.length > 0) await scope.insert('desired_rulesets', rows).execute()
    const bound = await scope
      .read('environment_servers')
      .selectFrom('environment_servers')
      .select('server_id')
      .where('environment_id', '=', environment)
      .execute()
    await refreshServers(
      change,
      bound.map(({ server_id: id }) => id),
    )
    await audit({ action: 'release.executed', object: { id: environment, name: 'test' } })
  })
}
