import { expect, test } from 'vitest'
import { pageOf, type PageQuery } from './page.ts'

const ROWS = [
  ['a', 'Fee'],
  ['b', null],
  ['c', 'toll fee'],
  ['d', 'Tax'],
] as const

const page = (query: PageQuery) => {
  const { rows, next } = pageOf<(typeof ROWS)[number]>(
    ROWS,
    query,
    ([key]) => key,
    (row) => row,
  )
  return [rows.map(([key]) => key).join(''), next]
}

test.each<readonly [string, PageQuery, string, string | undefined]>([
  ['without a limit has all rows', {}, 'abcd', undefined],
  ['of some rows names the last one', { limit: 2 }, 'ab', 'b'],
  ['of as many rows as there are is the last one', { limit: 4 }, 'abcd', undefined],
  ['begins after a row', { limit: 2, after: 'b' }, 'cd', undefined],
  ['begins after a row that is gone', { limit: 1, after: 'bb' }, 'c', 'c'],
  ['after the last row is empty', { limit: 2, after: 'd' }, '', undefined],
  ['has the rows that contain a text, in any case', { contains: 'FEE' }, 'ac', undefined],
  ['has the rows whose key contains it', { contains: 'D' }, 'd', undefined],
  ['of found rows names the last of them', { limit: 1, contains: 'fee' }, 'a', 'a'],
  ['of found rows goes on after it', { limit: 1, contains: 'fee', after: 'a' }, 'c', undefined],
  ['of no found row is empty', { limit: 1, contains: 'q' }, '', undefined],
])('a page %s', (_, query, rows, next) => {
  expect(page(query)).toEqual([rows, next])
})
