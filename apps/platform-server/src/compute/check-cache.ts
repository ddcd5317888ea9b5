import type { Outcome } from './compute.ts'
import type { Checked } from './tasks.ts'

/** Maximum number of cached results, and of their problems in total. */
const [MAX_CHECKS, MAX_PROBLEMS] = [500, 20_000] as const

/**
 * Results of checks on threads, by the digest of every input of the check: the draft and its references. A draft is
 * checked when it is saved; later reads use the cached result until a fact, contract or sub-rule changes the digest.
 */
export class CheckCache {
  /** The least recently used result comes first. */
  readonly #known = new Map<string, Promise<Outcome<Checked>>>()
  readonly #sizes = new Map<string, number>()
  #problems = 0

  /** The result of a check; concurrent callers share one check. */
  get(digest: string, check: () => Promise<Outcome<Checked>>): Promise<Outcome<Checked>> {
    const known = this.#known.get(digest) ?? this.#made(digest, check())
    this.#known.delete(digest)
    this.#known.set(digest, known)
    this.#shrink()
    return known
  }

  #made(digest: string, made: Promise<Outcome<Checked>>): Promise<Outcome<Checked>> {
    const ended = (outcome: Outcome<Checked>) => {
      // A time limit depends on the load of the machine: under less load the draft may be checked in full.
      if (outcome.kind === 'over') return this.#forget(digest, made)
      if (this.#known.get(digest) !== made) return
      const { problems, undeclared } = outcome.result
      this.#sizes.set(digest, problems.length + undeclared.length)
      this.#problems += problems.length + undeclared.length
      this.#shrink()
    }
    made.then(ended, () => this.#forget(digest, made))
    return made
  }

  #shrink(): void {
    for (const [digest, check] of this.#known) {
      if (this.#known.size <= MAX_CHECKS && this.#problems <= MAX_PROBLEMS) return
      this.#forget(digest, check)
    }
  }

  #forget(digest: string, check: Promise<Outcome<Checked>>): void {
    if (this.#known.get(digest) !== check) return
    this.#known.delete(digest)
    this.#problems -= this.#sizes.get(digest) ?? 0
    this.#sizes.delete(digest)
  }
}
