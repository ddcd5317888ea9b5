import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { problemText } from '../../apps/studio/src/problem-text/problem-words.ts'
import { problemMessages as en } from '../../apps/studio/src/texts/en/problem-messages.ts'
import { problemMessages as zh } from '../../apps/studio/src/texts/zh/problem-messages.ts'

const SOURCES = {
  'packages/expression/src/problems.ts': /problem\(\s*'([a-z-]+)'/g,
  'packages/ruleset/src/problems.ts': /fault\(\s*'([a-z-]+)'/g,
  'packages/authoring/src/problem.ts': /text\(\s*'([a-z-]+)'/g,
}

/** The codes of all messages. */
const codes = Object.entries(SOURCES).flatMap(([file, pattern]) => {
  const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
  return Array.from(text.matchAll(pattern), ([, code = '']) => code)
})

describe('the words of problems', () => {
  test('are Chinese for every code that the language, rulesets and drafts report', () => {
    expect(codes.length).toBeGreaterThan(100)
    expect(codes.filter((code) => !Object.hasOwn(zh, code))).toEqual([])
    expect(Object.keys(zh).filter((code) => !codes.includes(code))).toEqual([])
  })

  test('are of known codes in English', () => {
    expect(Object.keys(en).filter((code) => !codes.includes(code))).toEqual([])
  })

  test.each([
    [
      { code: 'branch-after-always', message: 'never tried: the branch at index 0 is always taken' },
      'This is never reached: branch 1 always matches.',
    ],
    [
      { code: 'undeclared-field', message: 'the contract declares no field `cart_amont`; did you mean `cart_amount`?' },
      'The contract has no field “cart_amont”. Did you mean “cart_amount”?',
    ],
    [{ code: 'division-by-zero', message: 'division by zero' }, 'division by zero'],
    [{ code: '__proto__', message: 'as it is' }, 'as it is'],
  ])('%j is %s', (problem, words) => {
    expect(problemText(problem, en)).toBe(words)
  })
})
