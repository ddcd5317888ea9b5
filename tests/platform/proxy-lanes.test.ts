import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../cases.testing.ts'
import { expectAlike, type Stream } from '../http/fast-lane/exchange.testing.ts'
import { TOKENS } from '../http/fast-lane/servers.testing.ts'
import { randomOf, streamOf } from '../http/fast-lane/streams.testing.ts'
import { answering } from '../workers.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { addEngine, engineNamed, startTeam, want } from './engines.testing.ts'
import { type FakeEngine, startFakeEngine } from './fake-engine.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'

/* The streams of the engine's fast lane, sent to two replicas: one of them makes traces, and answers everything by `node:http`. */

const database = useDatabase('postgres')
let fast: TestPlatform
let plain: TestPlatform
let fake: FakeEngine
let adapted: (stream: Stream) => Stream

beforeAll(async () => {
  const seldom = ['--heartbeat-interval-secs', '60']
  fast = await startPlatform(database(), seldom)
  plain = await startPlatform(database(), [...seldom, '--otlp-endpoint', 'http://127.0.0.1:9'])
  const team = await startTeam(fast)
  fake = await startFakeEngine((response, { url, body, headers }) => {
    const { traceparent: _, 'x-request-id': __, host: ___, ...kept } = headers
    const passed = JSON.stringify({ url, body, kept })
    const isLarge = url.endsWith('/large')
    const text = isLarge ? passed + ' '.repeat(100_000) : passed
    const report = { 'x-ruleset-digest': 'a'.repeat(64), 'x-result-code': 'DONE' }
    const status = body.includes('"age":0') ? 422 : 200
    response.writeHead(status, { ...report, 'content-length': Buffer.byteLength(text) }).end(text)
  })
  const engine = await addEngine(fast, await team.connectToken(), engineNamed(randomUUID(), { url: fake.url }))
  await engine.beat()
  await team.owner.request('PUT', `${team.P}/server`, { environment: 'prod', server_ids: [engine.id] })
  const { body } = await team.owner.request('GET', `${team.P}/environments/prod`)
  const live = ['adult-check', 'failing', 'warning', 'large'].map((name) => answering('DONE', name))
  await want(database(), team.org, body.id, live)
  const keyFor = async (scope: string): Promise<string> => {
    const { body: made } = await team.owner.request('POST', `${team.O}/api-keys`, { name: scope, scopes: [scope] })
    return made.token
  }
  const [execute, read] = [await keyFor('decision.execute'), await keyFor('project.read')]
  const replaced = [
    ['/api/v1/execute/', `/api/v1/engine/${team.project}/execute/`],
    [TOKENS.execute, execute],
    [TOKENS.read, read],
    ['x-tenant-id: default', 'x-environment: prod'],
    ['x-tenant-id: nobody', 'x-environment: nowhere'],
  ] as const
  adapted = (stream) => {
    const lengths = stream.pieces.map((piece) => piece.length)
    const total = lengths.reduce((sum, length) => sum + length, 0)
    const text = replaced.reduce(
      (changed, [from, to]) => changed.replaceAll(from, to),
      Buffer.concat(stream.pieces).toString('latin1'),
    )
    const bytes = Buffer.from(text, 'latin1')
    let end = 0
    // Cut in the same proportions.
    const ends = lengths.map((length) => Math.round(((end += length) / total) * bytes.length))
    const pieces = ends.map((to, index) => bytes.subarray(ends[index - 1] ?? 0, to))
    return { ...stream, pieces: pieces.filter((piece) => piece.length > 0), quietTurns: 60 }
  }
})
afterAll(async () => {
  fake.stop()
  await Promise.all([fast.stop(), plain.stop()])
})

const STREAMS = casesOf(3000)
/** Streams at the same time. */
const CONNECTIONS = 16

test('the proxy answers in its fast lane like over node:http', { timeout: 1_800_000 }, async () => {
  printSeed(STREAMS)
  const sides = { fast: { ...fast, socketPath: undefined }, plain: { ...plain, socketPath: undefined } }
  let next = 0
  let answers = 0
  const client = async () => {
    for (let index = next++; index < STREAMS; index = next++) {
      const text = await expectAlike(sides, adapted(streamOf(randomOf(SEED + index))))
      answers += text.split('HTTP/1.1 ').length - 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, client))
  expect(answers).toBeGreaterThan(STREAMS)
})
