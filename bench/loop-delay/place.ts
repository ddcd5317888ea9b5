import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Held, longestHeld } from './loop.ts'
import { prepared } from '../platform-place.ts'
import type { Running } from '../servers.ts'

/** Written to `clear_refs` of a process (proc(5)), it resets the peak memory size. */
const RESET_PEAK = '5'

/** An answer, of which most requests need the status alone. */
export interface Answered {
  readonly status: number
  readonly text: string
}

/** A platform with an organization, whose event loop is looked at. */
export interface ProbedPlace {
  /** Id of the organization. */
  readonly org: string
  /** Sends as its owner. @param type of the body; without one, of the answer */
  send(method: string, path: string, body?: string | Uint8Array<ArrayBuffer>, type?: string): Promise<Answered>
  /** Sends as an engine. */
  engine(path: string, headers: Readonly<Record<string, string>>, body: string): Promise<Answered>
  /** Sends as a program whose key may do everything that keys may. */
  call(path: string, body: string): Promise<Answered>
  /** The longest times for which the event loop was held since the call before. */
  longest(): Promise<Held>
  /** Memory growth of the platform since the previous call, in megabytes. */
  growth(): number
}

/** @param probe file that the probe of the platform writes */
export async function probedPlace(platform: Running, directory: string, probe: string): Promise<ProbedPlace> {
  const { org, ask, cookie } = await prepared(platform, directory)
  const scopes = ['project.read', 'ruleset.edit', 'test.run']
  const { token } = await ask('POST', `/orgs/${org}/api-keys`, { name: 'assistant', scopes })
  const origin = new URL(readFileSync(join(directory, 'first-sign-in.url'), 'utf8')).origin
  const sent = async (path: string, init: RequestInit) => {
    const response = await fetch(platform.url + path, init)
    return { status: response.status, text: await response.text() }
  }
  let before = 0
  return {
    org: `/api/v1/orgs/${org}`,
    send: (method, path, body, type = 'application/json') =>
      sent(path, {
        method,
        headers: {
          'content-type': type,
          accept: body === undefined ? type : 'application/json',
          origin,
          cookie: cookie(),
        },
        ...(body !== undefined && { body }),
      }),
    call: (path, body) =>
      sent(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body,
      }),
    engine: (path, headers, body) =>
      sent(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }),
    growth() {
      const own = `/proc/${platform.process.pid}`
      const status = readFileSync(`${own}/status`, 'utf8')
      const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024
      const grown = megabytes('VmHWM') - before
      writeFileSync(`${own}/clear_refs`, RESET_PEAK)
      before = megabytes('VmRSS')
      return grown
    },
    longest: () => longestHeld(platform, probe),
  }
}
