import { describe, expect, test } from 'vitest'
import { AppliedRevisions } from './applied-revisions.ts'
import type { IncomingMessage } from './broker.ts'

const message = (revision: number | undefined, seq: number) => ({ revision, seq }) as IncomingMessage

describe('an event of a subject', () => {
  test('is new before any other event of the subject', () => {
    expect(new AppliedRevisions().skipReason('s', message(1, 1))).toBeUndefined()
  })

  test.each<[revision: number | undefined, seq: number, reason: string | undefined]>([
    [4, 9, 'older'],
    [5, 9, 'already_applied'],
    [6, 9, undefined],
    [6, 1, undefined],
    // Events that have no revision are compared by their place in the stream.
    [undefined, 6, 'older'],
    [undefined, 7, 'older'],
    [undefined, 8, undefined],
  ])('with the revision %s at %i after revision 5 at 7 is %s', (revision, seq, reason) => {
    const applied = new AppliedRevisions()
    applied.followed('s', message(5, 7))
    expect([applied.skipReason('s', message(revision, seq)), applied.skipReason('t', message(1, 1))]).toEqual([
      reason,
      undefined,
    ])
  })

  test('that arrives late undoes nothing', () => {
    const applied = new AppliedRevisions()
    applied.followed('s', message(5, 7))
    applied.followed('s', message(3, 4))
    expect([applied.skipReason('s', message(5, 9)), applied.skipReason('s', message(undefined, 7))]).toEqual([
      'already_applied',
      'older',
    ])
  })
})

test('the state bucket sets the revision of a subject, and keeps its place in the stream', () => {
  const applied = new AppliedRevisions()
  applied.followed('s', message(5, 7))
  applied.loaded('s', 3)
  applied.loaded('t', 2)
  expect(applied.skipReason('s', message(4, 8))).toBeUndefined()
  expect(applied.skipReason('s', message(undefined, 7))).toBe('older')
  expect([applied.isBeyond('s', 2), applied.isBeyond('s', 3), applied.isBeyond('gone', 0)]).toEqual([
    true,
    false,
    false,
  ])
  expect([applied.beyond(new Set(), 2), applied.beyond(new Set(['s']), 1)]).toEqual([['s'], ['t']])
})
