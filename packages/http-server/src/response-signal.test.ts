import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test, vi } from 'vitest'
import { ResponseSignal } from './response-signal.ts'

const signalOf = (state: { writableEnded: boolean; destroyed: boolean }) => {
  const response = Object.assign(new EventEmitter(), state)
  return { response, signal: new ResponseSignal(response as unknown as ServerResponse) }
}

test.each([
  ['is pending', false, false, false],
  ['was answered, for example at its time limit', true, false, true],
  ['lost its connection', false, true, true],
])('work for a response that %s is no longer needed: %s', (_title, writableEnded, destroyed, aborted) => {
  expect(signalOf({ writableEnded, destroyed }).signal.aborted).toBe(aborted)
})

test('work learns that the response is closed, unless it no longer listens', () => {
  const { response, signal } = signalOf({ writableEnded: false, destroyed: false })
  const [listening, done] = [vi.fn<() => void>(), vi.fn<() => void>()]
  signal.addEventListener('abort', listening)
  signal.addEventListener('abort', done)
  signal.removeEventListener('abort', done)
  response.emit('close')
  expect([listening.mock.calls.length, done.mock.calls.length]).toEqual([1, 0])
})
