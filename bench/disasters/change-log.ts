import { type Answer, RULESETS, until, type World } from './world.ts'

/** A save that the platform acknowledged. */
interface AcknowledgedSave {
  readonly ruleset: string
  readonly seq: number
  readonly code: string
}

/** Writes to a world continuously, and records the acknowledged ones. */
export class ChangeLog {
  readonly #world: World
  #saves: AcknowledgedSave[] = []
  /** Codes that a decision of each ruleset may have: the last one that was acknowledged, and those whose publication was not answered since. */
  #published = new Map<string, readonly string[]>()
  readonly #attempted = new Set<string>()
  #count = 0
  #held: Promise<void> = Promise.resolve()
  #writing: Promise<boolean> = Promise.resolve(false)
  #unanswered = 0
  #refused = new Map<number, number>()

  constructor(world: World) {
    this.#world = world
  }

  get acknowledged(): number {
    return this.#saves.length
  }
  get unanswered(): number {
    return this.#unanswered
  }
  /** Refused writes by status. */
  get refused(): ReadonlyMap<number, number> {
    return this.#refused
  }

  wasAttempted(code: unknown): boolean {
    return typeof code === 'string' && this.#attempted.has(code)
  }

  /** Save one ruleset and publish it. Resolves to whether both were acknowledged. */
  async write(): Promise<boolean> {
    await this.#held
    const writing = this.#write()
    this.#writing = writing
    return await writing
  }

  async #write(): Promise<boolean> {
    const ruleset = RULESETS[this.#count % RULESETS.length] ?? RULESETS[0]
    const code = `C${this.#count++}`
    const at = this.#world.ruleset(ruleset)
    const before = await this.#world.ask('GET', at)
    if (before.status !== 200 && before.status !== 404) return this.#failed(before)
    const saved = await this.#world.ask('POST', at, {
      expected_seq: before.status === 200 ? before.body.seq : 0,
      ruleset: {
        config: { name: ruleset, version: `1.0.${this.#count}` },
        startStepId: 'end',
        steps: [{ id: 'end', name: 'End', type: 'terminal', code }],
      },
    })
    if (saved.status !== 200 && saved.status !== 201) return this.#failed(saved)
    this.#saves.push({ ruleset, seq: saved.body.seq, code })
    this.#attempted.add(code)
    const published = await this.#world.ask('POST', `${at}/publish`, { environment: 'dev', seq: saved.body.seq })
    const isAcknowledged = published.status >= 200 && published.status < 300
    const former = this.#published.get(ruleset) ?? []
    this.#published.set(ruleset, isAcknowledged ? [code] : [...former, code])
    return isAcknowledged || this.#failed(published)
  }

  #failed({ status, body }: Answer): false {
    // A defect: the log of the platform about it is gone at the next start.
    if (status === 500) {
      const { platform, database } = this.#world
      const told = [JSON.stringify(body), ...platform.errors(), ...(database?.deadlocks() ?? [])]
      console.error(`a write was answered with 500: ${told.join('\n')}`)
    }
    if (status === 0) this.#unanswered++
    else this.#refused.set(status, (this.#refused.get(status) ?? 0) + 1)
    return false
  }

  /** Let nothing be written while a backup is made. Returns how to take the log back to it. */
  async whileNothingIsWritten(backUp: () => Promise<void>): Promise<() => void> {
    const held = Promise.withResolvers<void>()
    this.#held = held.promise
    await this.#writing
    const saves = [...this.#saves]
    const published = new Map(this.#published)
    try {
      await backUp()
    } finally {
      held.resolve()
    }
    return () => {
      this.#saves = saves
      this.#published = published
    }
  }

  /** Wait until all engines decide by the last published content. */
  async awaitEngines(): Promise<void> {
    for (const [ruleset, codes] of this.#published)
      for (const engine of this.#world.engines)
        await until(
          async () => codes.includes((await this.#world.decideDirectly(engine, ruleset)).body.code),
          `the ${engine.name} engine decides ${ruleset} by ${codes.join(' or ')}`,
        )
  }

  /** Acknowledged saves, from this one on, that the platform has lost. */
  async lostSince(first: number): Promise<readonly string[]> {
    const lost: string[] = []
    for (const { ruleset, seq, code } of this.#saves.slice(first)) {
      const { status, body } = await this.#world.ask('GET', `${this.#world.ruleset(ruleset)}/saves/${seq}`)
      if (status !== 200 || !JSON.stringify(body).includes(`"${code}"`)) lost.push(`${ruleset} ${seq}: ${code}`)
    }
    return lost
  }
}
