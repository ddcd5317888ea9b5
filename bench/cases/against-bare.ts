import autocannon from 'autocannon'
import { discountDocument } from '../documents.ts'
import { median, table } from '../measure.ts'
import { processorTime, type Running, startBare, startEngine, takeClientCore } from '../servers.ts'

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

/** Our server and a bare `node:http` server, with alternating identical requests: the rates of both, and their ratio. */
export async function againstBare({ units, headings, peer, ...load }: AgainstBare): Promise<void> {
  const rounds = await roundsAgainstBare(load, ROUNDS)
  const rate = (side: 'engine' | 'bare') => median(rounds.map((round) => round[side].rate)) * units
  table(headings, [
    ['engine-server', rate('engine'), median(rounds.map(({ engine, bare }) => engine.rate / bare.rate))],
    [peer, rate('bare'), 1],
  ])
}

/** The result of one round of a server. */
interface Load {
  /** Requests a second. */
  readonly rate: number
  /** Microseconds of its processor time for each request. */
  readonly cost: number
}

/**
 * The rounds of both servers. The ratio is the median of those of the rounds, so that whatever slows the machine for a while slows
 * both sides.
 */
export async function roundsAgainstBare(
  { mode, path, body }: Pick<AgainstBare, 'mode' | 'path' | 'body'>,
  count: number,
): Promise<readonly Readonly<Record<'engine' | 'bare', Load>>[]> {
  takeClientCore()
  const [engine, bare] = await Promise.all([startEngine(), startBare(mode)])
  try {
    await put(engine, discountDocument('discount'))
    const loaded = async (server: Running): Promise<Load> => {
      const before = processorTime(server)
      const rate = await requestsPerSecond(`${server.url}${path}`, body, TYPES[mode])
      return { rate, cost: ((processorTime(server) - before) * 1000) / rate / SECONDS }
    }
    const rounds = []
    // The first round only warms up.
    for (let round = 0; round < count + 1; round++)
      rounds.push({ engine: await loaded(engine), bare: await loaded(bare) })
    return rounds.slice(1)
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
