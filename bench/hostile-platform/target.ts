import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as requestHttp } from 'node:http'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '../../tests/postgres.testing.ts'
import { branchesOf } from '../authoring/documents.ts'
import { codesIn } from '../answer.ts'
import { type Held, longestHeld } from '../loop-delay/loop.ts'
import { type Place, prepared } from '../platform-place.ts'
import { type Running, startPlatformProbed } from '../servers.ts'
import { DECIDED, startHostileEngine } from './hostile-engine.ts'
import type { PlatformRequest } from './row.ts'

/** Milliseconds after which a request is given up, for which an unfinished body is held, and that a platform has to stop. */
const [MAX_WAIT, UNFINISHED_WAIT, STOP_WAIT] = [15_000, 500, 10_000] as const

/** Start of the result of a request without a response. */
export const UNANSWERED = 'none within'

export type DatabaseKind = 'embedded' | 'postgres'

type Credentials = Readonly<Record<string, string>>

/** The data of a platform, with an organization, a project, one thing of each kind, and a hostile engine. */
export interface Prepared {
  readonly directory: string
  /** Database options of the platform. */
  readonly options: readonly string[]
  /** Headers. */
  readonly credentials: Readonly<Record<NonNullable<PlatformRequest['by']>, Credentials>>
  /** By the names of the parameters of paths. */
  readonly known: Readonly<Record<string, string>>
}

/** A running platform under attack. */
export interface Target {
  readonly platform: Running
  /** Sends a request and reads its answer to its end. Status and codes. */
  send(request: PlatformRequest): Promise<string>
  /** Undefined: the platform has ended, or does not answer within the wait for a request. */
  longest(): Promise<Held | undefined>
  /** Description of its routes. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a document of OpenAPI
  readonly description: any
  /** Kills it: pending computations would not end by themselves. */
  kill(): Promise<void>
}

/** Cleanup steps, run in reverse order. */
export type Undo = (step: () => unknown) => void

