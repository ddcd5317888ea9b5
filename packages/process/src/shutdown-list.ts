import type { ShutdownStep } from './shutdown.ts'

/** What has to be closed: each part adds its own step when it is opened, and what was opened last is closed first. */
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
