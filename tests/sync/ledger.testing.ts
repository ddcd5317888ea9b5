/** A possible state of a ruleset: the mark of its content, or null when there is none. */
type Mark = number | null

/** A reader at the time of a question. */
interface Asked {
  readonly reader: string
  readonly life: number
}

/**
 * The contents of the writer in order, and the contents seen at readers. A reader may be late, but it only has contents that
 * existed, and it never goes back while it lives.
 */
export class Ledger {
  readonly violations: string[] = []
  acknowledged = 0
  unanswered = 0
  reads = 0
  /** Contents of each ruleset in their order. One that was not acknowledged is in it too: it may have been made. */
  readonly #contents: Map<string, Mark[]>
  /** Contents at the end of which one must be the last: the last acknowledged one, and unanswered ones after it. */
  readonly #possible: Map<string, Set<Mark>>
  /** Per reader, life and ruleset: the earliest position of the content that was seen. */
  readonly #places = new Map<string, number>()
  readonly #lives = new Map<string, number>()
  readonly #acknowledged = new Map<string, number>()
  #mark = 0

  constructor(names: readonly string[]) {
    this.#contents = new Map(names.map((name) => [name, [null]]))
    this.#possible = new Map(names.map((name) => [name, new Set<Mark>([null])]))
  }

  nextMark(): number {
    return ++this.#mark
  }

  /** `make` returns whether the change was acknowledged; an exception leaves that open. */
  async change(name: string, mark: Mark | 'any', make: () => Promise<boolean>): Promise<void> {
    const possible = this.#possible.get(name) ?? new Set()
    // A reader may have it before the answer is here.
    const place = mark === 'any' ? 0 : (this.#contents.get(name)?.push(mark) ?? 0) - 1
    try {
      if (!(await make())) return
      this.acknowledged++
      if (mark === 'any') return
      this.#acknowledged.set(name, place)
      possible.clear()
      possible.add(mark)
    } catch {
      this.unanswered++
      if (mark !== 'any') possible.add(mark)
    }
  }

  /** The content after a rollback, made or not, is the one that the writer reports next. */
  settle(name: string, found: Mark): void {
    this.#contents.get(name)?.push(found)
    this.#possible.set(name, new Set([found]))
  }

  /** A restarted reader accepts its first content. */
  restarted(reader: string): void {
    this.#lives.set(reader, (this.#lives.get(reader) ?? 0) + 1)
  }

  /** The position of the last acknowledged content of each ruleset. */
  get acknowledgedPlaces(): ReadonlyMap<string, number> {
    return new Map(this.#acknowledged)
  }

  /** Whether this content is one at that place or after it. */
  isFrom(place: number, name: string, mark: Mark): boolean {
    return (this.#contents.get(name) ?? []).lastIndexOf(mark) >= place
  }

  asks(reader: string): Asked {
    return { reader, life: this.#lives.get(reader) ?? 0 }
  }

  saw({ reader, life }: Asked, name: string, mark: Mark): void {
    this.reads++
    const key = `${reader} ${life} ${name}`
    const contents = this.#contents.get(name) ?? []
    const from = this.#places.get(key) ?? 0
    const place = contents.indexOf(mark, from)
    // A rollback is recorded with its answer: its content was seen before.
    if (place >= 0) this.#places.set(key, place)
    else if (!contents.includes(mark)) this.violations.push(`${reader} had ${name} as ${mark}, which never was`)
    else this.#suspects.push({ key, name, mark, from })
  }

  readonly #suspects: { key: string; name: string; mark: Mark; from: number }[] = []

  /** The writer ends with this. */
  ends(name: string, mark: Mark | undefined): void {
    const possible = this.#possible.get(name)
    const isPossible = mark !== undefined && possible?.has(mark) === true
    if (!isPossible)
      this.violations.push(`the writer ends with ${name} as ${mark}, acknowledged was ${[...(possible ?? [])].join()}`)
    for (const suspect of this.#suspects.filter((one) => one.name === name)) {
      const place = (this.#contents.get(name) ?? []).indexOf(suspect.mark, suspect.from)
      if (place < 0) this.violations.push(`${suspect.key} went back to ${suspect.mark}`)
    }
  }
}
