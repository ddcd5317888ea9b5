import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { memoryLog } from './log.testing.ts'
import { ShutdownList } from './shutdown-list.ts'
import { endSignal, shutDown } from './shutdown.ts'

test('the first signal waits for requests, the second ends the process immediately', async () => {
  const source = new EventEmitter()
  const codes: number[] = []
  const first = endSignal(source, (code) => codes.push(code))
  source.emit('SIGTERM')
  expect(await first).toBe('SIGTERM')
  expect(codes).toEqual([])
  source.emit('SIGINT')
  source.emit('SIGTERM')
  expect(codes).toEqual([130, 143])
})

test('steps run one after the other', async () => {
  const { log, lines } = memoryLog()
  const done: string[] = []
  const step = (name: string, milliseconds: number) => ({
    name,
    share: 1,
    run: async () => {
      await sleep(milliseconds)
      done.push(name)
    },
  })
  await shutDown([step('a', 20), step('b', 0), step('c', 5)], 5000, log)
  expect(done).toEqual(['a', 'b', 'c'])
  expect(lines).toEqual([])
})

test('what was added last stops first: it may use what was there before', async () => {
  const list = new ShutdownList()
  const done: unknown[] = []
  for (const [index, name] of ['store', 'audit', 'http'].entries())
    list.add(name, 1 / (index + 1), (milliseconds) => Promise.resolve(void done.push([name, milliseconds > 0])))
  expect(list.steps.map(({ name, share }) => [name, share])).toEqual([
    ['http', 1 / 3],
    ['audit', 1 / 2],
    ['store', 1],
  ])
  await shutDown(list.steps, 5000, memoryLog().log)
  expect(done).toEqual([
    ['http', true],
    ['audit', true],
    ['store', true],
  ])
})

test('a step that fails is logged and the next one runs', async () => {
  const { log, lines } = memoryLog()
  const err = new Error('disk full')
  let closed = false
  await shutDown(
    [
      { name: 'audit', share: 0.5, run: () => Promise.reject(err) },
      { name: 'store', share: 1, run: () => Promise.resolve(void (closed = true)) },
    ],
    1000,
    log,
  )
  expect(closed).toBe(true)
  expect(lines).toEqual([['error', { step: 'audit', err }, 'a shutdown step failed']])
})

test('a step that hangs is left after its share of the time, and the rest has time', async () => {
  const { log, lines } = memoryLog()
  const given: number[] = []
  await shutDown(
    [
      { name: 'http', share: 0.01, run: () => new Promise(() => {}) },
      { name: 'store', share: 1, run: (milliseconds) => Promise.resolve(void given.push(milliseconds)) },
    ],
    20_000,
    log,
  )
  expect(given[0]).toBeGreaterThan(0)
  expect(given[0]).toBeLessThanOrEqual(19_900)
  const late = { step: 'http', milliseconds: expect.closeTo(200, -1) }
  expect(lines).toEqual([['warn', late, 'a shutdown step timed out']])
})
