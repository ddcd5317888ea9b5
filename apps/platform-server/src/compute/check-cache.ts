import type { Outcome } from './compute.ts'
import type { Checked } from './tasks.ts'

/** Checks that are remembered, and what their problems may add up to. */
const [MAX_CHECKS, MAX_PROBLEMS] = [500, 20_000] as const

/**
 * Results of checks that took a thread, by the digest of all that a check depends on: the draft and what it refers to. A
 * draft is checked when it is saved; reading it again is then a read, until a fact, contract or sub-rule changes its digest.
 */
export class CheckCache {
  /** The one that was asked for first comes first. */
  readonly #known = new Map<string, Promise<Outcome<Checked>>>()
  readonly #sizes = new Map<string, number>()
  #problems = 0

  /** The result of a check; those that ask for it while it is made share it. */
  get(digest: string, check: () => Promise<Outcome<Checked>>): Promise<Outcome<Checked>> {
    const known = this.#known.get(digest) ?? this.#made(digest, check())
    this.#known.delete(digest)
    this.#known.set(digest, known)
    this.#shrink()
    return known
  }

  #made(digest: string, made: Promise<Outcome<Checked>>): Promise<Outcome<Checked>> {
    const ended = (outcome: Outcome<Checked>) => {
      // A limit of time says something about the machine: with less other work the draft may be checked in full.
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
