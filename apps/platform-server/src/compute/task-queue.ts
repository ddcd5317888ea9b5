import { failures } from '../errors.ts'

/** How many tasks of a kind run at the same time. */
export interface Slots {
  readonly small: number
  /** None: large tasks run as small ones. */
  readonly large: number
}

export type TaskSize = keyof Slots

interface Waiting {
  readonly size: TaskSize
  readonly begin: () => void
}

/**
 * The order in which tasks get their slots: organizations in turn, and none has more than half of the slots, or of the places to wait.
 * A task thus waits for those of its own organization, and for others only where several keep all slots busy.
 */
export class TaskQueue {
  readonly #slots: Slots
  readonly #maxWaiting: number
  readonly #running: Record<TaskSize, number> = { small: 0, large: 0 }
  readonly #runningOf = new Map<string, number>()
  readonly #waiting = new Map<string, Waiting[]>()
  #waitingCount = 0
  /** Counts the tasks that have begun. */
  #begun = 0
  /** When the last task of an organization began, of those that have one here. */
  readonly #lastOf = new Map<string, number>()

  constructor(slots: Slots, maxWaiting: number) {
    this.#slots = slots
    this.#maxWaiting = maxWaiting
  }

  /** Resolves when a slot is taken, which `leave` gives back. Throws `too-many-requests` when too many tasks are waiting. */
  enter(organization: string, asked: TaskSize): Promise<TaskSize> {
    const size = this.#slots.large === 0 ? 'small' : asked
    const own = this.#waiting.get(organization) ?? []
    // A large task that waits does not hold up the small ones of its organization.
    if (!own.some((one) => one.size === size) && this.#hasSlot(organization, size)) {
      this.#begin(organization, size)
      return Promise.resolve(size)
    }
    if (this.#waitingCount >= this.#maxWaiting || own.length >= Math.ceil(this.#maxWaiting / 2))
      throw failures.tooMany('too many drafts are being executed: try again', 1)
    return new Promise((resolve) => {
      own.push({ size, begin: () => resolve(size) })
      this.#waiting.set(organization, own)
      this.#waitingCount++
    })
  }

  leave(organization: string, size: TaskSize): void {
    this.#running[size]--
    const left = (this.#runningOf.get(organization) ?? 0) - 1
    if (left > 0) this.#runningOf.set(organization, left)
    else {
      this.#runningOf.delete(organization)
      if (!this.#waiting.has(organization)) this.#lastOf.delete(organization)
    }
    this.#serve()
  }

  #hasSlot(organization: string, size: TaskSize): boolean {
    const half = Math.max(1, Math.floor((this.#slots.small + this.#slots.large) / 2))
    return this.#running[size] < this.#slots[size] && (this.#runningOf.get(organization) ?? 0) < half
  }

  #begin(organization: string, size: TaskSize): void {
    this.#running[size]++
    this.#runningOf.set(organization, (this.#runningOf.get(organization) ?? 0) + 1)
    this.#lastOf.set(organization, ++this.#begun)
  }

  #serve(): void {
    const last = (organization: string) => this.#lastOf.get(organization) ?? 0
    for (const organization of [...this.#waiting.keys()].toSorted((left, right) => last(left) - last(right))) {
      const waiting = this.#waiting.get(organization) ?? []
      const index = waiting.findIndex(({ size }) => this.#hasSlot(organization, size))
      if (index < 0) continue
      const [next] = waiting.splice(index, 1) as [Waiting]
      if (waiting.length === 0) this.#waiting.delete(organization)
      this.#waitingCount--
      this.#begin(organization, next.size)
      next.begin()
    }
  }
}
