import { expect, test } from 'vitest'
import { EngineError } from '../errors.ts'
import { StoreError, type StoreErrorCode } from '../store/store.ts'
import { withStoreErrors } from './store-failures.ts'

test.each<[code: StoreErrorCode, failure: string, retryAfterSeconds: number | undefined]>([
  ['conflict', 'conflict', undefined],
  ['disk', 'storage-failed', 10],
  ['closed', 'shutting-down', undefined],
  ['too-large', 'payload-too-large', undefined],
  ['invalid-name', 'invalid-request', undefined],
])('a store that fails with %s', async (code, failure, retryAfterSeconds) => {
  const cause = new StoreError(code, 'the reason')
  const failed = withStoreErrors(() => Promise.reject(cause))
  await expect(failed).rejects.toBeInstanceOf(EngineError)
  await expect(failed).rejects.toMatchObject({ code: failure, message: 'the reason', retryAfterSeconds, cause })
})

test('a defect stays what it is', async () => {
  await expect(withStoreErrors(() => Promise.reject(new TypeError('oops')))).rejects.toBeInstanceOf(TypeError)
})
