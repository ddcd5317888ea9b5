import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { spawned } from '../../engine-server.testing.ts'
import { ROOT } from '../command.ts'
import { CACHE } from '../tools.ts'

/** A platform with the demonstration: a project, an engine that serves it, a release that waits. */
export interface FilledPlatform {
  readonly url: string
  /** An API key of the administrator that may do everything in the organization. */
  readonly key: string
  /** An empty folder for files of the check, removed afterwards. */
  readonly folder: string
  /** The lines of the log of both programs until now. */
  log(): readonly string[]
}

/** Milliseconds between looks at whether the demonstration has its release. */
const POLL_INTERVAL_MS = 500
/** Looks until the demonstration must be there. */
const MAX_LOOKS = 240

/** Runs something with a platform and an engine on free ports of loopback, and stops them. */
export async function withFilledPlatform<T>(use: (platform: FilledPlatform) => Promise<T>): Promise<T> {
  const folder = join(CACHE, 'runs', `filled-platform-${process.pid}`)
  const dataDir = join(folder, 'data')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(dataDir, { recursive: true })
  const engine = ['--http-addr', '127.0.0.1:0', '--grpc-addr', '127.0.0.1:0']
  const options = ['--data-dir', dataDir, '--platform-port', '0', '--no-traffic']
  const both = spawned(join(ROOT, 'node_modules/.bin/engine-start'), [...options, ...engine])
  try {
    const [, url = ''] = await both.says(/^Platform {2}(\S+),/m)
    const [, token = ''] = /^Sign in once: .*#token=(\S+)/m.exec(both.stderr()) ?? []
    const text = readFileSync(join(dataDir, 'platform/demo.json'), 'utf8')
    const { project_id: project, admin_key: admin } = JSON.parse(text) as { project_id: string; admin_key: string }
    await hasReleases(url, project, admin)
    return await use({ url, key: await administratorKey(url, token), folder, log: () => both.stdout().split('\n') })
  } finally {
    both.process.kill('SIGTERM')
    await both.ended
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Resolves when the demonstration has both releases that it makes without traffic. The second is its last change but for a comment. */
async function hasReleases(url: string, project: string, key: string): Promise<void> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const releases = await itemsAt(`${url}/api/v1/projects/${project}/releases`, key)
    if (releases.length > 1) return
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS))
  }
  throw new Error('the demonstration did not make its releases')
}

/** Signs the administrator in by the link of the first start, and makes a key with all scopes. */
async function administratorKey(url: string, token: string): Promise<string> {
  const headers = { 'content-type': 'application/json', origin: url }
  const signIn = { token, password: 'a password of the tests' }
  const signedIn = await fetch(`${url}/api/v1/auth/token`, { method: 'POST', headers, body: JSON.stringify(signIn) })
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const { items } = await answer<{ items: readonly { id: string }[] }>(
    await fetch(`${url}/api/v1/orgs`, { headers: { cookie } }),
  )
  const keys = `${url}/api/v1/orgs/${items[0]?.id ?? ''}/api-keys`
  const body = JSON.stringify({ name: 'fuzzer', scopes: await allScopes(url) })
  const made = await fetch(keys, { method: 'POST', headers: { ...headers, cookie }, body })
  return (await answer<{ token: string }>(made)).token
}

/** The scopes in the description of keys. */
async function allScopes(url: string): Promise<readonly string[]> {
  const { components } = await answer<{ components: { schemas: { ApiKeyRequest: KeySchema } } }>(
    await fetch(`${url}/api/v1/openapi.json`),
  )
  return components.schemas.ApiKeyRequest.properties.scopes.items.enum
}

interface KeySchema {
  readonly properties: { readonly scopes: { readonly items: { readonly enum: readonly string[] } } }
}

/** The items of a list of the API; none where the request is refused or answers something else. */
export async function itemsAt(list: string, key: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const response = await fetch(list, { headers: { authorization: `Bearer ${key}` } })
  if (!response.ok) return []
  const text = await response.text()
  try {
    const { items } = JSON.parse(text) as { items?: unknown }
    return Array.isArray(items) ? items : []
  } catch {
    return []
  }
}

async function answer<T>(response: Response): Promise<T> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text}`)
  return JSON.parse(text) as T
}
