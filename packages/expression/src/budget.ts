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
  /** Bytes that may be created in all until the work ends with `memory`. Default `MOST_CREATED`. */
  readonly bytes?: number
}

/** Work ended because its budget is spent. Callers name what was computing, and the limit in the user's terms. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError'
  /** `deadline`: the time of the request is over. `turn`: it kept the thread too long. `memory`: it created too much. */
  readonly reason: 'deadline' | 'turn' | 'memory'
  /** The limit that was passed: milliseconds, or bytes where the reason is `memory`. */
  readonly limit: number
  constructor(reason: 'deadline' | 'turn' | 'memory', limit = 0) {
    super(REASONS[reason])
    this.reason = reason
    this.limit = limit
  }
}

const REASONS = {
  deadline: 'the time for this computation is over',
  turn: 'the computation kept the processor too long without a pause',
  memory: 'the computation created too much',
} as const

const TIMELESS: Clocks = { monotonic: () => 0, processor: () => 0 }

/** Units of work between two looks at the clock: well below a millisecond of honest charges. */
const UNITS_PER_LOOK = 20_000
/** Milliseconds after which work that can pause should: what else waits is served then. */
const PAUSE_AFTER = 15
/** Milliseconds of processor time after which work that cannot pause ends. */
export const LONGEST_TURN = 45
/**
 * Bytes that one budget may create in all: with twice that the process still has room for its neighbours.
 *
 * @internal
 */
export const MOST_CREATED = 192 * 1024 * 1024

/**
 * The budget of work of one request: everything that is computed for it, in whatever ruleset or package, charges the same
 * budget. A unit is about what comparing two numbers or looking at one character costs, at most some 25 ns; every
 * algorithm charges at least its number of elementary steps, before it takes them or as it goes, and never takes more
 * than a few milliseconds between two charges. The clock is read every `UNITS_PER_LOOK` units, so that charging costs a
 * subtraction and the deadline is still kept within a few milliseconds.
 */
export class Budget {
  /** Bytes created so far: what strings, lists and objects made by the work take, freed or not. */
  created = 0
  #left = UNITS_PER_LOOK
  readonly #clocks: Clocks
  readonly #turnMs: number
  readonly #bytes: number
  #deadlineMs: number
  /** Undefined until the clock is first read: work that is over before costs no look at the clock. */
  #start: number | undefined
  /** Monotonic milliseconds; only once `#start` is known. */
  #end = Infinity
  #turnStart = 0
  #wantsPause = false

  constructor(clocks: Clocks, { deadlineMs, turnMs = LONGEST_TURN, bytes = MOST_CREATED }: BudgetLimits) {
    this.#clocks = clocks
    this.#deadlineMs = deadlineMs
    this.#turnMs = turnMs
    this.#bytes = bytes
  }

  /**
   * A budget of work without clocks, for work that is the same on every machine: it ends after so many thousand units, and
   * everything that is charged later ends at once.
   */
  static ofThousands(thousands: number, bytes: number): Budget {
    let looks = 0
    const monotonic = () => ++looks
    const deadlineMs = Math.max(1, Math.floor((thousands * 1000) / UNITS_PER_LOOK))
    return new Budget({ monotonic, processor: () => 0 }, { deadlineMs, bytes })
  }

  /** A budget that never ends, for work whose size was limited before. */
  static endless(): Budget {
    return new Budget(TIMELESS, { deadlineMs: 0, bytes: Infinity })
  }

  /** Charge units of work. Throws `BudgetError` when the deadline or the turn is over. */
  spend(units: number): void {
    this.#left -= units
    if (this.#left < 0) this.look()
  }

  /** Charge bytes before they are created, and the work of creating them. Throws `BudgetError`. */
  create(bytes: number): void {
    if (this.created + bytes > this.#bytes) throw new BudgetError('memory', this.#bytes)
    this.created += bytes
    this.spend(1 + (bytes >> 3))
  }

  /** Whether the work should let other requests run at its next opportunity; then `resumed` is called. */
  get wantsPause(): boolean {
    return this.#wantsPause
  }

  /** After a pause, or after a wait for something else: the next turn begins. */
  resumed(): void {
    this.#wantsPause = false
    this.#turnStart = this.#clocks.processor()
    // The deadline may have passed meanwhile: the next charge finds out.
    this.#left = 0
  }

  /** Use this budget for other work, as if it were new. */
  reset(deadlineMs: number): void {
    // Nothing was charged to it and its clock has not begun: the common case of short decisions.
    if (this.#left === UNITS_PER_LOOK && this.#deadlineMs === deadlineMs) return
    this.created = 0
    this.#left = UNITS_PER_LOOK
    this.#deadlineMs = deadlineMs
    this.#start = undefined
    this.#wantsPause = false
  }

  /** Start the clock now instead of at the first look: for work that waits, and for what is asked how much is left. */
  begin(): void {
    if (this.#start === undefined) this.#begin(this.#clocks.monotonic())
  }

  /** Milliseconds until the deadline, at least 1; undefined: there is none. */
  get remaining(): number | undefined {
    this.begin()
    return this.#end === Infinity ? undefined : Math.max(1, Math.ceil(this.#end - this.#clocks.monotonic()))
  }

  /** Milliseconds of the deadline that is kept; 0: none. */
  get deadlineMs(): number {
    return this.#deadlineMs
  }

  /**
   * A part of the work with a deadline of its own, which holds besides that of the whole. Gives what ends the part: then
   * the deadline of the whole holds alone again.
   */
  within(milliseconds: number): () => void {
    this.begin()
    const [end, deadlineMs] = [this.#end, this.#deadlineMs]
    const own = this.#clocks.monotonic() + milliseconds
    if (own < end) {
      this.#end = own
      this.#deadlineMs = milliseconds
    }
    return () => {
      this.#end = end
      this.#deadlineMs = deadlineMs
    }
  }

  /** Read the clocks. Throws `BudgetError`, and from then on at every charge. */
  look(): void {
    const now = this.#clocks.monotonic()
    if (this.#start === undefined) this.#begin(now)
    if (now > this.#end) throw new BudgetError('deadline', this.#deadlineMs)
    const turn = this.#clocks.processor() - this.#turnStart
    // What passed since the last look may be a collection of garbage, or time that the machine gave to others: it says
    // nothing about the work before that could have paused.
    const couldPause = this.#wantsPause
    this.#wantsPause = turn > PAUSE_AFTER
    if (couldPause && turn > this.#turnMs) throw new BudgetError('turn', this.#turnMs)
    // One less than at the beginning: `reset` tells the two apart.
    this.#left = UNITS_PER_LOOK - 1
  }

  #begin(now: number): void {
    this.#left--
    this.#start = now
    this.#end = this.#deadlineMs > 0 ? now + this.#deadlineMs : Infinity
    this.#turnStart = this.#clocks.processor()
  }
}

/**
 * A budget of so many units, on every machine the same, which tells what was spent: for work that is done in pieces by a
 * measure of its own. The charge that is too much throws `BudgetError` (`deadline`), before what it is for is done.
 */
export class CountedBudget extends Budget {
  spent = 0
  readonly #most: number

  constructor(most: number) {
    super(TIMELESS, { deadlineMs: 0, bytes: Infinity })
    this.#most = most
  }

  override spend(units: number): void {
    this.spent += units
    if (this.spent > this.#most) throw new BudgetError('deadline', this.#most)
  }
}
