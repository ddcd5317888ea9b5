import { type GrpcObject, loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { type ClientHttp2Session, connect } from 'node:http2'
import { join } from 'node:path'
import { CASES } from '../decisions.ts'
import { discountDocument } from '../documents.ts'
import { median, table } from '../measure.ts'
import { startBareGrpc, startEngine, takeClientCore } from '../servers.ts'
import { put } from './against-bare.ts'

const ROUNDS = 15
const SECONDS = 1
const CONNECTIONS = 4
/** Calls under way on each connection. */
const STREAMS = 8

/**
 * One execution a call, against a bare grpc-js server that reads and writes the same messages. The client speaks HTTP/2
 * itself: one of grpc-js would cost more than the server and hide what is measured.
 */
export async function grpc(): Promise<void> {
  takeClientCore()
  const [engine, bare] = await Promise.all([startEngine('--grpc-addr', '127.0.0.1:0'), startBareGrpc()])
  try {
    await put(engine, discountDocument('discount'))
    const rates = { engine: [] as number[], bare: [] as number[] }
    for (let round = 0; round < ROUNDS + 1; round++) {
      for (const [name, { grpc: address }] of [
        ['engine', engine],
        ['bare', bare],
      ] as const) {
        const rate = await callsPerSecond(address)
        if (round > 0) rates[name].push(rate)
      }
    }
    const ratio = median(rates.engine.map((rate, round) => rate / (rates.bare[round] ?? 0)))
    table(
      ['server', 'calls a second', 'of bare grpc-js (bar 0.85)'],
      [
        ['engine-server', median(rates.engine), ratio],
        ['grpc-js', median(rates.bare), 1],
      ],
    )
  } finally {
    await Promise.all([engine.stop(), bare.stop()])
  }
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

async function callsPerSecond(address: string): Promise<number> {
  const sessions = Array.from({ length: CONNECTIONS }, () => connect(`http://${address}`))
  const begin = performance.now()
  const end = begin + SECONDS * 1000
  const counts = await Promise.all(
    sessions.flatMap((session) => Array.from({ length: STREAMS }, () => callUntil(session, end))),
  )
  const elapsed = performance.now() - begin
  for (const session of sessions) session.close()
  return (counts.reduce((sum, count) => sum + count, 0) * 1000) / elapsed
}

async function callUntil(session: ClientHttp2Session, end: number): Promise<number> {
  let count = 0
  for (; performance.now() < end; count++) await call(session)
  return count
}

function call(session: ClientHttp2Session): Promise<void> {
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
    stream.resume()
    stream.end(FRAME)
  })
}
