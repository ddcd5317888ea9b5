import { isNumber, type Value } from '@engine/expression'
import { type Action, actionsOf, type Ruleset } from '@engine/ruleset'
import type { DecisionRecord } from './decision-record.ts'
import { MaskedReads } from './masked-reads.ts'
import type { Witness } from './verdict.ts'
import { compiledProgram, sideOf } from './witness/executor.ts'
import { areSame, Follower, type Side } from './witness/trail.ts'

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

/** How many decisions have a result, by each version. */
export interface ResultCount {
  /** A result code, or `error:` and the code of the error. */
  readonly code: string
  readonly before: number
  readonly after: number
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
  /** All results, changed or not; the most frequent first. */
  readonly codes: readonly ResultCount[]
  readonly not_replayed: readonly { readonly reason: string; readonly count: number }[]
  readonly amounts: readonly Amount[]
}

const MAX_EXAMPLES = 3

/** One record, decided by both versions. */
export type ReplayedRecord =
  | { readonly kind: 'replayed'; readonly isChanged: boolean; readonly before: Side; readonly after: Side }
  | { readonly kind: 'not-replayed'; readonly reason: string }

export const NOTHING_REPLAYED: Replayed = {
  total: 0,
  replayed: 0,
  changed: 0,
  share: 0,
  interval: [0, 1],
  transitions: [],
  codes: [],
  not_replayed: [],
  amounts: [],
}

/** Makes recorded decisions with two versions of a ruleset and sums up what changes. Linear in the records. */
export function replay(before: Ruleset, after: Ruleset, records: Iterable<DecisionRecord>): Replayed {
  const replayer = new Replayer(before, after)
  for (const record of records) replayer.add(record)
  return replayer.replayed()
}

/** Makes recorded decisions one after the other. */
export class Replayer {
  readonly #sides: readonly ((record: DecisionRecord) => Side | undefined)[]
  readonly #transitions = new Map<string, Transition & { count: number; readonly examples: Witness['input'][] }>()
  readonly #codes = new Map<string, { before: number; after: number }>()
  readonly #reasons = new Map<string, number>()
  readonly #amounts = new Map<string, AmountSums>()
  readonly #masked: MaskedReads | undefined
  #total = 0
  #replayed = 0
  #changed = 0

  /** @param mask the text that recordings have instead of values that must not be kept; undefined: they have all values */
  constructor(before: Ruleset, after: Ruleset, mask?: string) {
    this.#sides = [deciderOf(before), deciderOf(after)]
    this.#masked = mask === undefined ? undefined : new MaskedReads([before, after], mask)
  }

