import { expect, test } from 'vitest'
import { type Finding, FINDING_KINDS, isFault } from './verdict.ts'

test.each<[Partial<Finding>, boolean]>([
  [{}, true],
  [{ verdict: 'proved', severity: 'warning' }, true],
  [{ verdict: 'unknown' }, false],
  [{ severity: 'info' }, false],
  [{ acknowledged: { reason: 'intended' } }, false],
])('a refuted error with %j is a mistake of the author: %s', (more, expected) => {
  expect(isFault({ kind: 'gap', place: '', verdict: 'refuted', severity: 'error', ...more })).toBe(expected)
})

test('reports in other formats list the kinds of findings by these names', () => {
  expect(FINDING_KINDS.join(' ')).toBe(
    'dead_branch shadowed always_true unreachable_step unreachable_code gap overlap can_fail endless_loop depth_limit contract',
  )
})
