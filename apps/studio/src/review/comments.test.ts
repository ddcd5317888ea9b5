import '../api/loaded-client.testing.ts'
import { expect, test } from 'vitest'
import { commentsAt, type ReleaseComments } from './comments.ts'

const comment = (id: string, ruleset: string | null, place: string) => ({ id, ruleset, place })
const COMMENTS = {
  list: {
    items: [
      comment('whole', null, ''),
      comment('fee', 'fee', '/steps/0'),
      comment('tax', 'tax', '/steps/0'),
      comment('inner', 'fee', '/steps/0/rows/1'),
    ],
  },
} as unknown as ReleaseComments

test.each<[ruleset: string | null, place: string, ids: readonly string[]]>([
  [null, '', ['whole']],
  ['fee', '/steps/0', ['fee']],
  ['tax', '/steps/0', ['tax']],
  ['fee', '/steps/0/rows/1', ['inner']],
  ['fee', '', []],
])('the comments on %j at %j', (ruleset, place, ids) => {
  expect(commentsAt(COMMENTS, { ruleset, place }).map(({ id }) => id)).toEqual(ids)
})

test('comments that are not loaded are none', () => {
  expect(commentsAt({ list: {} } as unknown as ReleaseComments, { ruleset: null, place: '' })).toEqual([])
})
