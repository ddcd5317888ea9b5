import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { request as requestHttp } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { branchesOf } from '../authoring/documents.ts'
import { codesIn } from '../answer.ts'
import { type Held, longestHeld } from '../loop-delay/loop.ts'
import { prepared } from '../platform-place.ts'
import { type Running, startPlatformProbed } from '../servers.ts'
import type { PlatformRequest } from './row.ts'

/** Milliseconds after which a request is given up, for which an unfinished body is held, and that a platform has to stop. */
const [MAX_WAIT, UNFINISHED_WAIT, STOP_WAIT] = [15_000, 500, 10_000] as const

/** The data of a platform, with an organization, a project and one thing of each kind. */
export interface Prepared {
  readonly directory: string
  readonly cookie: string
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
  /** Of its routes. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a document of OpenAPI
  readonly description: any
  /** Ends it at once: what still computes would not end by itself. */
  kill(): Promise<void>
}

/** Make the data of the platforms under attack, with the embedded database. */
export async function prepareTarget(): Promise<Prepared> {
  const directory = mkdtempSync(join(tmpdir(), 'hostile-platform-'))
  const platform = await startPlatformProbed(directory, join(directory, 'probe.json'))
  try {
    const { org, project, cookie, ask } = await prepared(platform, directory)
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
    const known = { ...places, contract: 'small', env: 'dev', environment: 'dev', seq: '1' }
    return { directory, cookie: cookie(), known }
  } finally {
    await Promise.race([platform.stop(), sleep(STOP_WAIT)])
    await killed(platform)
  }
}

/** Start a platform with prepared data. */
export async function startTarget({ directory, cookie, known }: Prepared): Promise<Target> {
  const file = join(directory, 'probe.json')
  const platform = await startPlatformProbed(directory, file)
  const own = { origin: platform.url.replace('127.0.0.1', 'localhost'), cookie }
  const filledIn = (text: string) =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? crypto.randomUUID())
  return {
    platform,
    send: (sent) => answerOf(`${platform.url}${filledIn(sent.path)}`, sent, own),
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
  { method, body, type = 'application/json', headers = {}, isUnfinished }: PlatformRequest,
  own: Readonly<Record<string, string>>,
): Promise<string> {
  return new Promise((resolve) => {
    const bytes = body === undefined ? undefined : Buffer.from(body)
    const length = bytes && { 'content-type': type, 'content-length': bytes.length + Number(isUnfinished ?? false) }
    const sent = requestHttp(url, { method, headers: { ...own, ...length, ...headers }, agent: false }, (response) => {
      let text = ''
      response.setEncoding('latin1')
      response.on('data', (chunk: string) => (text = text.length < 2000 ? text + chunk : text))
      response.on('end', () => resolve(`${response.statusCode ?? 0} ${codesIn(text)}`.trim()))
      response.on('error', () => resolve(`${response.statusCode ?? 0}, cut`))
    })
    const late = setTimeout(() => sent.destroy(new Error(`none within ${MAX_WAIT / 1000} s`)), MAX_WAIT)
    sent.on('close', () => clearTimeout(late))
    sent.on('error', (error) => resolve(error.message))
    if (isUnfinished !== true) return sent.end(bytes)
    sent.write(bytes)
    return setTimeout(() => sent.destroy(new Error('unfinished')), UNFINISHED_WAIT)
  })
}
