import { describe, expect, test } from 'vitest'
import { createStaleCache } from './stale-cache.ts'
import { LocalWakes } from './notifications.ts'

const AWAY = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })

/** A stored value for each key, with the clock and the database in the hands of the test. */
function newStore(more: {
  readonly servesChanged?: boolean
  readonly maxEntries?: number
  readonly maxBytes?: number
}) {
  const stored = new Map<string, string>()
  const wakes = new LocalWakes()
  const state = { now: 0, isAway: false, reads: 0, stale: 0, gate: undefined as Promise<void> | undefined }
  const known = createStaleCache<string, string>({
    async read(key) {
      state.reads++
      const found = stored.get(key)
      await state.gate
      if (state.isAway) throw AWAY
      return found
    },
    keyOf: (key) => key,
    topicOfRead: (key) => key,
    topicsOf: (found) => [found.split(' ')[0] ?? ''],
    servesChanged: false,
    servedStale: () => void state.stale++,
    bytesOf: (found) => found.length,
    wakes,
    freshMs: 2000,
    keptMs: 600_000,
    maxEntries: 3,
    maxBytes: 1000,
    now: () => state.now,
    ...more,
  })
  return { stored, wakes, state, known }
}

test('a result is read once while it is fresh, and again after that', async () => {
  const { stored, state, known } = newStore({})
  stored.set('a', 'a 1')
  expect([await known.read('a'), await known.read('a'), state.reads]).toEqual(['a 1', 'a 1', 1])
  state.now = 2000
  stored.set('a', 'a 2')
  expect([await known.read('a'), state.reads]).toEqual(['a 2', 2])
})

test('while the database is unavailable the last result is served for as long as it is kept, and no longer', async () => {
  const { stored, state, known } = newStore({})
  stored.set('a', 'a 1')
  await known.read('a')
  state.isAway = true
  for (state.now = 2000; state.now < 600_000; state.now += 1500) expect(await known.read('a')).toBe('a 1')
  state.now = 600_000
  await expect(known.read('a')).rejects.toBe(AWAY)
  await expect(known.read('b')).rejects.toBe(AWAY)
})

test('an unavailable database is tried once a second', async () => {
  const { stored, state, known } = newStore({})
  stored.set('a', 'a 1')
  await known.read('a')
  state.isAway = true
  state.now = 2000
  for (let count = 0; count < 10; count++) await known.read('a')
  expect([state.reads, state.stale]).toEqual([2, 10])
  state.now = 3001
  await known.read('a')
  expect(state.reads).toBe(3)
})

test('a deleted entry is not served again, even when the database becomes unavailable', async () => {
  const { stored, state, known } = newStore({})
  stored.set('a', 'a 1')
  await known.read('a')
  stored.delete('a')
  state.now = 2000
  expect(await known.read('a')).toBeUndefined()
  state.isAway = true
  await expect(known.read('a')).rejects.toBe(AWAY)
})

describe('a result that is known to be out of date', () => {
  test('is read again immediately', async () => {
    const { stored, wakes, known } = newStore({})
    stored.set('a', 'a 1')
    await known.read('a')
    stored.set('a', 'a 2')
    wakes.committed(['a'])
    expect(await known.read('a')).toBe('a 2')
  })

  test.each([
    [false, 'rejects'],
    [true, 'gives it'],
  ])('while the database is unavailable, with `servesChanged` %s %s', async (servesChanged) => {
    const { stored, state, wakes, known } = newStore({ servesChanged })
    stored.set('a', 'a 1')
    await known.read('a')
    wakes.committed(['a'])
    state.isAway = true
    const outcome = await known.read('a').catch((error: unknown) => error)
    expect(outcome).toBe(servesChanged ? 'a 1' : AWAY)
  })

  test('is not replaced by a read that began before the change', async () => {
    const { stored, state, wakes, known } = newStore({})
    const gate = Promise.withResolvers<void>()
    state.gate = gate.promise
    stored.set('a', 'a 1')
    const before = known.read('a')
    stored.set('a', 'a 2')
    wakes.committed(['a'])
    const after = known.read('a')
    gate.resolve()
    expect([await before, await after, await known.read('a')]).toEqual(['a 1', 'a 2', 'a 2'])
  })
})

test.each([
  ['entries', { maxEntries: 2 }],
  ['bytes', { maxBytes: 6 }],
])('beyond its limit of %s the least recently used result is forgotten', async (_, limit) => {
  const { stored, state, known } = newStore(limit)
  for (const key of ['a', 'b', 'c']) stored.set(key, `${key} 1`)
  await known.read('a')
  await known.read('b')
  await known.read('a')
  await known.read('c')
  state.isAway = true
  expect([await known.read('a'), await known.read('c')]).toEqual(['a 1', 'c 1'])
  await expect(known.read('b')).rejects.toBe(AWAY)
})
