import { failures } from '../errors.ts'

/** Number of tasks of each size that run concurrently. */
export interface Slots {
  readonly small: number
  /** If 0, large tasks run as small ones, and no task is preempted. */
  readonly large: number
}

export type TaskSize = keyof Slots

/** A slot occupied by a task. */
export interface Slot {
  readonly size: TaskSize
  /**
   * Resolves when the task must make room for a small task of another organization: it should end and call `requeue`.
   */
  readonly preempted: Promise<void>
  /** Called when the task starts to run, after the startup of its thread. */
  begun(): void
  /** Called when the task has ended. */
  leave(): void
  /** Called when the task was preempted and restarts, among the large tasks. Resolves to its next slot. */
  requeue(): Promise<Slot>
}

interface Waiting {
  readonly size: TaskSize
  readonly begin: (slot: Slot) => void
  readonly refuse: (reason: Error) => void
}

interface Running {
  readonly organization: string
  readonly size: TaskSize
  readonly preempt: () => void
  /** Time on the clock of `performance`; undefined while its thread is starting. */
  since: number | undefined
  isPreempted: boolean
}

/** Time slice of a small task, after which a waiting one may preempt it. */
const SLICE_MS = 100
/** Time slice if more organizations wait than there are slots. */
const MIN_SLICE_MS = 25

/**
 * The order in which tasks get their slots: organizations in turn, and none has more than half of the slots. A waiting
 * small task gets the slot of the small task that has run longest, once its time slice has ended; the preempted task
 * restarts among the large ones, which run to completion. A small task therefore waits for those of its own
 * organization, and at most a time slice for those of others.
 *
 * No organization has more than half of the waiting places, and none is refused a place while another occupies several.
 */
export class TaskQueue {
  readonly #slots: Slots
  readonly #maxWaiting: number
  readonly #running = new Set<Running>()
  readonly #waiting = new Map<string, Waiting[]>()
  #waitingCount = 0
  /** Number of started tasks. */
  #begun = 0
  /** Start of the last task of each size, by organization, for organizations with a task in the queue. */
  readonly #lastOf: Readonly<Record<TaskSize, Map<string, number>>> = { small: new Map(), large: new Map() }
  #preemption: NodeJS.Timeout | undefined

  constructor(slots: Slots, maxWaiting: number) {
    this.#slots = slots
    this.#maxWaiting = maxWaiting
  }

