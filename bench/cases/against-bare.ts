import autocannon from 'autocannon'
import { discountDocument } from '../documents.ts'
import { median, table } from '../measure.ts'
import { type Running, startBare, startEngine, takeClientCore } from '../servers.ts'

const ROUNDS = 15
const SECONDS = 1

const TYPES = { execute: 'application/json', batch: 'application/json', lines: 'application/x-ndjson' } as const

export interface AgainstBare {
  readonly mode: 'execute' | 'batch' | 'lines'
  readonly path: string
  readonly body: string
  /** Units of work in one request. */
  readonly units: number
  readonly headings: readonly [server: string, rate: string, ratio: string]
  /** Name of the bare server. */
  readonly peer: string
}

/**
 * Our server and a bare `node:http` server, with alternating identical requests. The ratio is the median of those of
 * the rounds, so that whatever slows the machine for a while slows both sides.
 */
export async function againstBare({ mode, path, body, units, headings, peer }: AgainstBare): Promise<void> {
  takeClientCore()
  const [engine, bare] = await Promise.all([startEngine(), startBare(mode)])
  try {
    await put(engine, discountDocument('discount'))
    const rates: { readonly engine: number[]; readonly bare: number[] } = { engine: [], bare: [] }
    for (let round = 0; round < ROUNDS + 1; round++) {
      for (const [name, { url }] of [
        ['engine', engine],
        ['bare', bare],
      ] as const) {
        const rate = await requestsPerSecond(`${url}${path}`, body, TYPES[mode])
        if (round > 0) rates[name].push(rate)
      }
    }
    const ratio = median(rates.engine.map((rate, round) => rate / (rates.bare[round] ?? 0)))
    table(headings, [
      ['engine-server', median(rates.engine) * units, ratio],
      [peer, median(rates.bare) * units, 1],
    ])
  } finally {
    await Promise.all([engine.stop(), bare.stop()])
  }
}

/** Store a ruleset in a running server. */
export async function put({ url }: Running, document: object): Promise<void> {
  const response = await fetch(`${url}/api/v1/rulesets`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(document),
  })
  if (!response.ok) throw new Error(await response.text())
}

/** Send requests from loopback for a while, over 16 connections. */
export async function requestsPerSecond(url: string, body: string, type = 'application/json'): Promise<number> {
  const result = await autocannon({
    url,
    method: 'POST',
    body,
    duration: SECONDS,
    connections: 16,
    headers: { 'content-type': type },
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} failures, ${result.errors} errors`)
  return result.requests.average
}
