import { expect, test } from 'vitest'
import { type Finding, isFault } from './verdict.ts'

test.each<[Partial<Finding>, boolean]>([
  [{}, true],
  [{ verdict: 'proved', severity: 'warning' }, true],
  [{ verdict: 'unknown' }, false],
  [{ severity: 'info' }, false],
  [{ acknowledged: { reason: 'intended' } }, false],
])('a refuted error with %j is a mistake of the author: %s', (more, expected) => {
  expect(isFault({ kind: 'gap', place: '', verdict: 'refuted', severity: 'error', ...more })).toBe(expected)
})
