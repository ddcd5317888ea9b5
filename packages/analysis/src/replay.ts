import { isNumber, type Numbers, type Value } from '@engine/expression'
import { type Action, actionsOf, type Ruleset } from '@engine/ruleset'
import type { DecisionRecord } from './decision-record.ts'
import { INVALID_INPUT } from './formula/contract-acceptance.ts'
import { MaskedReads } from './masked-reads.ts'
import { RecordedAnswers } from './witness/recorded-calls.ts'
import type { Witness } from './verdict.ts'
import { type Callees, NO_CALLEES } from './witness/callees.ts'
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
  /** How many decisions change by how much, ascending; without those that do not change. Changes have two significant digits. */
  readonly spread: readonly { readonly change: number; readonly count: number }[]
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
export function replay(
  before: Ruleset,
  after: Ruleset,
  records: Iterable<DecisionRecord>,
  callees?: Callees,
): Replayed {
  const replayer = new Replayer(new ReplayedVersions(before, after, { callees }))
  for (const record of records) replayer.add(record)
  return replayer.replayed()
}

export interface ReplayOptions {
  /** The text that recordings have instead of values that must not be kept; undefined: they have all values. */
  readonly mask?: string | undefined
  /** The rulesets that both versions call, by name, with those that they call. */
  readonly callees?: Callees | undefined
}

/** Two versions of a ruleset, compiled: any number of replayers may use them. */
export class ReplayedVersions {
  readonly #sides: readonly ((record: DecisionRecord) => Side | undefined)[]
  readonly #masked: MaskedReads | undefined
  /** The mode of numbers in which records are read: decimal if a version computes with decimals. */
  readonly numbers: Numbers

  constructor(before: Ruleset, after: Ruleset, { mask, callees = NO_CALLEES }: ReplayOptions = {}) {
    this.numbers = [before, after].some(({ config }) => config.numbers === 'decimal') ? 'decimal' : 'double'
    this.#sides = [deciderOf(before, callees), deciderOf(after, callees)]
    this.#masked = mask === undefined ? undefined : new MaskedReads([before, after], mask)
  }

  /** Makes one decision again. */
  decide(record: DecisionRecord): ReplayedRecord {
    if (this.#masked?.isIn(record) === true) return left('a masked value is read')
    const [old, young] = this.#sides.map((decide) => decide(record))
    if (old === undefined || young === undefined)
      return left(
        record.calls === undefined ? 'it calls something outside the ruleset' : 'it makes a call that was not recorded',
      )
    if (!isAsRecorded(record, old)) return left('the old version does not decide what was recorded')
    return { kind: 'replayed', isChanged: !areSame(old, young), before: old, after: young }
  }
}

/** The versions of the last replay, for one whose records come in many tasks. */
export class LastVersions {
  #texts: readonly string[] = []
  #versions: ReplayedVersions | undefined

  /** @param texts those of both versions and of the rulesets they call; `make` is called if any of them has changed */
  get(texts: readonly string[], make: () => ReplayedVersions): ReplayedVersions {
    const isKnown = texts.length === this.#texts.length && texts.every((text, index) => text === this.#texts[index])
    if (isKnown && this.#versions !== undefined) return this.#versions
    this.clear()
    this.#versions = make()
    this.#texts = texts
    return this.#versions
  }

  /** Gives their memory back. */
  clear(): void {
    this.#texts = []
    this.#versions = undefined
  }
}

const left = (reason: string): ReplayedRecord => ({ kind: 'not-replayed', reason })

/** Makes recorded decisions one after the other, and sums up what changes. */
export class Replayer {
  readonly #versions: ReplayedVersions
  readonly #transitions = new Map<string, Transition & { count: number; readonly examples: Witness['input'][] }>()
  readonly #codes = new Map<string, { before: number; after: number }>()
  readonly #reasons = new Map<string, number>()
  readonly #amounts = new Map<string, AmountSums>()
  #total = 0
  #replayed = 0
  #changed = 0

  constructor(versions: ReplayedVersions) {
    this.#versions = versions
  }

  add(record: DecisionRecord): ReplayedRecord {
    this.#total++
    const made = this.#versions.decide(record)
    if (made.kind === 'not-replayed') {
      this.#reasons.set(made.reason, (this.#reasons.get(made.reason) ?? 0) + 1)
      return made
    }
    const { before, after, isChanged } = made
    this.#replayed++
    addCodes(this.#codes, { code: nameOf(before), before: 1, after: 0 })
    addCodes(this.#codes, { code: nameOf(after), before: 0, after: 1 })
    addAmounts(this.#amounts, before, after, record.input)
    if (isChanged) this.#noteChange(nameOf(before), nameOf(after), record.input)
    return made
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
 * How one version decides records: by the compiled program, or by following its steps where it calls something outside. That
 * ends there, unless the answer was recorded.
 */
function deciderOf(ruleset: Ruleset, callees: Callees): (record: DecisionRecord) => Side | undefined {
  if (callsOutside(ruleset)) {
    const follower = new Follower(ruleset, { callees })
    return ({ input, now, calls }) => follower.follow(input, now, undefined, calls && new RecordedAnswers(calls)).side
  }
  const program = compiledProgram(ruleset, callees)
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

function isAsRecorded({ code, isRefused = false }: DecisionRecord, side: Side): boolean {
  if ('error' in side) return code === undefined && (!isRefused || side.error.code === INVALID_INPUT)
  return !isRefused && (code === undefined || code === side.code)
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
  readonly spread: Map<number, number>
}

/** Digits of a change in a spread: 180 values for each power of ten at most. */
const SPREAD_DIGITS = 2

function addAmounts(amounts: Map<string, AmountSums>, old: Side, young: Side, input: Witness['input']): void {
  if ('error' in old || 'error' in young) return
  for (const [output, value] of Object.entries(old.output)) {
    const other: Value | undefined = Object.hasOwn(young.output, output) ? young.output[output] : undefined
    if (!isNumber(value) || other === undefined || !isNumber(other)) continue
    const sums = amounts.get(output) ?? { count: 0, before: 0, after: 0, change: 0, example: input, spread: new Map() }
    amounts.set(output, sums)
    const change = Number(other) - Number(value)
    sums.count++
    sums.before += Number(value)
    sums.after += Number(other)
    const rounded = Number(change.toPrecision(SPREAD_DIGITS))
    if (rounded !== 0) sums.spread.set(rounded, (sums.spread.get(rounded) ?? 0) + 1)
    if (Math.abs(change) > Math.abs(sums.change)) Object.assign(sums, { change, example: input })
  }
}

function amountOf(output: string, { count, before, after, change, example, spread }: AmountSums): Amount {
  return {
    output,
    count,
    before: { sum: before, mean: before / count },
    after: { sum: after, mean: after / count },
    largest: { change, example },
    spread: [...spread]
      .map(([by, times]) => ({ change: by, count: times }))
      .toSorted((one, other) => one.change - other.change),
  }
}

function sumsOf({ count, before, after, largest: { change, example }, spread }: Amount): AmountSums {
  const counts = new Map(spread.map((row) => [row.change, row.count]))
  return { count, before: before.sum, after: after.sum, change, example, spread: counts }
}

function addSums(one: AmountSums, other: AmountSums): AmountSums {
  const { change, example } = Math.abs(other.change) > Math.abs(one.change) ? other : one
  const spread = new Map(one.spread)
  for (const [by, count] of other.spread) spread.set(by, (spread.get(by) ?? 0) + count)
  return {
    count: one.count + other.count,
    before: one.before + other.before,
    after: one.after + other.after,
    change,
    example,
    spread,
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
