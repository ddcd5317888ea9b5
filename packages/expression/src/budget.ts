/** Milliseconds, from clocks that never go backwards. */
export interface Clocks {
  monotonic(): number
  /** Processor time of this thread. Equal to `monotonic` on platforms that do not report it. */
  processor(): number
}

/** The limits of a budget. */
export interface BudgetLimits {
  /** Milliseconds from the first clock reading until the work fails with `deadline`; 0: no deadline. */
  readonly deadlineMs: number
  /** Milliseconds of processor time without a pause until the work fails with `turn`. Default `MAX_TURN`. */
  readonly turnMs?: number
  /** Bytes that may be allocated in total until the work fails with `memory`. Default `MAX_CREATED`. */
  readonly bytes?: number
}

/**
 * The work was stopped because its budget is exhausted. Callers name the computation and state the limit in the user's
 * terms.
 */
export class BudgetError extends Error {
  override readonly name = 'BudgetError'
  /**
   * `deadline`: the request's time is over. `turn`: the work blocked the thread for too long. `memory`: the work
   * allocated too much.
   */
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

/** Units of work between two clock readings: well below a millisecond for accurate charges. */
const UNITS_PER_LOOK = 20_000
/** Milliseconds after which work that can pause should yield to other requests. */
const PAUSE_INTERVAL_MS = 15
/** Milliseconds of processor time after which work that cannot pause is stopped. */
export const MAX_TURN = 45
/**
 * Bytes that one budget may allocate: even at twice this amount the process has memory left for other requests.
 *
 * @internal
 */
export const MAX_CREATED = 192 * 1024 * 1024

/**
 * The work budget of one request: everything computed for it, in any ruleset or package, charges the same budget. One
 * unit costs about as much as comparing two numbers or reading one character, at most some 25 ns; every algorithm
 * charges at least its number of elementary steps, before or while it takes them, and never runs for more than a few
 * milliseconds between two charges. The clock is read every `UNITS_PER_LOOK` units, so a charge costs one subtraction
 * and the deadline is still kept within a few milliseconds.
 */
export class Budget {
  /** Bytes allocated so far for strings, lists and objects, whether freed or not. */
  created = 0
  #left = UNITS_PER_LOOK
  readonly #clocks: Clocks
  readonly #turnMs: number
  readonly #bytes: number
  #deadlineMs: number
  /** Undefined until the clock is first read: short work finishes without reading it. */
  #start: number | undefined
  /** Monotonic milliseconds; valid only once `#start` is set. */
  #end = Infinity
  #turnStart = 0
  #wantsPause = false

  constructor(clocks: Clocks, { deadlineMs, turnMs = MAX_TURN, bytes = MAX_CREATED }: BudgetLimits) {
    this.#clocks = clocks
    this.#deadlineMs = deadlineMs
    this.#turnMs = turnMs
    this.#bytes = bytes
  }

  /**
   * A budget of work without clocks, for work that must be the same on every machine: it ends after the given number of
   * thousand units, and every later charge throws.
   */
  static ofThousands(thousands: number, bytes: number): Budget {
    let looks = 0
    const monotonic = () => ++looks
    const deadlineMs = Math.max(1, Math.floor((thousands * 1000) / UNITS_PER_LOOK))
    return new Budget({ monotonic, processor: () => 0 }, { deadlineMs, bytes })
  }

  /** A budget that never ends, for work whose size is already limited. */
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

  /** Whether the work should yield to other requests at its next opportunity, and then call `resumed`. */
  get wantsPause(): boolean {
    return this.#wantsPause
  }

  /** Start a new turn after a pause or after waiting. */
  resumed(): void {
    this.#wantsPause = false
    this.#turnStart = this.#clocks.processor()
    // The deadline may have passed during the pause: make the next charge read the clock.
    this.#left = 0
  }

  /** Reuse this budget for other work, as if it were new. */
  reset(deadlineMs: number): void {
    // Nothing was charged and the clock has not started: the common case of short decisions.
    if (this.#left === UNITS_PER_LOOK && this.#deadlineMs === deadlineMs) return
    this.created = 0
    this.#left = UNITS_PER_LOOK
    this.#deadlineMs = deadlineMs
    this.#start = undefined
    this.#wantsPause = false
  }

  /** Start the clock now instead of at the first reading: for work that waits, and before `remaining` is read. */
  begin(): void {
    if (this.#start === undefined) this.#begin(this.#clocks.monotonic())
  }

  /** Milliseconds until the deadline, at least 1; undefined without a deadline. */
  get remaining(): number | undefined {
    this.begin()
    return this.#end === Infinity ? undefined : Math.max(1, Math.ceil(this.#end - this.#clocks.monotonic()))
  }

  /** The deadline in milliseconds; 0: none. */
  get deadlineMs(): number {
    return this.#deadlineMs
  }

  /**
   * Apply a second deadline to part of the work, in addition to the deadline of the whole. Returns a function that ends
   * the part and restores the outer deadline.
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

  /** Read the clocks. Throws `BudgetError`, also at every later charge. */
  look(): void {
    const now = this.#clocks.monotonic()
    if (this.#start === undefined) this.#begin(now)
    if (now > this.#end) throw new BudgetError('deadline', this.#deadlineMs)
    const turn = this.#clocks.processor() - this.#turnStart
    // The time since the last reading may be garbage collection or time given to other processes: it must not count
    // against work that could have paused earlier.
    const couldPause = this.#wantsPause
    this.#wantsPause = turn > PAUSE_INTERVAL_MS
    if (couldPause && turn > this.#turnMs) throw new BudgetError('turn', this.#turnMs)
    // One less than initially, so that `reset` can distinguish the two.
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
 * A budget counted in units, identical on every machine, that reports the units spent: for work done in pieces of a
 * fixed size. The charge that exceeds it throws `BudgetError` (`deadline`) before the charged work is done.
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
