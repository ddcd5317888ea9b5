import { describe, expect, test } from 'vitest'
import { CheckCache } from './check-cache.ts'
import type { Outcome } from './compute.ts'
import type { Checked } from './tasks.ts'

const done = (problems = 0, undeclared = 0) =>
  ({
    kind: 'done',
    result: { problems: Array.from({ length: problems }), undeclared: Array.from({ length: undeclared }) },
  }) as unknown as Outcome<Checked>

/** A cache, and the digests that it had to check. */
function cache() {
  const known = new CheckCache()
  const checked: string[] = []
  const get = async (digest: string, outcome: Outcome<Checked> | Error = done()) => {
    const check = async () => {
      checked.push(digest)
      if (outcome instanceof Error) throw outcome
      return outcome
    }
    const found = await known.get(digest, check).catch((error: unknown) => error)
    // The cache takes notice of a result in a later turn.
    await Promise.resolve()
    return found
  }
  return { get, checked, known }
}

describe('a check', () => {
  test('is made once, also for simultaneous callers', async () => {
    const { get, checked } = cache()
    const outcome = done(1)
    expect(await Promise.all([get('a', outcome), get('a')])).toEqual([outcome, outcome])
    expect(await get('a')).toBe(outcome)
    await get('b')
    expect(checked).toEqual(['a', 'b'])
  })

  test.each<[string, Outcome<Checked> | Error]>([
    ['over its limit', { kind: 'over', message: 'late' }],
    ['failed', new Error('gone')],
  ])('is made again when it was %s', async (_title, outcome) => {
    const { get, checked } = cache()
    expect(await get('a', outcome)).toBe(outcome)
    await get('a')
    expect(checked).toEqual(['a', 'a'])
  })
})

describe('beyond the limit', () => {
  test('of 500 results the one that was used the longest ago is forgotten', async () => {
    const { get, checked } = cache()
    for (let count = 0; count < 500; count++) await get(`${count}`)
    await get('0')
    await get('new')
    checked.length = 0
    await get('0')
    await get('2')
    expect(checked).toEqual([])
    await get('1')
    expect(checked).toEqual(['1'])
  })

  test('of 20,000 problems of both kinds as well', async () => {
    const { get, checked } = cache()
    await get('a', done(6000, 4000))
    await get('b', done(10_000))
    await get('a')
    expect(checked).toEqual(['a', 'b'])
    await get('c', done(0, 1))
    await get('a')
    await get('c')
    expect(checked).toEqual(['a', 'b', 'c'])
    await get('b')
    expect(checked).toEqual(['a', 'b', 'c', 'b'])
  })

  test('of problems a result alone is not kept', async () => {
    const { get, checked } = cache()
    await get('a', done(20_001))
    await get('a', done(20_000))
    await get('a')
    expect(checked).toEqual(['a', 'a'])
  })
})
