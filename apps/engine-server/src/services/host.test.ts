import { createCapabilities } from '@engine/ruleset'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createHost } from './host.ts'
import { memoryLog } from '../../../../packages/process/src/log.testing.ts'

function host() {
  const seen: unknown[] = []
  const { log, lines } = memoryLog()
  const made = createHost({
    requestMs: 30_000,
    rulesets: { resolve: () => undefined, generation: 0 },
    capabilities: createCapabilities(),
    log,
    metrics: { reported: (entry) => void seen.push(entry), callFailed: (entry) => void seen.push(entry) },
  })
  return { made, seen, lines }
}

test('generated code becomes a function of its parameters and sees no name of this program', () => {
  const { made } = host()
  expect(made.makeFunction?.(['a', 'b'], '"use strict"; return a * b')(6, 7)).toBe(42)
  expect(made.makeFunction?.([], 'return typeof require + typeof module + typeof compileFunction')()).toBe(
    'undefinedundefinedundefined',
  )
})

test('a rule logs at its own level, with its place', () => {
  const { made, lines } = host()
  made.log({ ruleset: 'r', step: 's', level: 'warn', message: 'odd' })
  expect(lines).toEqual([['warn', { ruleset: 'r', step: 's' }, 'odd']])
})

test('a failed call is counted and logged', () => {
  const { made, seen, lines } = host()
  const entry = { ruleset: 'r', step: 's', service: 'mail', method: 'send', cause: 'no such capability' }
  made.callFailed(entry)
  expect(seen).toEqual([entry])
  expect(lines).toEqual([['warn', entry, 'an external call of a rule failed']])
})

test('a reported metric appears among the metrics', () => {
  const { made, seen } = host()
  const entry = { ruleset: 'r', name: 'total', value: 3, tags: [] }
  made.metric(entry)
  expect(seen).toEqual([entry])
})

test('a limit aborts after its time, unless it was disposed of', async () => {
  const { made } = host()
  const [short, disposed, none] = [made.limit(5), made.limit(5), made.limit(undefined)]
  disposed.dispose()
  let heard = 0
  short.signal.addEventListener('abort', () => heard++)
  await sleep(40)
  expect([short.signal.aborted, disposed.signal.aborted, none.signal.aborted, heard]).toEqual([true, false, false, 1])
})

test('the clock is monotonic with fractions of a millisecond, and a pause lets other work run', async () => {
  const { made } = host()
  const before = made.monotonic()
  let ran = false
  setImmediate(() => (ran = true))
  await made.pause?.()
  expect(ran).toBe(true)
  const after = made.monotonic()
  expect(after).toBeGreaterThan(before)
  expect(after - Math.floor(after) + (before - Math.floor(before))).toBeGreaterThan(0)
})
