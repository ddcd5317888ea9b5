import { EngineError } from '../errors.ts'

/** Lets the changes of one tenant's rulesets through, until the tenant is deleted. */
export interface ChangeGate {
  /** Makes a change. Rejects with an `EngineError` `conflict` while the gate is closed, else as the change does. */
  run<T>(change: () => Promise<T>): Promise<T>
  /** Refuses changes. Resolves when the pending ones are done. */
  close(): Promise<void>
  /** Changes are let through again: the tenant stays. */
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
