import type { Value } from '@engine/expression'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ApiError, errorOf, signedOut, unreachable } from './errors.ts'

describe('a refusal', () => {
  test('has the message, the details and the conflicting state of its answer', () => {
    const details = [
      { path: '/seq', message: 'is stale', code: 'stale' },
      { path: '/name', message: 'is long' },
    ]
    const error = new ApiError(409, { error: 'conflict', details, current: { seq: 2 } }, 'id')
    expect(error).toMatchObject({ message: 'conflict', status: 409, details, current: { seq: 2 }, requestId: 'id' })
    expect(error.reason).toBe('stale')
  })

  test.each<readonly [string, Value | undefined]>([
    ['without a body', undefined],
    ['of another form', ['x']],
    ['whose members have other forms', { error: 1, details: 'x' }],
  ])('%s has its status alone', (_, body) => {
    const error = new ApiError(502, body, null)
    expect(error).toMatchObject({ message: 'status 502', details: [], current: undefined, requestId: undefined })
    expect(error.reason).toBeUndefined()
  })

  test('leaves out details that are none, and members of another type', () => {
    const { details } = new ApiError(400, { error: 'x', details: [1, { path: 1, code: 2 }, { message: 'm' }] }, null)
    expect(details).toEqual([
      { path: '', message: '' },
      { path: '', message: 'm' },
    ])
  })
})

test('only the status 401 ends the session, and its listeners are told until they leave', () => {
  // A file that ran before in the same process may have ended the session.
  signedOut.tell(false)
  onTestFinished(() => signedOut.tell(false))
  const told: boolean[] = []
  const leave = signedOut.subscribe(() => told.push(signedOut.get()))
  for (const status of [0, 400, 403, 500]) void new ApiError(status, undefined, null)
  expect([told, signedOut.get()]).toEqual([[], false])
  void new ApiError(401, undefined, null)
  expect([told, signedOut.get()]).toEqual([[true], true])
  leave()
  signedOut.tell(false)
  expect([told, signedOut.get()]).toEqual([[true], false])
})

test('a request that was cancelled stays so, another one did not reach the platform', () => {
  const cancelled = new DOMException('', 'AbortError')
  expect(unreachable(cancelled)).toBe(cancelled)
  for (const error of [new DOMException('', 'TimeoutError'), new TypeError('failed to fetch')])
    expect(unreachable(error)).toMatchObject({ status: 0, details: [] })
})

test('anything that is thrown is an error', () => {
  const error = new TypeError('x')
  expect([errorOf(error), errorOf('y').message]).toEqual([error, 'y'])
})
