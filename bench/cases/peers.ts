import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CASES } from '../decisions.ts'
import { rulesetOf } from '../engines.ts'
import { median, round, spread, table } from '../measure.ts'
import { goServer, type RustPrograms, rustPrograms } from '../peers/programs.ts'
import { processorTime, type Running, startEngine, startProgram, takeClientCore } from '../servers.ts'
import { put } from './against-bare.ts'
import { costsAgainst } from './grpc.ts'

const ROUNDS = 15
const MILLISECONDS = 1000
const CONNECTIONS = 16
const PATH = '/api/v1/execute/credit'
const DECISION = CASES[2]

/**
 * The decision of 17 steps over HTTP against the same by hand in Go and Rust, and an execution over gRPC against a bare tonic
 * server that answers the same bytes. The client of HTTP is written in Rust too, so without Rust nothing is measured.
 */
export async function peers(): Promise<void> {
  const rust = rustPrograms()
  if (rust === undefined) return
  const go = goServer()
  await http(rust, go)
  console.log()
  const costs = await costsAgainst((answer) => startProgram(rust.tonic, answer.toString('hex')), ROUNDS)
  table(
    ['gRPC', 'engine-server takes so many times its processor time a call (bar 2.0)', 'spread'],
    [['tonic, the same bytes', round(median(costs)), round(spread(costs))]],
  )
}

interface Side {
  readonly name: string
  readonly server: Running
  readonly rates: number[]
  readonly costs: number[]
}

async function http(rust: RustPrograms, go: string | undefined): Promise<void> {
  takeClientCore()
  const engine = await startEngine()
  const running = [engine]
  const directory = mkdtempSync(join(tmpdir(), 'engine-bench-'))
  try {
    if (DECISION === undefined) throw new Error('there is no decision')
    await put(engine, rulesetOf(DECISION, 'credit'))
    const side = (name: string, server: Running): Side => ({ name, server, rates: [], costs: [] })
    const sides = [side('engine-server', engine)]
    for (const [name, program] of [
      ['Go, net/http', go],
      ['Rust, axum', rust.axum],
    ] as const) {
      if (program === undefined) continue
      const server = await startProgram(program)
      running.push(server)
      sides.push(side(name, server))
    }
    const bodies = DECISION.inputs.map((input) => JSON.stringify({ input }))
    await requireAgreement(sides, bodies)
    const file = join(directory, 'requests')
    writeFileSync(file, Buffer.concat(bodies.flatMap(framed)))
    for (let turn = 0; turn < ROUNDS + 1; turn++) {
      for (const { server, rates, costs } of sides) {
        const before = processorTime(server)
        const { requests, seconds } = await load(rust.load, server, file)
        // The first round only warms up.
        if (turn === 0) continue
        rates.push(requests / seconds)
        costs.push(((processorTime(server) - before) * 1000) / requests)
      }
    }
    print(sides)
  } finally {
    rmSync(directory, { recursive: true })
    await Promise.all(running.map((server) => server.stop()))
  }
}

/** All servers give the same code for each body. */
async function requireAgreement(sides: readonly Side[], bodies: readonly string[]): Promise<void> {
  const codeOf = async ({ server }: Side, body: string): Promise<string> => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(server.url + PATH, { method: 'POST', headers, body })
    const { code }: { code: string } = JSON.parse(await response.text())
    return code
  }
  for (const body of bodies) {
    const codes = await Promise.all(sides.map((side) => codeOf(side, body)))
    if (codes[0] === undefined || new Set(codes).size > 1) throw new Error(`${body}: ${codes.join(', ')}`)
  }
}

/** A request after its length. */
function framed(body: string): readonly Buffer[] {
  const head = [`POST ${PATH} HTTP/1.1`, 'host: localhost', 'content-type: application/json']
  const request = Buffer.from([...head, `content-length: ${Buffer.byteLength(body)}`, '', body].join('\r\n'))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(request.length)
  return [length, request]
}

/** Requests answered, and the seconds they took. */
async function load(program: string, { url }: Running, file: string) {
  const { stdout } = await promisify(execFile)(program, [
    new URL(url).host,
    String(CONNECTIONS),
    String(MILLISECONDS),
    file,
  ])
  const [requests = Number.NaN, microseconds = Number.NaN] = stdout.trim().split(' ').map(Number)
  return { requests, seconds: microseconds / 1e6 }
}

function print(sides: readonly Side[]): void {
  const [engine] = sides
  const ratios = (own: readonly number[] = [], other: readonly number[]) =>
    own.map((value, index) => value / (other[index] ?? Number.NaN))
  table(
    [
      `17 steps, ${CONNECTIONS} connections`,
      'requests a second',
      'us of processor time a request',
      'engine-server has so many times its rate (bars: Go 1.8, Rust 0.85)',
      'spread',
      'engine-server takes so many times its processor time',
      'spread',
    ],
    sides.map(({ name, rates, costs }) => {
      const [rate, cost] = [ratios(engine?.rates, rates), ratios(engine?.costs, costs)]
      return [name, median(rates), median(costs), median(rate), round(spread(rate)), median(cost), round(spread(cost))]
    }),
  )
}
