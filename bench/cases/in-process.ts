import { defined } from '@engine/expression'
import { CASES, type DecisionCase } from '../decisions.ts'
import { byHand, type Decide, jsonLogic, jsonRules, ours, zen } from '../engines.ts'
import { compare, round, type Side, table } from '../measure.ts'

/** One decision inside the process: the same rules in every engine, with equal results checked first. */
export async function inProcess(): Promise<void> {
  const rows: (string | number)[][] = []
  for (const decision of CASES) {
    const own = ours(decision)
    const hand = byHand(decision)
    const peers: readonly (readonly [string, Decide, number])[] = [
      ['zen-engine', zen(decision), 60],
      ['json-rules-engine', jsonRules(decision), 40],
      ['json-logic-engine', jsonLogic(decision), 100_000],
    ]
    await requireEqual(decision, [...peers, ['by hand', (input) => hand(input).code, 0]], (input) => own(input).code)
    const times = await compare([
      { name: 'own', times: 400_000, run: (count) => loop(decision.inputs, (input) => own(input).code, count) },
      { name: 'by hand', times: 400_000, run: (count) => loop(decision.inputs, (input) => hand(input).code, count) },
      ...peers.map(([name, decide, count]): Side => ({
        name,
        times: count,
        run: (turns) =>
          name === 'json-logic-engine'
            ? loop(decision.inputs, decide as (input: object) => string, turns)
            : loopAsync(decision.inputs, decide, turns),
      })),
    ])
    const ownTime = defined(times.get('own'))
    const ratio = (name: string) => defined(times.get(name)) / ownTime
    rows.push([decision.name, ownTime, 1 / ratio('by hand'), ...peers.map(([name]) => `${round(ratio(name))}x`)])
  }
  table(
    [
      'decision',
      'ns',
      'times hand-written (bar 2.0)',
      'faster than zen-engine (100x)',
      'than json-rules-engine (100x)',
      'than json-logic-engine (1x)',
    ],
    rows,
  )
}

/** Time of the hand-written decision against ours, one figure for each decision of the table. */
export async function timesAgainstHand(): Promise<ReadonlyMap<string, number>> {
  const ratios = new Map<string, number>()
  for (const decision of CASES) {
    const [own, hand] = [ours(decision), byHand(decision)]
    const times = await compare([
      { name: 'own', times: 400_000, run: (count) => loop(decision.inputs, (input) => own(input).code, count) },
      { name: 'by hand', times: 400_000, run: (count) => loop(decision.inputs, (input) => hand(input).code, count) },
    ])
    ratios.set(decision.name, (times.get('own') ?? Number.NaN) / (times.get('by hand') ?? Number.NaN))
  }
  return ratios
}

let sink = 0

function loop(inputs: readonly object[], decide: (input: object) => string, count: number): void {
  for (let index = 0; index < count; index++) sink += decide(inputs[index & 511] as object).length
}

async function loopAsync(inputs: readonly object[], decide: Decide, count: number): Promise<void> {
  for (let index = 0; index < count; index++) sink += (await decide(inputs[index & 511] as object)).length
}

async function requireEqual(
  { name, inputs }: DecisionCase,
  peers: readonly (readonly [string, Decide, number])[],
  own: (input: object) => string,
): Promise<void> {
  for (const [peer, decide] of peers)
    for (const input of inputs) {
      const [expected, found] = [own(input), await decide(input)]
      if (expected !== found)
        throw new Error(`${name}: ${peer} returns ${found}, ours ${expected} for ${JSON.stringify(input)}`)
    }
}
