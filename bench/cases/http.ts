import autocannon from 'autocannon'
import { CASES } from '../decisions.ts'
import { median, table } from '../measure.ts'
import { discountDocument } from '../documents.ts'
import { type Running, startBare, startEngine, takeClientCore } from '../servers.ts'

const ROUNDS = 15
const SECONDS = 1

/** One execution a request, against a bare `node:http` server that parses and stringifies the same JSON. */
export async function http(): Promise<void> {
  takeClientCore()
  const [engine, bare] = await Promise.all([startEngine(), startBare('execute')])
  try {
    await put(engine, discountDocument('discount'))
    const body = JSON.stringify({ input: CASES[1]?.inputs[9] })
    const path = '/api/v1/execute/discount'
    const rates = { engine: [] as number[], bare: [] as number[] }
    for (let round = 0; round < ROUNDS + 1; round++) {
      for (const [name, { url }] of [
        ['engine', engine],
        ['bare', bare],
      ] as const) {
        const rate = await requestsPerSecond(`${url}${path}`, body, SECONDS)
        if (round > 0) rates[name].push(rate)
      }
    }
    const [own, other] = [median(rates.engine), median(rates.bare)]
    table(
      ['server', 'requests a second', 'of bare node:http (bar 0.85)'],
      [
        ['engine-server', own, median(rates.engine.map((rate, round) => rate / (rates.bare[round] ?? 0)))],
        ['node:http', other, 1],
      ],
    )
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

/** Ask for some seconds from loopback, over 16 connections. */
export async function requestsPerSecond(url: string, body: string, seconds: number): Promise<number> {
  const result = await autocannon({
    url,
    method: 'POST',
    body,
    duration: seconds,
    connections: 16,
    headers: { 'content-type': 'application/json' },
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} failures, ${result.errors} errors`)
  return result.requests.average
}
