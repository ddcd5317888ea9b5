import { CASES } from '../decisions.ts'
import { median, round, table } from '../measure.ts'
import { roundsAgainstBare } from './against-bare.ts'

const ROUNDS = 15
const INPUT = CASES[1]?.inputs[9]
/** Bodies of 55 bytes and of 1 kB. */
const INPUTS = { '55 B': INPUT, '1 kB': { ...INPUT, note: 'x'.repeat(960) } } as const

/** One execution a request, against a bare `node:http` server that parses and stringifies the same JSON. */
export async function http(): Promise<void> {
  const rows: (readonly (string | number)[])[] = []
  for (const [size, input] of Object.entries(INPUTS)) {
    const body = JSON.stringify({ input })
    const rounds = await roundsAgainstBare({ mode: 'execute', path: '/api/v1/execute/discount', body }, ROUNDS)
    const ratio = (kind: 'rate' | 'cost') => round(median(rounds.map(({ engine, bare }) => engine[kind] / bare[kind])))
    rows.push([size, ratio('rate'), ratio('cost')])
  }
  table(
    ['body', 'requests a second, of node:http (bars 1.65, 1.5)', 'processor time a call, of node:http (bar 0.6)'],
    rows,
  )
}
