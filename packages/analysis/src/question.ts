import { quote } from '@engine/expression'
import type { Encoder } from './formula/encoder.ts'
import { isInDomain } from './formula/domain.ts'
import type { Literal } from './search/solver.ts'
import type { Witness } from './verdict.ts'
import { witnessOf } from './witness-of.ts'
import { type Executor, REFUSED } from './witness/executor.ts'
import type { FurtherSearch } from './witness/further-search.ts'
import type { Guesses } from './witness/guesses.ts'
import { type Candidate, Model } from './witness/model.ts'
import type { Retraced } from './witness/retracing.ts'
import type { Trail } from './witness/trail.ts'

/** Assignments that one question may take. */
const MAX_ASSIGNMENTS = 1_500_000
/** Guesses in a row that show nothing new until guessing ends. */
const MAX_FRUITLESS = 600
/** Inputs that are tried for one assignment. */
const MAX_TRIES = 14

/** The trail of an input outside the domain: it shows nothing. */
const OUTSIDE: Retraced = { seen: [], fresh: [], side: REFUSED }

/** What candidates were executed as: sessions keep them. */
const PLAYED = new WeakMap<Candidate, Candidate>()

/** An input that was the first to show something, and its execution. */
export interface ShownInput {
  readonly candidate: Candidate
  readonly trail: Trail
  /** Whether both ways of execution gave the result of the trail; undefined: not examined. */
  readonly isConfirmed: boolean | undefined
}

/** Questions about one ruleset: whether something ever happens, with an input that shows it. */
export class Question {
  /** Why the last answer was unknown. */
  reason = ''
  readonly #encoder: Encoder
  readonly #model: Model
  readonly #executor: Executor
  readonly #further: FurtherSearch | undefined
  #end: number
  readonly #seen = new Map<string, Candidate>()
  readonly #trails = new Map<Candidate, Trail>()
  readonly #confirmed = new Map<Candidate, boolean>()
  /** Inputs that were the first to show something. */
  readonly #pool: Candidate['input'][] = []

  constructor(encoder: Encoder, [executor]: readonly [Executor], budget: number, further?: FurtherSearch) {
    this.#encoder = encoder
    this.#executor = executor
    this.#model = new Model(encoder, further)
    this.#further = further
    this.#end = encoder.solver.work + budget
  }

  /** Whether the budget of all questions is spent. */
  get isOver(): boolean {
    return this.#encoder.solver.work >= this.#end
  }

  /** Counts work of another search, in assignments. */
  charge(work: number): void {
    this.#end -= work
  }

  hasSeen(key: string): boolean {
    return this.#seen.has(key)
  }

