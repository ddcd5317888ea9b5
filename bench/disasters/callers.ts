import { setTimeout as wait } from 'node:timers/promises'
import type { ChangeLog } from './change-log.ts'
import { type Answer, RULESETS, type World } from './world.ts'

const PROXY_CALLERS = 4
const PAUSE_MS = 15

/** The channel of a caller: the platform's proxy, or one engine by name. */
export type Channel = 'proxy' | 'first' | 'second'

/** Requests decisions through every channel continuously. */
export class Callers {
  /** Channels that a fault takes away: their requests may fail. */
  readonly #away = new Set<Channel>()
  readonly #stopping = new AbortController()
  readonly #loops: readonly Promise<void>[]
  readonly #failures: string[] = []
  #fault = 'before the first fault'
  #decisions = 0
  #excused = 0
  #slowestMs = 0

  constructor(world: World, log: ChangeLog) {
    const loop = async (channel: Channel, decide: (ruleset: string) => Promise<Answer>) => {
      for (let count = 0; !this.#stopping.signal.aborted; count++) {
        const ruleset = RULESETS[count % RULESETS.length] ?? RULESETS[0]
        const wasAway = this.#away.has(channel)
        const begin = performance.now()
        const { status, body } = await decide(ruleset)
        this.#decisions++
        const isDecided = status === 200 && log.wasAttempted(body.code)
        if (isDecided) this.#slowestMs = Math.max(this.#slowestMs, wasAway ? 0 : performance.now() - begin)
        else if (wasAway || this.#away.has(channel)) this.#excused++
        else this.#failures.push(`${this.#fault}: ${channel} answered ${status} ${JSON.stringify(body).slice(0, 200)}`)
        await wait(PAUSE_MS)
      }
    }
    this.#loops = [
      ...Array.from({ length: PROXY_CALLERS }, () => loop('proxy', (ruleset) => world.decideByProxy(ruleset))),
      ...world.engines.map((engine) =>
        loop(engine.name as Channel, (ruleset) => world.decideDirectly(engine, ruleset)),
      ),
    ]
  }

  get decisions(): number {
    return this.#decisions
  }
  get excused(): number {
    return this.#excused
  }
  get failures(): readonly string[] {
    return this.#failures
  }

  /** The longest time that a decision took since the last call, in milliseconds. */
  takeSlowest(): number {
    const slowest = this.#slowestMs
    this.#slowestMs = 0
    return slowest
  }

  beginFault(name: string, channels: readonly Channel[]): void {
    this.#fault = name
    for (const channel of channels) this.#away.add(channel)
  }

  endFault(): void {
    this.#away.clear()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#loops)
  }
}
