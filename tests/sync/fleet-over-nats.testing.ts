import { connect } from '@nats-io/transport-node'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { killAll } from '../engine-server.testing.ts'
import { startServer, type TestServer } from '../http/server.testing.ts'
import { marked, member, type Member, type Peer, peerAt, temporaryFolder, until } from './fleet.testing.ts'
import { killAllNats, type Nats, startNats } from './nats.testing.ts'

let nats: Nats
const folders: { remove(): void }[] = []
const peers: TestServer[] = []

/** A broker for the tests of a file, empty for each of them. */
export function useNats(): () => Nats {
  beforeAll(async () => {
    nats = await startNats()
  })
  afterEach(async () => {
    await Promise.all(peers.splice(0).map((one) => one.stop()))
    await killAll()
    for (const made of folders.splice(0)) made.remove()
    await nats.wipe()
    await nats.start()
  })
  afterAll(killAllNats)
  return () => nats
}

/** A folder of the test. */
export function folder(): string {
  const made = temporaryFolder()
  folders.push(made)
  return made.path
}

/** A member that listens. */
export async function started(role: 'writer' | 'reader', id: string, args: readonly string[] = []): Promise<Member> {
  const one = await member(id, ['--role', role, '--broker-url', nats.url, ...args])
  await one.start()
  return one
}

/** One that listens in this process, for tests that do not kill it: for a twentieth of the processor time of a start. */
export async function startedHere(role: 'writer' | 'reader', id: string, args: readonly string[] = []): Promise<Peer> {
  const one = await startServer('--instance-id', id, '--role', role, '--broker-url', nats.url, ...args)
  peers.push(one)
  return peerAt(one.url)
}

/** Store a ruleset. */
export const put = async (writer: Peer, document: object) => {
  const answer = await writer.post('/api/v1/rulesets', document)
  expect([200, 201], await answer.clone().text()).toContain(answer.status)
}

export const remove = (writer: Peer, name: string) =>
  fetch(`${writer.url}/api/v1/rulesets/${name}`, { method: 'DELETE' })

/** The broker has every change of the writer, and every reader has the writer's content. */
export async function alike(writer: Peer, ...readers: readonly Peer[]): Promise<void> {
  await until('the readers are like the writer', async () => {
    const [own, ...others] = await Promise.all([writer, ...readers].map((one) => one.health()))
    return own?.sync.outbox === 0 && others.every((other) => other?.sync.digest === own.sync.digest)
  })
}

/** The mark that a member decides with, or the status of its refusal. */
export async function mark(one: Peer, name: string): Promise<unknown> {
  const answer = await one.post(`/api/v1/execute/${name}`, { input: {} })
  if (answer.status !== 200) return answer.status
  return ((await answer.json()) as { output: { mark: unknown } }).output.mark
}

/** A client of the broker of this file's tests. */
export const broker = () => connected(nats.url)

/** A client of a broker. */
export async function connected(url: string | string[]) {
  // One of several may stand still: the next one is tried soon.
  const connection = await connect({ servers: url, timeout: 1000 })
  return {
    connection,
    js: jetstream(connection),
    manager: await jetstreamManager(connection, { timeout: 2000 }),
    [Symbol.asyncDispose]: () => connection.close(),
  }
}

/** An envelope of specification 6.1, as a writer of another implementation sends it. */
export const envelope = (event: object, instance = 'other') =>
  JSON.stringify({ instance_id: instance, event, timestamp_ms: Date.now() })

export const rulePut = (name: string, version: string, value: number, tenant = 'default') => ({
  type: 'RulePut',
  tenant_id: tenant,
  name,
  ruleset_json: JSON.stringify(marked(name, version, value)),
  version,
})
