import type { AbortSignalLike } from '../capability.ts'

/**
 * The signal of one call: aborts with the first of its sources, and detaches from them when the call is over. An
 * execution may make many calls under one caller's signal, so listeners must not accumulate there.
 */
export class JoinedSignal implements AbortSignalLike {
  aborted: boolean
  readonly #sources: readonly AbortSignalLike[]
  readonly #listeners = new Set<() => void>()
  readonly #abort = () => {
    if (this.aborted) return
    this.aborted = true
    this.dispose()
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }

  constructor(sources: readonly AbortSignalLike[]) {
    this.#sources = sources
    this.aborted = sources.some(({ aborted }) => aborted)
    if (!this.aborted) for (const source of sources) source.addEventListener('abort', this.#abort)
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener)
  }

  /** The call is over: stop listening. */
  dispose(): void {
    for (const source of this.#sources) source.removeEventListener('abort', this.#abort)
  }
}
