import { LENIENT } from '@engine/expression'
import { expect, test } from 'vitest'
import { evaluate } from '../formula/evaluate.ts'
import { matchingText } from './matching-text.ts'

/** Whether the engine finds a pattern in a text. */
function isFound(pattern: string, text: string) {
  const literal = (value: string) => ({ kind: 'literal', value, span: { start: 0, end: 0 } }) as const
  const { span } = literal('')
  const call = { kind: 'call', name: 'matches', args: [literal(text), literal(pattern)], span, nameSpan: span } as const
  return evaluate(call, LENIENT, {})
}

test.each([
  ['^[0-9]{12,19}$', ['0'.repeat(12), '0'.repeat(13)]],
  ['^a{3}$', ['aaa', 'aaa']],
  ['^a{2,}b*c+d?$', ['aac', 'aaabccd']],
  ['^(DE|FR|IT)-\\d$', ['DE-0', 'FR-0', 'IT-0']],
  ['^(?:x|y)(?P<name>z)(?<other>w)$', ['xzw', 'yzw']],
  ['(?i)abc', ['abc']],
  ['^\\w\\s\\D\\W\\S\\.\\n\\t$', ['a x-x.\n\t', '0 x-x.\n\t']],
  ['\\Aa\\b\\z', ['a']],
  ['^[^a-z0]$', ['-']],
  ['^[^\\w\\s]$', ['-', '-']],
  ['^[\\d_-]$', ['0', '_', '-']],
  ['^[ad]$', ['a', 'd']],
  ['^[[x]$', ['[', 'x']],
  ['^[:a]$', [':', 'a']],
  ['^[a:]$', ['a', ':']],
  ['^[a-]$', ['a', '-']],
  ['^[a-c-]$', ['a', '-']],
  ['^[\\w-]$', ['a', '0', 'A', '_', '-', 'a']],
  ['^[^x-z0-9]$', ['-']],
  ['^[^x0A _-]$', ['~']],
  ['^[^ -~]$', ['é']],
  ['^x*$', ['', 'x', '', 'x']],
  ['^x{2,3}$', ['xx', 'xxx', 'xx']],
  ['^x{2}?y+?$', ['xxy', 'xxyy']],
  ['^x{,3}$|y', ['x{,3}', 'y']],
  ['^[]a]$', [']', 'a']],
  ['^[a\\]b]$', ['a', ']', 'b']],
  ['^[\\.-0]$', ['.']],
  ['^.+@[a-z]+\\.(com|org)$', ['x@a.com', 'xx@aa.org']],
  ['^(ab){2}c{0,1}$', ['abab', 'ababc']],
  ['a|', ['a', '']],
  ['^x+?y??$', ['x', 'xxy']],
])('%s matches the texts that are made of it', (pattern, texts) => {
  const made = texts.map((_text, variation) => matchingText(pattern, variation))
  expect(made).toEqual(texts)
  for (const text of texts) expect(isFound(pattern, text)).toEqual({ value: true })
})

test.each(['\\pL', '[[:alpha:]]', '[a', '(a', 'a)', '\\Qa.b\\E', '\\x41', '(?', '\\'])(
  'no text is made of %s',
  (pattern) => {
    expect(matchingText(pattern, 0)).toBeUndefined()
  },
)

test('a text of many repetitions has at most 1,000 characters', () => {
  expect(matchingText('((a{1000}){1000}b){9}', 0)).toBe('a'.repeat(1000))
})
