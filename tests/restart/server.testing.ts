import { expect } from 'vitest'
import { start, type RunningServer } from '../engine-server.testing.ts'
import { compiled } from './compiled-rule.testing.ts'
import { canonical, type Exact, member, valueOf } from './exact-json.testing.ts'
import type { Write } from './random-writes.testing.ts'

/** A server on a directory, with tenants, few versions, and room for large bodies. */
export function serve(rules: string): Promise<RunningServer> {
  return start([
    '--rules-dir',
    rules,
    '--multi-tenancy-enabled',
    '--max-versions',
    '4',
    '--max-request-body-bytes',
    '20000000',
  ])
}

export interface Answer {
  readonly status: number
  readonly text: string
}

export async function ask(url: string, method: string, path: string, options: AskOptions = {}): Promise<Answer> {
  const { body, type = 'application/json', tenant } = options
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': type }),
      ...(tenant === undefined ? {} : { 'x-tenant-id': tenant }),
    },
    ...(body === undefined ? {} : { body: body as string }),
  })
  return { status: response.status, text: await response.text() }
}

interface AskOptions {
  readonly body?: string | Uint8Array
  readonly type?: string
  readonly tenant?: string
}

const rulesetPath = (name: string) => `/rulesets/${encodeURIComponent(plain(name))}`
const tenantPath = (id: string) => `/tenants/${encodeURIComponent(plain(id))}`

/** A name from JSON, as a text for a path. */
function plain(name: string): string {
  const value = valueOf(`"${name}"`)
  return typeof value === 'string' ? value.toWellFormed() : ''
}

/** Request a change. A rollback is to version `seq`. */
export function perform(url: string, write: Write, seq = 0): Promise<Answer> {
  switch (write.kind) {
    case 'put': {
      const { tenant, json } = write
      const packed = { body: compiled(json), type: 'application/octet-stream' }
      return ask(url, 'POST', '/rulesets', { tenant, ...(write.form === 'json' ? { body: json } : packed) })
    }
    case 'delete':
      return ask(url, 'DELETE', rulesetPath(write.name), { tenant: write.tenant })
    case 'rollback':
      return ask(url, 'POST', `${rulesetPath(write.name)}/rollback`, {
        tenant: write.tenant,
        body: `{"seq": ${seq}}`,
      })
    case 'create-tenant':
      return ask(url, 'POST', '/tenants', { body: write.json })
    case 'replace-tenant':
      return ask(url, 'PUT', tenantPath(write.id), { body: write.json })
    case 'delete-tenant':
      return ask(url, 'DELETE', tenantPath(write.id))
    case 'sample-rate':
      return ask(url, 'PUT', '/config/audit-sample-rate', { body: write.json })
  }
}

/** The text of a ruleset; undefined when there is none. */
export async function stored(url: string, tenant: string, name: string): Promise<string | undefined> {
  const { status, text } = await ask(url, 'GET', rulesetPath(name), { tenant })
  return status === 200 ? text : undefined
}

/** Everything that can be read of a server: the text of each answer, by its request. */
export async function observe(url: string): Promise<ReadonlyMap<string, string>> {
  const seen = new Map<string, string>()
  const look = async (path: string, options: AskOptions = {}, method = 'GET') => {
    const { status, text } = await ask(url, method, path, options)
    seen.set(`${options.tenant ?? ''} ${method} ${path}`, `${status} ${withoutTime(text)}`)
    return status === 200 ? text : '[]'
  }
  for (const id of namesIn(await look('/tenants'), 'id'))
    for (const name of namesIn(await look('/rulesets', { tenant: id }), 'name')) {
      await look(`/rulesets/${name}`, { tenant: id })
      await look(`/rulesets/${name}/versions`, { tenant: id })
      await look(`/execute/${name}`, { tenant: id, body: '{"input":{}}' }, 'POST')
    }
  return seen
}

const withoutTime = (text: string) => text.replace(/"duration_us":\d+/, '')

function namesIn(text: string, field: string): readonly string[] {
  const rows = valueOf(text)
  return Array.isArray(rows) ? rows.map((row) => textOf(member(row, field))) : []
}

const textOf = (value: Exact | undefined) => (typeof value === 'string' ? value : '')

/** Compares two observations; returns the difference, shortened. */
export function expectSame(
  what: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): void {
  const differing = [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => before.get(key) !== after.get(key),
  )
  expect(
    differing.map((key) => ({ key, before: before.get(key)?.slice(0, 500), after: after.get(key)?.slice(0, 500) })),
    what,
  ).toEqual([])
}

/** Whether a stored text is equal to the sent one. */
export function isSame(sent: string, text: string | undefined): boolean {
  return text !== undefined && canonical(sent) === canonical(text)
}
