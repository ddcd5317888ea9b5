import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { IncomingMessage } from './broker.ts'
import { GapDetector } from './gap-detector.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const seen = (seq: number, isRedelivered = false) => ({ seq, isRedelivered }) as IncomingMessage

function detector(isWhole = true) {
  const lost = vi.fn<() => void>()
  const gaps = new GapDetector(lost)
  gaps.isWhole = isWhole
  return { gaps, lost }
}

/** Messages by their place in the stream; negative: redelivered. */
const see = (gaps: GapDetector, ...places: readonly number[]) => {
  for (const place of places) gaps.saw(seen(Math.abs(place), place < 0))
}

describe('a gap in the stream', () => {
  test.each<[title: string, places: readonly number[], isWhole: boolean, lost: number]>([
    ['is none without one', [1, 2, 3], true, 0],
    ['is told after its time', [1, 3], true, 1],
    ['is told once for all that is missing', [1, 3, 6], true, 1],
    ['is none before the first message', [7, 8], true, 0],
    ['is none where others publish to the stream', [1, 3], false, 0],
    ['is none where the missing message comes late', [1, 3, 2], true, 0],
    ['is one where only a part comes late', [1, 4, 2], true, 1],
    ['is none where the missing message comes again', [1, 3, -2], true, 0],
    ['is none after a message that comes again', [1, -9, 2], true, 0],
    ['of a message before the last is none', [5, 4, 6], true, 0],
  ])('%s', (_title, places, isWhole, times) => {
    const { gaps, lost } = detector(isWhole)
    see(gaps, ...places)
    vi.advanceTimersByTime(299)
    expect(lost).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(lost).toHaveBeenCalledTimes(times)
    vi.advanceTimersByTime(10_000)
    expect(lost).toHaveBeenCalledTimes(times)
  })

  test('is looked for anew after the first one', () => {
    const { gaps, lost } = detector()
    see(gaps, 1, 3)
    vi.advanceTimersByTime(300)
    see(gaps, 4, 5)
    vi.advanceTimersByTime(300)
    expect(lost).toHaveBeenCalledTimes(1)
    see(gaps, 8)
    vi.advanceTimersByTime(300)
    expect(lost).toHaveBeenCalledTimes(2)
  })

  test('is forgotten where the stream begins anew', () => {
    const { gaps, lost } = detector()
    see(gaps, 1, 3)
    expect(gaps.last).toBe(3)
    gaps.begin()
    expect(gaps.last).toBe(0)
    see(gaps, 10)
    vi.advanceTimersByTime(300)
    expect(lost).not.toHaveBeenCalled()
  })

  test('is not told after the end', () => {
    const { gaps, lost } = detector()
    see(gaps, 1, 3)
    gaps.close()
    vi.advanceTimersByTime(300)
    expect(lost).not.toHaveBeenCalled()
  })
})