  /** Resolves when a slot is taken. Rejects with `too-many-requests` if too many tasks are waiting. */
  enter(organization: string, asked: TaskSize): Promise<Slot> {
    const size = this.#slots.large === 0 ? 'small' : asked
    const own = this.#waiting.get(organization) ?? []
    // A waiting large task does not delay the small ones of its organization.
    if (!own.some((one) => one.size === size) && this.#hasSlot(organization, size))
      return Promise.resolve(this.#begin(organization, size))
    if (own.length >= Math.ceil(this.#maxWaiting / 2) || !this.#hasPlace(own.length)) return Promise.reject(tooMany())
    return this.#wait(organization, size, 'last')
  }

  /** Number of small tasks that wait for others to end. */
  get waitingSmall(): number {
    let count = 0
    for (const waiting of this.#waiting.values()) for (const { size } of waiting) if (size === 'small') count++
    return count
  }

  #wait(organization: string, size: TaskSize, place: 'first' | 'last'): Promise<Slot> {
    const { promise, resolve: begin, reject: refuse } = Promise.withResolvers<Slot>()
    const own = this.#waiting.get(organization) ?? []
    own[place === 'first' ? 'unshift' : 'push']({ size, begin, refuse })
    this.#waiting.set(organization, own)
    this.#waitingCount++
    this.#serve()
    return promise
  }

  /** True if a waiting place is free, or is taken from the organization that has most of them. */
  #hasPlace(own: number): boolean {
    if (this.#waitingCount < this.#maxWaiting) return true
    const [longest, waiting] = [...this.#waiting].reduce((most, one) => (one[1].length > most[1].length ? one : most))
    if (waiting.length <= own + 1) return false
    waiting.at(-1)?.refuse(tooMany())
    this.#forget(longest, waiting, waiting.length - 1)
    return true
  }

  #hasSlot(organization: string, size: TaskSize): boolean {
    return this.#count((one) => one.size === size) < this.#slots[size] && this.#isBelowHalf(organization)
  }

  #isBelowHalf(organization: string): boolean {
    const half = Math.max(1, Math.floor((this.#slots.small + this.#slots.large) / 2))
    return this.#count((one) => one.organization === organization) < half
  }

  #count(isCounted: (running: Running) => boolean): number {
    let count = 0
    for (const one of this.#running) if (isCounted(one)) count++
    return count
  }

  #begin(organization: string, size: TaskSize): Slot {
    const { promise: preempted, resolve: preempt } = Promise.withResolvers<void>()
    const running: Running = { organization, size, preempt, since: undefined, isPreempted: false }
    this.#running.add(running)
    this.#lastOf[size].set(organization, ++this.#begun)
    return {
      size,
      preempted,
      begun: () => {
        running.since = performance.now()
        this.#preempt()
      },
      leave: () => this.#leave(running),
      requeue: () => {
        const next = this.#wait(organization, 'large', 'first')
        this.#leave(running)
        return next
      },
    }
  }

  #leave(running: Running): void {
    this.#running.delete(running)
    this.#serve()
    this.#forgetTurn(running.organization)
  }

  #forgetTurn(organization: string): void {
    const isHere = this.#waiting.has(organization) || this.#count((one) => one.organization === organization) > 0
    if (isHere) return
    this.#lastOf.small.delete(organization)
    this.#lastOf.large.delete(organization)
  }

  #forget(organization: string, waiting: Waiting[], index: number): void {
    waiting.splice(index, 1)
    if (waiting.length === 0) this.#waiting.delete(organization)
    this.#waitingCount--
  }

  #serve(): void {
    this.#serveSize('small')
    this.#serveSize('large')
    this.#preempt()
  }

  #serveSize(size: TaskSize): void {
    const last = (organization: string) => this.#lastOf[size].get(organization) ?? 0
    for (const organization of [...this.#waiting.keys()].toSorted((left, right) => last(left) - last(right))) {
      if (!this.#hasSlot(organization, size)) continue
      const waiting = this.#waiting.get(organization) ?? []
      const index = waiting.findIndex((one) => one.size === size)
      const next = waiting[index]
      if (next === undefined) continue
      this.#forget(organization, waiting, index)
      next.begin(this.#begin(organization, size))
    }
  }

  /**
   * Preempts small tasks whose time slice has ended, for waiting organizations, now and at the end of the next time
   * slice.
   */
  #preempt(): void {
    clearTimeout(this.#preemption)
    if (this.#slots.large === 0) return
    let wanted = 0
    for (const [organization, waiting] of this.#waiting)
      if (waiting.some(({ size }) => size === 'small') && this.#isBelowHalf(organization)) wanted++
    const slice = Math.max(MIN_SLICE_MS, SLICE_MS / Math.ceil(wanted / this.#slots.small))
    wanted -= this.#count(({ isPreempted }) => isPreempted)
    const candidates = [...this.#running]
      .filter(({ size, isPreempted }) => size === 'small' && !isPreempted)
      .flatMap((running) => (running.since === undefined ? [] : [{ running, due: running.since + slice }]))
      .toSorted((left, right) => left.due - right.due)
    for (const { running, due } of candidates.slice(0, Math.max(0, wanted))) {
      const rest = due - performance.now()
      if (rest > 0) {
        this.#preemption = setTimeout(() => this.#preempt(), Math.ceil(rest))
        this.#preemption.unref()
        return
      }
      running.isPreempted = true
      running.preempt()
    }
  }
}

const tooMany = () => failures.tooMany('too many drafts are being executed: try again', 1)
