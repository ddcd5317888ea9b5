import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { memoryLog } from '../../process/src/log.testing.ts'
import { createAdoptedConnections } from './adopted-connections.ts'
import { limitConnections } from './connection-limit.ts'
import { createOpenConnections } from './open-connections.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('connections beyond the limit are logged once a minute', () => {
  const { log, lines } = memoryLog()
  const server = Object.assign(new EventEmitter(), { maxConnections: 0 })
  limitConnections(server as unknown as Server, 5, log)
  expect(server.maxConnections).toBe(5)
  const counts = [0, 59_999, 1, 1, 60_000].map((pause) => {
    vi.advanceTimersByTime(pause)
    server.emit('drop')
    return lines.length
  })
  expect(counts).toEqual([1, 1, 2, 2, 3])
  expect(lines[0]).toEqual(['warn', { limit: 5 }, expect.stringContaining('too many connections')])
})

test('open connections are counted until they are closed, and all of them are waited for', async () => {
  const open = createOpenConnections()
  await open.gone()
  const [one, other] = [new PassThrough(), new PassThrough()]
  open.add(one)
  open.add(other)
  let isGone = false
  const gone = open.gone().then(() => (isGone = true))
  one.destroy()
  await vi.waitFor(() => expect(open.size).toBe(1))
  expect(isGone).toBe(false)
  other.destroy()
  await gone
  expect(open.size).toBe(0)
  open.add(new PassThrough())
  let isGoneAgain = false
  void open.gone().then(() => (isGoneAgain = true))
  await new Promise((resolve) => void setImmediate(resolve))
  expect(isGoneAgain).toBe(false)
})

test('connections of another process are served as if they had been accepted here', async () => {
  const servers = [new EventEmitter(), new EventEmitter()]
  const served: string[] = []
  for (const [index, server] of servers.entries()) {
    server.on('listening', () => served.push(`${index} listens`))
    server.on('connection', () => served.push(`${index} serves`))
  }
  const adopted = createAdoptedConnections(servers as unknown as Server[])
  const connection = new PassThrough()
  adopted.take(servers[1] as Server, connection as unknown as Socket)
  expect([served, adopted.size]).toEqual([['0 listens', '1 listens', '1 serves'], 1])
  connection.destroy()
  await adopted.gone()
  expect(adopted.size).toBe(0)
})
