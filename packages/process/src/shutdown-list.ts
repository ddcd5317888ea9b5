import type { ShutdownStep } from './shutdown.ts'

/** LIFO list of shutdown steps. */
export class ShutdownList {
  readonly #steps: ShutdownStep[] = []

  /** See `ShutdownStep`. */
  add(name: string, share: number, run: ShutdownStep['run']): void {
    this.#steps.unshift({ name, share, run })
  }

  get steps(): readonly ShutdownStep[] {
    return this.#steps
  }
}
