import { expect, test } from 'vitest'
import type { Page } from '../../database/page.ts'
import { approvableOn } from './pending-releases.ts'

/** Releases of which every third may be approved, in batches of four. */
const RELEASES = Array.from({ length: 23 }, (_, number) => ({
  id: `r${number}`,
  allowed: number % 3 === 0 ? (['approve', 'cancel'] as const) : (['cancel'] as const),
  created_at: `c${number}`,
  updated_at: `u${number}`,
}))
const BATCH = 4
const APPROVABLE = RELEASES.filter((_, number) => number % 3 === 0).map(({ id }) => id)

async function ids(limit: number, after?: Page['after'], sort: Page['sort'] = 'created_at') {
  const asked: Page['after'][] = []
  const rows = await approvableOn({ limit, after, sort }, async (from) => {
    asked.push(from)
    const begin = from === undefined ? 0 : RELEASES.findIndex(({ id }) => id === from.id) + 1
    const shown = RELEASES.slice(begin, begin + BATCH)
    return {
      shown: shown.map((row) => ({ ...row, allowed: [...row.allowed] })),
      isLast: begin + BATCH >= RELEASES.length,
    }
  })
  return { ids: rows.map(({ id }) => id), asked }
}

test.each([1, 2, 3, 5, 7, 8, 100])('a page of %i has one release more where another page follows', async (limit) => {
  expect((await ids(limit)).ids).toEqual(APPROVABLE.slice(0, limit + 1))
})

test('a page begins after the last release of the page before', async () => {
  expect((await ids(2, { key: 'c6', id: 'r6' })).ids).toEqual(['r9', 'r12', 'r15'])
  expect((await ids(2, { key: 'c22', id: 'r22' })).ids).toEqual([])
})

test.each<[sort: Page['sort'], letter: string]>([
  ['created_at', 'c'],
  ['updated_at', 'u'],
])('the next batch follows the last release by %s, whether that may be approved or not', async (sort, letter) => {
  const after = [3, 7, 11, 15, 19].map((number) => ({ key: `${letter}${number}`, id: `r${number}` }))
  expect((await ids(100, undefined, sort)).asked).toEqual([undefined, ...after])
})

test('no more is read than the page needs', async () => {
  expect((await ids(1)).asked).toHaveLength(1)
  expect((await ids(2)).asked).toHaveLength(2)
})
