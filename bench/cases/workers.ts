import autocannon from 'autocannon'
import { once } from 'node:events'
import { Agent, request as ask } from 'node:http'
import { CASES } from '../decisions.ts'
import { discountDocument } from '../documents.ts'
import { median, round as rounded, table } from '../measure.ts'
import { type Running, startUnpinned } from '../servers.ts'
import { put } from './against-bare.ts'

const ROUNDS = 15
const SECONDS = 1
const CONNECTIONS = 16
const PATH = '/api/v1/execute/discount'
const EXECUTION = JSON.stringify({ input: CASES[1]?.inputs[9] })

/** A ruleset that costs the server far more than the client. */
const COSTLY = {
  config: { name: 'costly', version: '1.0.0', entry_step: 'add' },
  steps: {
    add: {
      id: 'add',
      type: 'action',
      actions: [{ action: 'set_variable', name: 'sum', value: 'sum(range(0, n))' }],
      next_step: 'end',
    },
    end: { id: 'end', type: 'terminal', result: { code: 'DONE', message: '' } },
  },
}

/**
 * Two workers against one process, and the end of two workers under load. The load comes from the same machine without
 * pinning: with two cores the generator competes with the second worker.
 */
export async function workers(): Promise<void> {
  await throughput()
  console.log()
  await endUnderLoad()
}

async function throughput(): Promise<void> {
  const [one, two] = await Promise.all([startUnpinned('--workers', '1'), startUnpinned('--workers', '2')])
  try {
    for (const server of [one, two])
      for (const document of [discountDocument('discount'), COSTLY]) await put(server, document)
    const rows: (string | number)[][] = []
    for (const [what, path, body] of [
      ['one execution a request', PATH, EXECUTION],
      ['one costly decision a request', '/api/v1/execute/costly', '{"input":{"n":10000}}'],
    ] as const) {
      const rates: { readonly one: number[]; readonly two: number[] } = { one: [], two: [] }
      for (let round = 0; round <= ROUNDS; round++)
        for (const [name, server] of [
          ['one', one],
          ['two', two],
        ] as const) {
          const rate = await requestsPerSecond(server, path, body)
          if (round > 0) rates[name].push(rate)
        }
      const ratio = median(rates.two.map((rate, round) => rate / (rates.one[round] ?? 0)))
      // Other load on the machine affects two processes more than one: the best second shows their capacity.
      const [single, double] = [Math.max(...rates.one), Math.max(...rates.two)]
      rows.push([what, single, double, double / single, ratio])
    }
    table(['requests, best second', '--workers 1', '--workers 2', 'ratio', 'median of the ratios'], rows)
  } finally {
    await Promise.all([one.stop(), two.stop()])
  }
}

async function requestsPerSecond({ url }: Running, path: string, body: string): Promise<number> {
  const result = await autocannon({
    url: `${url}${path}`,
    method: 'POST',
    body,
    duration: SECONDS,
    connections: CONNECTIONS,
    headers: { 'content-type': 'application/json' },
  })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} failures, ${result.errors} errors`)
  return result.requests.average
}

const ENDS = 5

async function endUnderLoad(): Promise<void> {
  const rows = [await ends('1'), await ends('2')]
  table(['--workers', 'ends', 'requests', 'failed (bar 0)', 'exit codes', 'milliseconds until the exit'], rows)
}

interface Sums {
  requests: number
  failed: number
  readonly milliseconds: number[]
  readonly codes: Set<number | null>
}

/** SIGTERM while clients send requests as fast as possible; each stops when its connection is closed. */
async function ends(count: string): Promise<readonly string[]> {
  const sums: Sums = { requests: 0, failed: 0, milliseconds: [], codes: new Set() }
  for (let round = 0; round < ENDS; round++) {
    const server = await startUnpinned('--workers', count)
    await put(server, discountDocument('discount'))
    const clients = Array.from({ length: CONNECTIONS }, () => client(server.url))
    await new Promise((resolve) => setTimeout(resolve, 1000))
    const start = performance.now()
    const ended = once(server.process, 'exit') as Promise<[number | null]>
    server.process.kill('SIGTERM')
    for (const { requests, failed } of await Promise.all(clients)) {
      sums.requests += requests
      sums.failed += failed
    }
    const [code] = await ended
    sums.codes.add(code)
    sums.milliseconds.push(performance.now() - start)
  }
  const { requests, failed, codes, milliseconds } = sums
  return [count, `${ENDS}`, `${requests}`, `${failed}`, [...codes].join(', '), rounded(median(milliseconds))]
}

async function client(url: string): Promise<{ requests: number; failed: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const counts = { requests: 0, failed: 0 }
  for (;;) {
    counts.requests++
    try {
      const { status, stays } = await execution(`${url}${PATH}`, agent)
      if (status !== 200) counts.failed++
      if (!stays) break
    } catch {
      counts.failed++
      break
    }
  }
  agent.destroy()
  return counts
}

function execution(url: string, agent: Agent): Promise<{ status: number | undefined; stays: boolean }> {
  return new Promise((resolve, reject) => {
    const sent = ask(url, { agent, method: 'POST', headers: { 'content-type': 'application/json' } }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve({ status: answer.statusCode, stays: answer.headers.connection !== 'close' }))
      answer.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(EXECUTION)
  })
}
