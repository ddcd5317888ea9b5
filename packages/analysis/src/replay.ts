import { isNumber, type Value } from '@engine/expression'
import type { Ruleset } from '@engine/ruleset'
import type { Witness } from './verdict.ts'
import { areSame, Follower, type Side } from './witness/trail.ts'

/** A decision that was recorded. */
export interface DecisionRecord {
  readonly input: Witness['input']
  readonly code?: string
  /** Epoch milliseconds of `now()`. */
  readonly now?: number
}

/** Decisions that change from one result to another. */
export interface Transition {
  /** A result code, or `error:` and the code of the error. */
  readonly from: string
  readonly to: string
  readonly count: number
  /** At most three inputs. */
  readonly examples: readonly Witness['input'][]
}

/** The change of one numeric output, over the decisions in which both versions have it. */
export interface Amount {
  readonly output: string
  readonly count: number
  readonly before: { readonly sum: number; readonly mean: number }
  readonly after: { readonly sum: number; readonly mean: number }
  readonly largest: { readonly change: number; readonly example: Witness['input'] }
}

/** Recorded decisions, made again by both versions. */
export interface Replayed {
  readonly total: number
  readonly replayed: number
  readonly changed: number
  /** Changed records divided by replayed ones; 0 when none was replayed. */
  readonly share: number
  /** The 95 % confidence interval of the share (Wilson). */
  readonly interval: readonly [low: number, high: number]
  readonly transitions: readonly Transition[]
  readonly not_replayed: readonly { readonly reason: string; readonly count: number }[]
  readonly amounts: readonly Amount[]
}

const MAX_EXAMPLES = 3

/** Makes recorded decisions with two versions of a ruleset and sums up what changes. Linear in the records. */
export function replay(before: Ruleset, after: Ruleset, records: Iterable<DecisionRecord>): Replayed {
  const sides = [new Follower(before), new Follower(after)] as const
  const transitions = new Map<string, { from: string; to: string; count: number; examples: Witness['input'][] }>()
  const left = new Map<string, number>()
  const amounts = new Map<string, AmountSums>()
  let [total, replayed, changed] = [0, 0, 0]
  for (const { input, code, now } of records) {
    total++
    const [old, young] = sides.map((side) => side.follow(input, now).side)
    const reason = reasonAgainst(old, young, code)
    if (reason !== undefined || old === undefined || young === undefined) {
      left.set(reason ?? '', (left.get(reason ?? '') ?? 0) + 1)
      continue
    }
    replayed++
    addAmounts(amounts, old, young, input)
    if (areSame(old, young)) continue
    changed++
    const [from, to] = [nameOf(old), nameOf(young)]
    const known = transitions.get(`${from}\n${to}`) ?? { from, to, count: 0, examples: [] }
    transitions.set(`${from}\n${to}`, known)
    known.count++
    if (known.examples.length < MAX_EXAMPLES) known.examples.push(input)
  }
  return {
    total,
    replayed,
    changed,
    share: replayed === 0 ? 0 : changed / replayed,
    interval: wilson(changed, replayed),
    transitions: [...transitions.values()].sort((one, other) => other.count - one.count),
    not_replayed: [...left].map(([reason, count]) => ({ reason, count })),
    amounts: [...amounts].map(([output, sums]) => amountOf(output, sums)),
  }
}

function reasonAgainst(old: Side | undefined, young: Side | undefined, code: string | undefined): string | undefined {
  if (old === undefined || young === undefined) return 'it calls something outside the ruleset'
  if (code !== undefined && code !== ('error' in old ? undefined : old.code))
    return 'the old version does not decide what was recorded'
  return undefined
}

function nameOf(side: Side): string {
  return 'error' in side ? `error:${side.error.code}` : side.code
}

interface AmountSums {
  count: number
  before: number
  after: number
  change: number
  example: Witness['input']
}

function addAmounts(amounts: Map<string, AmountSums>, old: Side, young: Side, input: Witness['input']): void {
  if ('error' in old || 'error' in young) return
  for (const [output, value] of Object.entries(old.output)) {
    const other: Value | undefined = Object.hasOwn(young.output, output) ? young.output[output] : undefined
    if (!isNumber(value) || other === undefined || !isNumber(other)) continue
    const sums = amounts.get(output) ?? { count: 0, before: 0, after: 0, change: 0, example: input }
    amounts.set(output, sums)
    const change = Number(other) - Number(value)
    sums.count++
    sums.before += Number(value)
    sums.after += Number(other)
    if (Math.abs(change) > Math.abs(sums.change)) Object.assign(sums, { change, example: input })
  }
}

function amountOf(output: string, { count, before, after, change, example }: AmountSums): Amount {
  return {
    output,
    count,
    before: { sum: before, mean: before / count },
    after: { sum: after, mean: after / count },
    largest: { change, example },
  }
}

/** Bounds of a share with a confidence of 95 %: Wilson's score interval. */
function wilson(hits: number, total: number): readonly [number, number] {
  if (total === 0) return [0, 1]
  const z = 1.959_963_984_540_054
  const share = hits / total
  const spread = z * Math.sqrt((share * (1 - share)) / total + (z * z) / (4 * total * total))
  const middle = share + (z * z) / (2 * total)
  const scale = 1 + (z * z) / total
  return [Math.max(0, (middle - spread) / scale), Math.min(1, (middle + spread) / scale)]
}
