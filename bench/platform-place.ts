import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Running } from './servers.ts'

/** What requests to a platform need: an organization, a project and a key that may decide. */
export interface Place {
  readonly platform: Running
  readonly org: string
  readonly project: string
  readonly key: string
  /** The address of the pages, and the cookie of the session that they need. */
  readonly origin: string
  cookie(): string
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked at member by member
  ask(method: string, path: string, body?: object): Promise<any>
}

/** Use the first sign-in link of a platform whose data is in `directory`, and make a project. */
export async function prepared(platform: Running, directory: string): Promise<Place> {
  const link = readFileSync(join(directory, 'first-sign-in.url'), 'utf8')
  const origin = new URL(link).origin
  let cookie = ''
  const ask: Place['ask'] = async (method, path, body) => {
    const response = await fetch(`${platform.url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', origin, cookie },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    cookie =
      response.headers
        .getSetCookie()
        .find((line) => line.startsWith('session='))
        ?.split(';')[0] ?? cookie
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  const token = link.split('#token=')[1]?.trim()
  await ask('POST', '/auth/token', { token, password: 'a long phrase' })
  const { id: org } = await ask('POST', '/orgs', { name: 'Bench' })
  const { id: project } = await ask('POST', `/orgs/${org}/projects`, { name: 'Shop' })
  const made = await ask('POST', `/orgs/${org}/api-keys`, { name: 'bench', scopes: ['decision.execute'] })
  return { platform, org, project, key: made.token, origin, cookie: () => cookie, ask }
}