/** Make the data of the platforms under attack. */
export async function prepareTarget(kind: DatabaseKind, undo: Undo): Promise<Prepared> {
  const directory = mkdtempSync(join(tmpdir(), 'hostile-platform-'))
  undo(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  const options = kind === 'embedded' ? [] : await postgresOptions(directory, undo)
  const engine = await startHostileEngine()
  undo(engine.close)
  const starting = startPlatformProbed(directory, join(directory, 'probe.json'), ...options)
  undo(async () => killed(await starting))
  const platform = await starting
  try {
    const place = await prepared(platform, directory)
    const known = await makeThings(place)
    const { token: key } = await place.ask('POST', `/orgs/${place.org}/api-keys`, {
      name: 'program',
      scopes: ['decision.execute', 'project.read', 'ruleset.edit', 'test.run'],
    })
    const serverToken = await bindEngine(place, engine.url)
    const session = { cookie: place.cookie() }
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    return {
      directory,
      options,
      credentials: { session, key: bearer(key), engine: bearer(serverToken), nobody: {} },
      known,
    }
  } finally {
    await Promise.race([platform.stop(), sleep(STOP_WAIT)])
    await killed(platform)
  }
}

async function postgresOptions(directory: string, undo: Undo): Promise<readonly string[]> {
  const database = await startPostgres()
  undo(() => database.stop())
  const { host, port } = database.client
  const key = join(directory, 'secret.key')
  writeFileSync(key, randomBytes(32).toString('base64'))
  return ['--database-url', `postgres://postgres@${host}:${port}/postgres`, '--secret-key-file', key]
}

/** One of each that paths name, by the names of their parameters. */
async function makeThings({ org, project, ask }: Place): Promise<Prepared['known']> {
  const path = `/orgs/${org}/projects/${project}`
  const save = (name: string, bytes: number, first: number, expected_seq: number) =>
    ask('POST', `${path}/rulesets/${name}`, { ruleset: branchesOf(bytes, name, first), expected_seq })
  await save('few', 2000, 0, 0)
  await save('wide', 9_400_000, 0, 0)
  await save('wide', 9_400_000, 1_000_000, 1)
  for (let index = 0; index < 3; index++) await save(`large-${index}`, 9_400_000, 0, 0)
  await ask('POST', `${path}/facts`, { name: 'amount', type: 'number' })
  await ask('POST', `${path}/contracts`, { name: 'small', version: '1.0.0', input: { fields: [] }, outputs: [] })
  const { id: rid } = await ask('POST', `${path}/releases`, {
    title: 'first',
    rulesets: [{ name: 'few', from_seq: 1 }],
    environments: ['dev'],
  })
  const places = { oid: org, id: org, pid: project, project_id: project, rid, name: 'few', fact: 'amount' }
  return { ...places, contract: 'small', env: 'dev', environment: 'dev', seq: '1' }
}

/** Register the hostile engine for the current environment, by all its names. Its token. */
async function bindEngine({ platform, org, project, ask }: Place, url: string): Promise<string> {
  const { token } = await ask('POST', `/orgs/${org}/connect-tokens`, {})
  const registered = await fetch(`${platform.url}/api/v1/internal/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-connect-token': token },
    body: JSON.stringify({ name: 'hostile', instance_id: 'h-1', url, version: '0.0.1' }),
  })
  const { server_id, server_token } = (await registered.json()) as { server_id: string; server_token: string }
  await ask('PUT', `/projects/${project}/server`, { environment: 'prod', server_ids: [server_id] })
  await ask('PUT', `/projects/${project}/environments/prod`, { allow_local_rulesets: true })
  await ask('POST', `/engine/${project}/execute/${DECIDED[0]}`, { input: {} })
  return server_token
}

/** Start a platform with prepared data. */
export async function startTarget({ directory, options, credentials, known }: Prepared): Promise<Target> {
  const file = join(directory, 'probe.json')
  const platform = await startPlatformProbed(directory, file, ...options)
  // Pages of the platform have its public address.
  const origin = platform.url.replace('127.0.0.1', 'localhost')
  const headers = { ...credentials, session: { ...credentials.session, origin } }
  const filledIn = (text: string, isDeleted = false) => {
    // Deleted resources must not be those that later rows need.
    const last = isDeleted ? text.lastIndexOf('{') : -1
    return text.replaceAll(/\{(\w+)\}/g, (_, name: string, at: number) =>
      at === last ? crypto.randomUUID() : (known[name] ?? crypto.randomUUID()),
    )
  }
  return {
    platform,
    send(sent) {
      const body = typeof sent.body === 'string' ? sent.body.replace('{pid}', known['pid'] ?? '') : sent.body
      const url = `${platform.url}${filledIn(sent.path, sent.method === 'DELETE')}`
      return answerOf(url, body, sent, headers[sent.by ?? 'session'])
    },
    longest: () => Promise.race([longestHeld(platform, file), sleep(MAX_WAIT, undefined, { ref: false })]),
    description: await (await fetch(`${platform.url}/api/v1/openapi.json`)).json(),
    kill: () => killed(platform),
  }
}

async function killed({ process: { exitCode, signalCode }, process: child }: Running): Promise<void> {
  if (exitCode !== null || signalCode !== null) return
  const closed = once(child, 'exit')
  child.kill('SIGKILL')
  await closed
}

function answerOf(
  url: string,
  body: string | Uint8Array | undefined,
  { method, type = 'application/json', headers = {}, isUnfinished, cutAfter }: PlatformRequest,
  own: Credentials,
): Promise<string> {
  return new Promise((resolve) => {
    const bytes = body === undefined ? undefined : Buffer.from(body)
    const length = bytes && { 'content-type': type, 'content-length': bytes.length + Number(isUnfinished ?? false) }
    const sent = requestHttp(url, { method, headers: { ...own, ...length, ...headers }, agent: false }, (response) => {
      const status = response.statusCode ?? 0
      let text = ''
      response.setEncoding('latin1')
      response.on('data', (chunk: string) => (text = text.length < 2000 ? text + chunk : text))
      response.on('end', () => resolve(`${status} ${codesIn(text)}`.trim()))
      response.on('error', () => resolve(`${status}, cut`))
    })
    const late = setTimeout(() => sent.destroy(new Error(`${UNANSWERED} ${MAX_WAIT / 1000} s`)), MAX_WAIT)
    const cut = cutAfter && setTimeout(() => sent.destroy(new Error('cut before the answer')), cutAfter)
    sent.on('close', () => {
      clearTimeout(late)
      clearTimeout(cut)
    })
    sent.on('error', (error) => resolve(error.message))
    if (isUnfinished !== true) return sent.end(bytes)
    sent.write(bytes)
    return setTimeout(() => sent.destroy(new Error('unfinished')), UNFINISHED_WAIT)
  })
}
