import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CASES } from '../decisions.ts'
import { median, round, spread, table } from '../measure.ts'
import { roundsAgainstBare } from './against-bare.ts'
import { costsAgainst } from './grpc.ts'
import { timesAgainstHand } from './in-process.ts'
import { startBareHttp2 } from '../servers.ts'
import { costsAgainstBareProxy } from './proxy.ts'

/** A ratio to a peer of the same run, and the spread within which it varies on one machine. */
interface Figure {
  readonly ratio: number
  /** Half of the distance between the quartiles of the rounds, and at least `MIN_SPREAD` of the ratio. */
  readonly spread: number
}

const COMMITTED = join(import.meta.dirname, '../gate.json')
const ROUNDS = 9
const MIN_SPREAD = 0.08

const INPUT = CASES[1]?.inputs[9]
const LARGE = { ...INPUT, note: 'x'.repeat(960) }
const inputs = Array.from({ length: 1000 }, (_, index) => CASES[1]?.inputs[index & 511])
const EXECUTE = '/api/v1/execute/discount'

/** The measurements by name. A ratio of rates should be high, one of costs low. */
const MEASURED: Readonly<Record<string, () => Promise<Readonly<Record<string, readonly number[]>>>>> = {
  'HTTP execute, 55 B': () => http('execute', EXECUTE, JSON.stringify({ input: INPUT })),
  'HTTP execute, 1 kB': () => http('execute', EXECUTE, JSON.stringify({ input: LARGE })),
  'batch of 1,000': () => http('batch', `${EXECUTE}/batch`, JSON.stringify({ inputs })),
  '1,000 lines': () => http('lines', `${EXECUTE}/batch`, inputs.map((input) => `${JSON.stringify(input)}\n`).join('')),
  'gRPC execute against node:http2': async () => ({ cost: await costsAgainst(startBareHttp2, ROUNDS) }),
  'proxy against a bare proxy': async () => ({ cost: await costsAgainstBareProxy(ROUNDS) }),
  'in process against code by hand': async () =>
    Object.fromEntries(Array.from(await timesAgainstHand(), ([name, ratio]) => [`cost, ${name}`, [ratio]])),
}

async function http(mode: 'execute' | 'batch' | 'lines', path: string, body: string) {
  const rounds = await roundsAgainstBare({ mode, path, body }, ROUNDS)
  return {
    rate: rounds.map(({ engine, bare }) => engine.rate / bare.rate),
    cost: rounds.map(({ engine, bare }) => engine.cost / bare.cost),
  }
}

/**
 * Every ratio in short form against the committed figures; exits with 1 when one is worse by more than both spreads.
 * `GATE=write` commits the figures of this run.
 */
export async function gate(): Promise<void> {
  const found = new Map<string, Figure>()
  for (const [name, measure] of Object.entries(MEASURED))
    for (const [kind, ratios] of Object.entries(await measure())) found.set(`${name}: ${kind}`, figureOf(ratios))
  if (process.env['GATE'] === 'write')
    writeFileSync(COMMITTED, `${JSON.stringify(Object.fromEntries(found), undefined, 2)}\n`)
  const committed: Readonly<Record<string, Figure>> = JSON.parse(readFileSync(COMMITTED, 'utf8'))
  const rows = Array.from(found, ([name, figure]) => [name, figure, committed[name]] as const)
  const worse = rows.filter(([name, figure, before]) => before !== undefined && isWorse(name, figure, before))
  table(
    ['ratio', 'committed', 'now', 'spread', ''],
    rows.map(([name, figure, before]) => [
      name,
      before === undefined ? 'none' : round(before.ratio),
      round(figure.ratio),
      round(figure.spread),
      worse.some(([one]) => one === name) ? 'worse' : '',
    ]),
  )
  if (worse.length > 0) process.exitCode = 1
}

/** The lower and upper half of the rounds vary by a busy machine: the quartiles show how much. */
function figureOf(ratios: readonly number[]): Figure {
  const ratio = median(ratios)
  return {
    ratio: Number(ratio.toFixed(3)),
    spread: Number(Math.max(spread(ratios), ratio * MIN_SPREAD).toFixed(3)),
  }
}

function isWorse(name: string, now: Figure, before: Figure): boolean {
  const difference = now.ratio - before.ratio
  const loss = name.includes(': cost') ? difference : -difference
  return loss > now.spread + before.spread
}
