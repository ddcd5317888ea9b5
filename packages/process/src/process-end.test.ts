import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { endsWithThisProcess, withNpx } from './process-end.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const NPX = { npm_lifecycle_event: 'npx' }

test.each([
  ['its parent is another process than the one that started it', { ...NPX, npx_parent_pid: '0' }, true],
  ['the first process of a container started it, and is not its parent', { ...NPX, npx_parent_pid: '1' }, true],
  ['its parent still runs', { ...NPX, npx_parent_pid: String(process.ppid) }, false],
  ['its parent still runs, which npx did not name', NPX, false],
  ['npx did not start it', { npx_parent_pid: '0' }, false],
])('of a program whose end is awaited: %s', async (_, env, hasEnded) => {
  const ended = vi.fn<() => void>()
  void withNpx(env).then(ended)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(ended).toHaveBeenCalledTimes(hasEnded ? 1 : 0)
})

test('a program that this process starts is bound to it by its process ID', () => {
  expect(endsWithThisProcess()).toEqual({ ...NPX, npx_parent_pid: String(process.pid) })
})
