import { EventEmitter } from 'node:events'
import type { Server } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { memoryLog } from '../../process/src/log.testing.ts'
import { limitConnections } from './connection-limit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a server has its limit, and the log a line a minute about the connections that are closed', () => {
  const { log, lines } = memoryLog()
  const server = new EventEmitter() as Server
  limitConnections(server, 7, log)
  expect(server.maxConnections).toBe(7)
  const linesAfter = (milliseconds: number) => {
    vi.advanceTimersByTime(milliseconds)
    server.emit('drop')
    return lines.length
  }
  expect([0, 0, 59_999, 1, 30_000, 30_000].map(linesAfter)).toEqual([1, 1, 1, 2, 2, 3])
  expect(lines[0]).toEqual(['warn', { limit: 7 }, expect.stringContaining('--max-connections')])
})
