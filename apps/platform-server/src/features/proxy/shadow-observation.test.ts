import { afterEach, expect, test, vi } from 'vitest'
import type { ActiveShadow } from '../shadows/active-shadows.ts'
import type { Comparison } from '../shadows/comparison.ts'
import { observationOf } from './shadow-observation.ts'

afterEach(() => void vi.restoreAllMocks())

const KIB_256 = 256 * 1024

function observed({
  percent = 100,
  endsIn = 60_000,
  decides = 'fee',
}: { percent?: number; endsIn?: number; decides?: string | null } = {}) {
  const shadow = { ruleset: 'fee', percent, endsAt: Date.now() + endsIn } as ActiveShadow
  const offered: Parameters<Comparison['offer']>[1][] = []
  const dropped: ActiveShadow[] = []
  const comparison: Comparison = {
    offer: (_shadow, bodies) => void offered.push(bodies),
    dropped: (one) => void dropped.push(one),
    stop: async () => {},
  }
  const shadows = new Map([['fee', shadow]])
  const observation = observationOf(comparison, { shadows }, decides ?? undefined, { 'content-encoding': 'gzip' })
  return { observation, offered, dropped }
}

test('the bodies of a decision are compared with their codings', () => {
  const { observation, offered, dropped } = observed()
  for (const part of ['a', 'b']) observation?.asked(Buffer.from(part))
  for (const part of ['c', 'd']) observation?.answered(Buffer.from(part))
  observation?.ended({ statusCode: 200, headers: { 'content-encoding': 'zstd' } })
  expect(offered).toEqual([
    {
      request: { bytes: Buffer.from('ab'), coding: 'gzip' },
      answer: { bytes: Buffer.from('cd'), coding: 'zstd', status: 200 },
    },
  ])
  expect(dropped).toEqual([])
})

test.each([
  [200, {}, 1],
  [422, { 'x-ruleset-digest': 'd' }, 1],
  // The ruleset had no part in it.
  [400, {}, 0],
  [503, {}, 0],
])('an answer with status %i and %o is compared %i times', (statusCode, headers, times) => {
  const { observation, offered, dropped } = observed()
  observation?.ended({ statusCode, headers })
  expect([offered.length, dropped.length]).toEqual([times, 0])
})

test.each(['asked', 'answered'] as const)('%s beyond 256 KiB it is counted as dropped', (side) => {
  for (const [size, isDropped] of [
    [KIB_256, false],
    [KIB_256 + 1, true],
  ] as const) {
    const { observation, offered, dropped } = observed()
    observation?.[side](Buffer.alloc(size - 1))
    observation?.[side](Buffer.alloc(1))
    observation?.ended({ statusCode: 200, headers: {} })
    expect([offered.length, dropped.length]).toEqual(isDropped ? [0, 1] : [1, 0])
  }
})

test('a shadow sees its share of the decisions of its ruleset, until its end', () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.25)
  const isSeen = (given: Parameters<typeof observed>[0]) => observed(given).observation !== undefined
  expect([isSeen({ percent: 26 }), isSeen({ percent: 25 })]).toEqual([true, false])
  expect([isSeen({ endsIn: 0 }), isSeen({ endsIn: -1 })]).toEqual([false, false])
  expect([isSeen({ decides: 'other' }), isSeen({ decides: null })]).toEqual([false, false])
})