  add(record: DecisionRecord): ReplayedRecord {
    this.#total++
    if (this.#masked?.isIn(record.input) === true) return this.#leave('a masked value is read')
    const [old, young] = this.#sides.map((decide) => decide(record))
    if (old === undefined || young === undefined) return this.#leave('it calls something outside the ruleset')
    if (record.code !== undefined && record.code !== ('error' in old ? undefined : old.code))
      return this.#leave('the old version does not decide what was recorded')
    this.#replayed++
    addCodes(this.#codes, { code: nameOf(old), before: 1, after: 0 })
    addCodes(this.#codes, { code: nameOf(young), before: 0, after: 1 })
    addAmounts(this.#amounts, old, young, record.input)
    const isChanged = !areSame(old, young)
    if (isChanged) this.#noteChange(nameOf(old), nameOf(young), record.input)
    return { kind: 'replayed', isChanged, before: old, after: young }
  }

  /** The records so far. */
  replayed(): Replayed {
    return {
      ...countsOf(this.#total, this.#replayed, this.#changed),
      transitions: byCount([...this.#transitions.values()]),
      codes: byFrequency(this.#codes),
      not_replayed: [...this.#reasons].map(([reason, count]) => ({ reason, count })),
      amounts: [...this.#amounts].map(([output, sums]) => amountOf(output, sums)),
    }
  }

  #leave(reason: string): ReplayedRecord {
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1)
    return { kind: 'not-replayed', reason }
  }

  #noteChange(from: string, to: string, input: Witness['input']): void {
    this.#changed++
    const key = `${from}\n${to}`
    const known = this.#transitions.get(key) ?? { from, to, count: 0, examples: [] }
    this.#transitions.set(key, known)
    known.count++
    if (known.examples.length < MAX_EXAMPLES) known.examples.push(input)
  }
}

/** Both together: records that were replayed in parts. */
export function addReplayed(one: Replayed, other: Replayed): Replayed {
  const transitions = new Map(one.transitions.map((row) => [`${row.from}\n${row.to}`, row]))
  for (const row of other.transitions) {
    const { from, to } = row
    const known = transitions.get(`${from}\n${to}`) ?? { count: 0, examples: [] }
    const examples = [...known.examples, ...row.examples].slice(0, MAX_EXAMPLES)
    transitions.set(`${from}\n${to}`, { from, to, count: known.count + row.count, examples })
  }
  const codes = new Map<string, { before: number; after: number }>()
  for (const row of [...one.codes, ...other.codes]) addCodes(codes, row)
  const reasons = new Map(one.not_replayed.map(({ reason, count }) => [reason, count]))
  for (const { reason, count } of other.not_replayed) reasons.set(reason, (reasons.get(reason) ?? 0) + count)
  const amounts = new Map(one.amounts.map((amount) => [amount.output, sumsOf(amount)]))
  for (const amount of other.amounts) {
    const known = amounts.get(amount.output)
    const sums = sumsOf(amount)
    amounts.set(amount.output, known === undefined ? sums : addSums(known, sums))
  }
  return {
    ...countsOf(one.total + other.total, one.replayed + other.replayed, one.changed + other.changed),
    transitions: byCount([...transitions.values()]),
    codes: byFrequency(codes),
    not_replayed: [...reasons].map(([reason, count]) => ({ reason, count })),
    amounts: [...amounts].map(([output, sums]) => amountOf(output, sums)),
  }
}

/**
 * How one version decides records: by the compiled program, or by following its steps where it calls something outside,
 * which ends there.
 */
function deciderOf(ruleset: Ruleset): (record: DecisionRecord) => Side | undefined {
  if (callsOutside(ruleset)) {
    const follower = new Follower(ruleset)
    return ({ input, now }) => follower.follow(input, now).side
  }
  const program = compiledProgram(ruleset)
  return ({ input, now = 0 }) => sideOf(program, input, now)
}

function callsOutside({ steps }: Ruleset): boolean {
  return [...steps.values()].some((step) => actionsOf(step).some(({ action }) => OUTSIDE.has(action)))
}

const OUTSIDE: ReadonlySet<Action['action']> = new Set(['call_ruleset', 'external_call'])

function countsOf(
  total: number,
  replayed: number,
  changed: number,
): Pick<Replayed, 'total' | 'replayed' | 'changed' | 'share' | 'interval'> {
  const share = replayed === 0 ? 0 : changed / replayed
  return { total, replayed, changed, share, interval: wilson(changed, replayed) }
}

const byCount = (rows: readonly Transition[]): readonly Transition[] =>
  rows.toSorted((one, other) => other.count - one.count)

function addCodes(codes: Map<string, { before: number; after: number }>, { code, before, after }: ResultCount): void {
  const known = codes.get(code) ?? { before: 0, after: 0 }
  codes.set(code, known)
  known.before += before
  known.after += after
}

const byFrequency = (codes: ReadonlyMap<string, { before: number; after: number }>): readonly ResultCount[] =>
  [...codes]
    .map(([code, { before, after }]) => ({ code, before, after }))
    .toSorted((one, other) => Math.max(other.before, other.after) - Math.max(one.before, one.after))

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

function sumsOf({ count, before, after, largest: { change, example } }: Amount): AmountSums {
  return { count, before: before.sum, after: after.sum, change, example }
}

function addSums(one: AmountSums, other: AmountSums): AmountSums {
  const { change, example } = Math.abs(other.change) > Math.abs(one.change) ? other : one
  return {
    count: one.count + other.count,
    before: one.before + other.before,
    after: one.after + other.after,
    change,
    example,
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
