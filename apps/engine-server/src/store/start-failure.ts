import { type Awaitable, starting } from '@engine/process'
import { StoreError } from './store.ts'

/** Like `starting`, for work with a store: a `StoreError` also prevents the start. */
export function startingStore<T>(option: string, value: string, work: () => Awaitable<T>): Promise<T> {
  return starting(option, value, work, (error) => (error instanceof StoreError ? error.message : undefined))
}
