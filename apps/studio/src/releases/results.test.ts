import { expect, test } from 'vitest'
import { codeOf, errorResult, isError } from './results.ts'

test.each([
  ['APPROVED', 'APPROVED', false],
  ['error:timeout', 'timeout', true],
  ['an error:', 'an error:', false],
  [errorResult('timeout'), 'timeout', true],
])('the result %j has the code %j', (result, code, isFailed) => {
  expect([codeOf(result), isError(result)]).toEqual([code, isFailed])
})
