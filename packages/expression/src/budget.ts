/** Milliseconds, from clocks that never go backwards. */
export interface Clocks {
  monotonic(): number
  /** Processor time of this thread. Where a platform does not tell it, `monotonic`. */
  processor(): number
}

/** What a budget allows. */
export interface BudgetLimits {
  /** Milliseconds from the first look at the clock until the work ends with `deadline`; 0: no deadline. */
  readonly deadlineMs: number
  /** Milliseconds of processor time without a pause until the work ends with `turn`. Default `LONGEST_TURN`. */
  readonly turnMs?: number
}

/** Work ended because its budget is spent. Callers name what was computing, and the limit in the user's terms. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError'
  /** `deadline`: the time of the request is over. `turn`: it kept the thread too long. `memory`: it created too much. */
  readonly reason: 'deadline' | 'turn' | 'memory'
  constructor(reason: 'deadline' | 'turn' | 'memory') {
    super(REASONS[reason])
    this.reason = reason
  }
}

const REASONS = {
  deadline: 'the time for this computation is over',
  turn: 'the computation kept the processor too long without a pause',
  memory: 'the computation created too much',
} as const

/** Units of work between two looks at the clock: well below a millisecond of honest charges. */
const UNITS_PER_LOOK = 20_000
/** Milliseconds after which work that can pause should: what else waits is served then. */
const PAUSE_AFTER = 15
/** Milliseconds of processor time after which work that cannot pause ends. */
export const LONGEST_TURN = 70
/** Bytes that one budget may create in all: with twice that the process still has room for its neighbours. */
const MOST_CREATED = 192 * 1024 * 1024

/**
 * The budget of work of one request: everything that is computed for it, in whatever ruleset or package, charges the same
 * budget. A unit is about what comparing two numbers or looking at one character costs, at most some 25 ns; every
 * algorithm charges at least its number of elementary steps, before it takes them or as it goes. The clock is read every
 * `UNITS_PER_LOOK` units, so that charging costs a subtraction and the deadline is still kept within a millisecond.
 */
export class Budget {
  /** Bytes created so far: what strings, lists and objects made by the work take, freed or not. */
  created = 0
  #left = UNITS_PER_LOOK
  #clocks: Clocks
  #deadlineMs: number
  #turnMs: number
  /** Undefined until the clock is first read: work that is over before costs no look at the clock. */
  #start: number | undefined
  #turnStart = 0
  #wantsPause = false

  constructor(clocks: Clocks, { deadlineMs, turnMs = LONGEST_TURN }: BudgetLimits) {
    this.#clocks = clocks
    this.#deadlineMs = deadlineMs
    this.#turnMs = turnMs
  }

  /** Charge units of work. Throws `BudgetError` when the deadline or the turn is over. */
  spend(units: number): void {
    this.#left -= units
    if (this.#left < 0) this.look()
  }

  /** Charge bytes before they are created, and the work of creating them. Throws `BudgetError`. */
  create(bytes: number): void {
    this.created += bytes
    if (this.created > MOST_CREATED) throw new BudgetError('memory')
    this.spend(bytes >> 3)
  }

  /** Whether the work should let other requests run at its next opportunity; then `resumed` is called. */
  get wantsPause(): boolean {
    return this.#wantsPause
  }

  /** After a pause: the next turn begins. */
  resumed(): void {
    this.#wantsPause = false
    this.#turnStart = this.#clocks.processor()
    this.look()
  }

  /** Use this budget for other work, as if it were new. */
  reset(deadlineMs: number): void {
    this.created = 0
    this.#left = UNITS_PER_LOOK
    this.#deadlineMs = deadlineMs
    this.#start = undefined
    this.#wantsPause = false
  }

  /** Read the clocks. Throws `BudgetError`. */
  look(): void {
    this.#left = UNITS_PER_LOOK
    const now = this.#clocks.monotonic()
    if (this.#start === undefined) {
      this.#start = now
      this.#turnStart = this.#clocks.processor()
      return
    }
    if (this.#deadlineMs > 0 && now - this.#start > this.#deadlineMs) throw new BudgetError('deadline')
    const turn = this.#clocks.processor() - this.#turnStart
    this.#wantsPause = turn > PAUSE_AFTER
    if (turn > this.#turnMs) throw new BudgetError('turn')
  }
}
