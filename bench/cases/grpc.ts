import { type GrpcObject, loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { type ClientHttp2Session, connect } from 'node:http2'
import { join } from 'node:path'
import { CASES } from '../decisions.ts'
import { discountDocument } from '../documents.ts'
import { median, table } from '../measure.ts'
import {
  processorTime,
  type Running,
  startBareGrpc,
  startBareHttp2,
  startEngine,
  startEngineOf,
  takeClientCore,
} from '../servers.ts'
import { put } from './against-bare.ts'

const ROUNDS = 15
const SECONDS = 1
const CONNECTIONS = 4
/** Calls under way on each connection. */
const STREAMS = 8

/**
 * One execution a call: processor time of the server for each, against a bare handler of `node:http2` that answers the same
 * bytes, a bare grpc-js server that reads and writes the same messages, and the engine of another checkout
 * (`GRPC_BESIDE=<folder>`). The client speaks HTTP/2 itself: one of grpc-js would cost more than the server.
 */
export async function grpc(): Promise<void> {
  takeClientCore()
  const place = ['--grpc-addr', '127.0.0.1:0'] as const
  const engine = await startEngine(...place)
  const running = [engine]
  try {
    await put(engine, discountDocument('discount'))
    const sides = new Map([['engine-server', engine]])
    const add = (name: string, server: Running) => {
      running.push(server)
      sides.set(name, server)
    }
    add('bare node:http2', await startBareHttp2(await answerOf(engine.grpc)))
    add('bare grpc-js', await startBareGrpc())
    const beside = process.env['GRPC_BESIDE']
    if (beside !== undefined) {
      const other = await startEngineOf(beside, ...place)
      await put(other, discountDocument('discount'))
      add(`engine-server of ${beside}`, other)
    }
    printed(await measured(sides, ROUNDS))
  } finally {
    await Promise.all(running.map((server) => server.stop()))
  }
}

interface Round {
  readonly name: string
  readonly server: Running
  readonly rates: number[]
  readonly costs: number[]
}

/** Processor time of a call against that of a bare server that answers the same bytes, by round. */
export async function costsAgainst(
  startPeer: (answer: Buffer) => Promise<Running>,
  count: number,
): Promise<readonly number[]> {
  takeClientCore()
  const engine = await startEngine('--grpc-addr', '127.0.0.1:0')
  await put(engine, discountDocument('discount'))
  const bare = await startPeer(await answerOf(engine.grpc))
  try {
    const [own, other] = await measured(
      new Map([
        ['engine', engine],
        ['bare', bare],
      ]),
      count,
    )
    return own?.costs.map((cost, round) => cost / (other?.costs[round] ?? Number.NaN)) ?? []
  } finally {
    await Promise.all([engine.stop(), bare.stop()])
  }
}

async function measured(sides: ReadonlyMap<string, Running>, count: number): Promise<readonly Round[]> {
  const rounds = Array.from(sides, ([name, server]): Round => ({ name, server, rates: [], costs: [] }))
  for (let round = 0; round < count + 1; round++) {
    for (const { server, rates, costs } of rounds) {
      const before = processorTime(server)
      const { calls, rate } = await callsIn(server.grpc)
      if (round === 0) continue
      rates.push(rate)
      costs.push(((processorTime(server) - before) * 1000) / calls)
    }
  }
  return rounds
}

function printed(rounds: readonly Round[]): void {
  const [engine] = rounds
  table(
    ['server', 'us of processor time a call', 'engine-server takes so many times', 'calls a second'],
    rounds.map(({ name, rates, costs }) => {
      const ratios = costs.map((cost, round) => (engine?.costs[round] ?? 0) / cost)
      return [name, median(costs), median(ratios), median(rates)]
    }),
  )
}

/** The request as it goes over the wire: five bytes that frame it, then the message. */
const FRAME = (() => {
  const definition = loadPackageDefinition(loadSync(join(import.meta.dirname, '../../packages/api/proto/engine.proto')))
  const { EngineService } = definition['engine'] as GrpcObject
  const { Execute } = (EngineService as ServiceClientConstructor).service
  const message = Execute?.requestSerialize({ name: 'discount', inputJson: JSON.stringify(CASES[1]?.inputs[9]) })
  if (message === undefined) throw new Error('the service has no method Execute')
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
})()

async function callsIn(address: string): Promise<{ readonly calls: number; readonly rate: number }> {
  const sessions = Array.from({ length: CONNECTIONS }, () => connect(`http://${address}`))
  const begin = performance.now()
  const end = begin + SECONDS * 1000
  const counts = await Promise.all(
    sessions.flatMap((session) => Array.from({ length: STREAMS }, () => callUntil(session, end))),
  )
  const elapsed = performance.now() - begin
  for (const session of sessions) session.close()
  const calls = counts.reduce((sum, count) => sum + count, 0)
  return { calls, rate: (calls * 1000) / elapsed }
}

/** The bytes of one answer. */
async function answerOf(address: string): Promise<Buffer> {
  const session = connect(`http://${address}`)
  const pieces: Buffer[] = []
  await call(session, (piece) => pieces.push(piece))
  session.close()
  return Buffer.concat(pieces)
}

async function callUntil(session: ClientHttp2Session, end: number): Promise<number> {
  let count = 0
  for (; performance.now() < end; count++) await call(session)
  return count
}

function call(session: ClientHttp2Session, take: (piece: Buffer) => void = () => {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/engine.EngineService/Execute',
      'content-type': 'application/grpc+proto',
      te: 'trailers',
    })
    let status: unknown
    stream.on('trailers', (trailers) => (status = trailers['grpc-status']))
    stream.on('error', reject)
    stream.on('close', () => (status === '0' ? resolve() : reject(new Error(`the call ended with ${String(status)}`))))
    stream.on('data', take)
    stream.end(FRAME)
  })
}
