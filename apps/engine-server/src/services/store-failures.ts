import { EngineError, failures } from '../errors.ts'
import { StoreError } from '../store/store.ts'

/** Runs an operation of the store, and converts a `StoreError` to an `EngineError`. */
export async function withStoreErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof StoreError && error.code === 'disk') throw failures.storageFailed(error.message, error)
    if (error instanceof StoreError) throw new EngineError(CODES[error.code], error.message, { cause: error })
    throw error
  }
}

const CODES = {
  conflict: 'conflict',
  disk: 'storage-failed',
  closed: 'shutting-down',
  'too-large': 'payload-too-large',
  'invalid-name': 'invalid-request',
} as const
