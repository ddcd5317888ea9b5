import { type Awaitable, starting } from '@engine/process'
import { StoreError } from './store.ts'

/** `starting` for work with a store: a `StoreError` is also a reason not to start. */
export function startingStore<T>(option: string, value: string, work: () => Awaitable<T>): Promise<T> {
  return starting(option, value, work, (error) => (error instanceof StoreError ? error.message : undefined))
}
