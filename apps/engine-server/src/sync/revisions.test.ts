import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Revisions } from './revisions.ts'

/** Revisions by a clock that shows these milliseconds, one after the other. */
function byClock(last: number, ...times: number[]): readonly number[] {
  const left = [...times]
  const revisions = new Revisions(last, () => left.shift() ?? 0)
  return times.map(() => revisions.next())
}

describe('revisions', () => {
  test.each<[what: string, last: number, times: number[], revisions: number[]]>([
    ['are microseconds', 0, [5, 6.25, 9], [5000, 6250, 9000]],
    ['grow where the clock stands still', 0, [5, 5, 5, 6], [5000, 5001, 5002, 6000]],
    ['grow where it goes back', 0, [5, 3, 1, 6], [5000, 5001, 5002, 6000]],
    ['continue above the last one of an earlier run', 9000, [5, 5, 10], [9001, 9002, 10_000]],
    ['begin with the clock when that is further', 9, [5], [5000]],
  ])('%s', (_what, last, times, revisions) => {
    expect(byClock(last, ...times)).toEqual(revisions)
  })

  test('continue above those of another writer, and never below those given', () => {
    const revisions = new Revisions(0, () => 1)
    expect([revisions.last, revisions.next(), revisions.last]).toEqual([0, 1000, 1000])
    revisions.saw(5000)
    expect([revisions.last, revisions.next()]).toEqual([5000, 5001])
    revisions.saw(10)
    expect(revisions.next()).toBe(5002)
  })

  test('only grow, regardless of the clock, and are exact for centuries', () => {
    const times = fc.array(fc.nat({ max: Date.UTC(2255, 0) }), { minLength: 2 })
    fc.assert(
      fc.property(fc.nat(), times, (last, shown) => {
        const given = [last, ...byClock(last, ...shown)]
        for (let at = 1; at < given.length; at++) expect(given[at]).toBeGreaterThan(given[at - 1] ?? 0)
        expect(given.every((revision) => Number.isSafeInteger(revision))).toBe(true)
      }),
    )
  })
})
