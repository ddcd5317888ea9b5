import { CASES } from '../decisions.ts'
import { discountDocument } from '../documents.ts'
import { median, table } from '../measure.ts'
import { startBare, startEngine, takeClientCore } from '../servers.ts'
import { put, requestsPerSecond } from './http.ts'

const INPUTS = 1000
const ROUNDS = 15
const SECONDS = 1

/** A batch of 1,000 inputs, against a server that only parses and stringifies the same bytes. */
export async function batch(): Promise<void> {
  takeClientCore()
  const [engine, bare] = await Promise.all([startEngine(), startBare('batch')])
  try {
    await put(engine, discountDocument('discount'))
    const inputs = Array.from({ length: INPUTS }, (_, index) => CASES[1]?.inputs[index & 511])
    const body = JSON.stringify({ inputs })
    const rates = { engine: [] as number[], bare: [] as number[] }
    for (let round = 0; round < ROUNDS + 1; round++) {
      for (const [name, { url }] of [
        ['engine', engine],
        ['bare', bare],
      ] as const) {
        const rate = await requestsPerSecond(`${url}/api/v1/execute/discount/batch`, body, SECONDS)
        if (round > 0) rates[name].push(rate)
      }
    }
    const [own, other] = [median(rates.engine), median(rates.bare)]
    table(
      ['server', 'decisions a second', 'of JSON.parse and JSON.stringify (bar 0.6)'],
      [
        ['engine-server', own * INPUTS, median(rates.engine.map((rate, round) => rate / (rates.bare[round] ?? 0)))],
        ['JSON.parse and JSON.stringify', other * INPUTS, 1],
      ],
    )
  } finally {
    await Promise.all([engine.stop(), bare.stop()])
  }
}
