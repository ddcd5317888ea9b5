import { EngineError } from '../errors.ts'

/** Admits changes of one tenant's rulesets until the tenant is deleted. */
export interface ChangeGate {
  /**
   * Makes a change. Rejects with an `EngineError` `conflict` while the gate is closed, otherwise with the error of the
   * change.
   */
  run<T>(change: () => Promise<T>): Promise<T>
  /** Refuses changes. Resolves when the pending ones have completed. */
  close(): Promise<void>
  /** Admits changes again, because the tenant stays. */
  open(): void
}

export function createChangeGate(): ChangeGate {
  const underWay = new Set<Promise<unknown>>()
  let isOpen = true
  return {
    async run(change) {
      if (!isOpen) throw new EngineError('conflict', 'the tenant is being deleted: nothing in it can be changed')
      const made = change()
      underWay.add(made)
      try {
        return await made
      } finally {
        underWay.delete(made)
      }
    },
    async close() {
      isOpen = false
      await Promise.allSettled(underWay)
    },
    open() {
      isOpen = true
    },
  }
}