  /** The inputs that showed something, each once, as they were executed. */
  shown(): readonly Candidate[] {
    return Array.from(new Set(this.#seen.values()), (candidate) => this.#played(candidate))
  }

  /** The seen keys with a prefix. */
  seenWith(beginning: string): readonly string[] {
    return [...this.#seen.keys()].filter((key) => key.startsWith(beginning))
  }

  /** The input that showed something, if both ways of execution agree about it. */
  witnessOf(key: string): Witness | undefined {
    const candidate = this.#seen.get(key)
    const side = candidate && this.#trails.get(candidate)?.side
    if (candidate === undefined || side === undefined) return undefined
    const executed = this.#played(candidate)
    const isConfirmed = this.#confirmed.get(candidate) ?? this.#executor.confirms(executed, side)
    this.#confirmed.set(candidate, isConfirmed)
    return isConfirmed ? witnessOf(executed) : undefined
  }

  /** The inputs that showed something, with their executions. */
  inputs(): readonly ShownInput[] {
    return Array.from(this.#trails, ([candidate, trail]) => ({
      candidate,
      trail,
      isConfirmed: this.#confirmed.get(candidate),
    }))
  }

  /** Takes over an execution that is known to be the same in this ruleset. */
  recall({ candidate, trail, isConfirmed }: ShownInput): void {
    if (isConfirmed !== undefined) this.#confirmed.set(candidate, isConfirmed)
    this.#noteTrail(candidate, trail, trail.seen)
  }

  /** The first input that showed something. */
  shownBy(key: string): Candidate | undefined {
    return this.#seen.get(key)
  }

  /** The same as it was executed. */
  shownAs(key: string): Witness | undefined {
    const candidate = this.#seen.get(key)
    return candidate && witnessOf(this.#played(candidate))
  }

  /** Executes an input and notes all that it shows. */
  follow(candidate: Candidate): Retraced {
    if (!isInDomain(this.#encoder.domain, candidate.input)) return OUTSIDE
    const trail = this.#executor.follow(this.#played(candidate))
    this.#noteTrail(candidate, trail, trail.fresh)
    return trail
  }

  /** The candidate with the answers of external calls, if it needs any. */
  #played(candidate: Candidate): Candidate {
    if (this.#further === undefined || !this.#executor.needsAnswers) return candidate
    const known = PLAYED.get(candidate) ?? this.#further.played(candidate, this.#encoder.calls)
    PLAYED.set(candidate, known)
    return known
  }

  /** Whether a claim that was not seen before is shown by an input. */
  shows(candidate: Candidate, key: string): boolean {
    return this.follow(candidate).fresh.includes(key)
  }

  #noteTrail(candidate: Candidate, trail: Trail, claims: readonly string[]): void {
    let isNew = false
    for (const key of claims) {
      if (this.#seen.has(key)) continue
      this.#seen.set(key, candidate)
      isNew = true
    }
    if (!isNew) return
    this.#pool.push(candidate.input)
    this.#trails.set(candidate, trail)
  }

  /** Whether assumptions can hold together, as far as the budget goes: only false is certain. */
  isPossible(assumptions: readonly Literal[]): boolean {
    this.#model.begin()
    return this.#encoder.solver.solve(assumptions, this.#allowance, () => this.#model.check()) !== 'unsatisfiable'
  }

  /** Whether one of a few inputs that satisfy the assumptions shows a claim that was not seen before; false proves nothing. */
  glance(assumptions: readonly Literal[], key: string): boolean {
    if (!this.isPossible(assumptions)) return false
    for (const candidate of this.#model.candidates(2)) if (this.shows(candidate, key)) return true
    return false
  }

  /**
   * `proved`: no input makes the assumptions true. `refuted`: one was executed and showed the claim of this key, which was not seen
   * before unless there are loops.
   */
  ask(assumptions: readonly Literal[], key: string): 'proved' | 'refuted' | 'unknown' {
    const prefix = key.endsWith(' ?') ? key.slice(0, -1) : undefined
    return this.#asked(assumptions, (_candidate, trail) =>
      prefix === undefined ? trail.fresh.includes(key) : trail.seen.some((one) => one.startsWith(prefix)),
    )
  }

  /** The same of a claim that an input and its trail show together; it has the key from then on. */
  askBy(
    assumptions: readonly Literal[],
    key: string,
    shows: (candidate: Candidate, trail: Trail) => boolean,
  ): 'proved' | 'refuted' | 'unknown' {
    return this.#asked(assumptions, (candidate, trail) => {
      const executed = this.#played(candidate).stubs?.effective(candidate) ?? candidate
      if (!shows(executed, trail)) return false
      this.#seen.set(key, candidate)
      this.#trails.set(candidate, { ...trail, seen: [...trail.seen, key] })
      return true
    })
  }

  #asked(
    assumptions: readonly Literal[],
    shows: (candidate: Candidate, trail: Retraced) => boolean,
  ): 'proved' | 'refuted' | 'unknown' {
    this.#model.begin()
    const answer = this.#encoder.solver.solve(assumptions, this.#allowance, () => this.#model.check())
    if (answer === 'unsatisfiable') return 'proved'
    this.reason = 'the search took longer than its budget'
    if (answer === 'budget') return 'unknown'
    let isCut = false
    for (const candidate of this.#model.candidates(MAX_TRIES)) {
      const trail = this.follow(candidate)
      if (trail.side === undefined) isCut = true
      if (shows(candidate, trail)) return 'refuted'
    }
    this.reason = isCut
      ? 'an execution that leads there calls something outside the ruleset'
      : this.#notModelled(assumptions)
    return 'unknown'
  }

  /** Tries inputs near those that showed something, until all that is wanted was seen or the number is spent. */
  guess(guesses: Guesses, wanted: Iterable<string>, most: number): void {
    const open = new Set([...wanted].filter((key) => !this.#isShown(key)))
    let fruitless = 0
    for (let count = 0; count < most && open.size > 0 && fruitless < MAX_FRUITLESS; count++) {
      const size = this.#pool.length
      this.follow({ input: guesses.next(this.#pool) })
      fruitless++
      if (this.#pool.length === size) continue
      fruitless = 0
      for (const key of open) if (this.#isShown(key)) open.delete(key)
    }
  }

  #isShown(key: string): boolean {
    return this.hasSeen(key) || (key.endsWith(' ?') && this.seenWith(key.slice(0, -1)).length > 0)
  }

  get #allowance(): number {
    return Math.min(MAX_ASSIGNMENTS, Math.max(0, this.#end - this.#encoder.solver.work))
  }

  #notModelled(assumptions: readonly Literal[]): string {
    const read = new Set(this.#encoder.solver.justification(assumptions).map((literal) => literal >> 1))
    for (const [term, { text }] of this.#encoder.opaque)
      if ([...term.kinds.values()].some((literal) => read.has(literal >> 1)))
        return `the value of ${quote(text)} is not modelled`
    return 'no input was found that agrees with all comparisons'
  }
}
