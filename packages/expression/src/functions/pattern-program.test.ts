import { RE2JS } from 're2js'
import { describe, expect, test } from 'vitest'
import { Budget } from '../budget.ts'
import { compilePattern } from './pattern-program.ts'
import { estimatedSize } from './pattern-size.ts'

describe('the estimated size of a pattern', () => {
  test.each([
    'abc',
    'a|b|c',
    '(a?){900}z',
    '((a?){30}){30}z',
    '(((a{10}){10}){10})',
    '(\\pL{1,30}){30}',
    '[a-z]{5,}',
    '[]a]{100}',
    '[^]a]{100}',
    '[[:alpha:]]{100}',
    '\\Q(a{1000})\\E{9}',
    '(?:a{2,30}b*){20}',
    '(?P<name>a{100}){5}',
    '(?i)a{200}',
    'a{,5}',
    'a{3}?b+?c{2,4}?',
    '(((a?){10}){10}){10}'.repeat(20),
    '\\x{10ffff}{50}',
    '\\){100}',
  ])('%s', (pattern) => {
    const actual = RE2JS.compile(pattern).programSize()
    expect(estimatedSize(pattern)).toBeGreaterThanOrEqual(actual * 0.45)
    expect(estimatedSize(pattern)).toBeLessThanOrEqual(actual * 4 + 20)
  })
})

test.each([
  ['(a?){900}z', 'is too large'],
  ['(((a?){10}){10}){10}'.repeat(40), 'is too large'],
  [`(?i)${'[\u0100-\u{10ffff}]'.repeat(100)}`, 'is too large'],
  ['a'.repeat(1001), 'at most 1000 characters'],
  ['(', 'is not a regular expression'],
])('%s is refused', (pattern, reason) => {
  const program = compilePattern(Budget.endless(), pattern)
  expect('fault' in program ? program.fault : '').toContain(reason)
})

test('compiling a pattern is charged once while it is cached', () => {
  const budget = Budget.ofThousands(2000, 0)
  for (let count = 0; count < 1000; count++) compilePattern(budget, '(once)(b?){300}')
  expect(() => {
    for (let count = 0; count < 1000; count++) compilePattern(budget, `(ever){${count}}(c?){300}`)
  }).toThrow('the time for this computation is over')
})

test('many patterns do not stay in memory: the oldest are compiled again', () => {
  const patterns = Array.from({ length: 60 }, (_, index) => `(d?){500}e${index}`)
  const programs = patterns.map((pattern) => compilePattern(Budget.endless(), pattern))
  expect(compilePattern(Budget.endless(), patterns[0] as string)).not.toBe(programs[0])
  expect(compilePattern(Budget.endless(), patterns.at(-1) as string)).toBe(programs.at(-1))
})
