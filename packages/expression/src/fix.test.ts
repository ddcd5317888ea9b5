import { describe, expect, test } from 'vitest'
import { SEED } from '../../../tests/cases.testing.ts'
import { check } from './checker.ts'
import { randomExpression } from './expression.testing.ts'
import { FUNCTIONS } from './functions/index.ts'
import { tokenize } from './lexer.ts'
import { FOREIGN_OPERATORS } from './operator-table.ts'
import { parse } from './parser.ts'
import { print } from './printer.ts'
import { seeded } from './random.testing.ts'
import { KEYWORDS } from './token.ts'
import type { Fix, Problem } from './source.ts'

function applied(text: string, { span, text: replacement }: Fix): string {
  return text.slice(0, span.start) + replacement + text.slice(span.end)
}

function problemsOf(text: string): readonly Problem[] {
  const parsed = parse(text)
  return parsed.kind === 'failed' ? parsed.problems : check(parsed.expression)
}

/**
 * The text with all fixes applied one after the other: each fix removes its problem. Only the first syntax problem is
 * reported.
 */
function fixed(text: string): string {
  const [problem, ...others] = problemsOf(text)
  if (problem?.fix === undefined) return text
  const next = applied(text, problem.fix)
  const left = problemsOf(next)
  const isLater = (left[0]?.at.start ?? Infinity) > problem.at.start
  expect(left.length <= others.length || isLater, `${text} becomes ${next}`).toBe(true)
  return fixed(next)
}

describe('a fix', () => {
  test.each([
    ['a === 1', 'a == 1'],
    ['a = 1 & b ≠ 2', 'a == 1 && b != 2'],
    ['a∈[1]', 'a in [1]'],
    ['a ∉ [1]', 'a not in [1]'],
    ['¬a', '!a'],
    ['a?.b', 'a.b'],
    ['a AND b OR NOT_c', 'a and b or NOT_c'],
    ['a is -1', 'a == -1'],
    ['a mod 2', 'a % 2'],
    ['a not b', 'a not in b'],
    ['if a THEN 1 ELSE if b then 1 else 2', 'if a then 1 else if b then 1 else 2'],
    ['“x” == a', '"x" == a'],
    ['„x“ + ‘y’ + «z»', '"x" + "y" + "z"'],
    ['a\u00a0> 1', 'a > 1'],
    ['"a\r\nb"', '"a\\r\\nb"'],
    ['"\\d+"', '"\\\\d+"'],
    ['1_000 + .5 + 007 + 1.', '1000 + 0.5 + 7 + 1'],
    ['{a: 1, if: 2}', '{"a": 1, "if": 2}'],
    ['a[b]', 'a["b"]'],
    ['a[*].c', 'a.*.c'],
    ['a.["b"]', 'a["b"]'],
    ['a => 1', 'a >= 1'],
    ['length(a) + strlen(b)', 'len(a) + len(b)'],
  ])('%j becomes %j', (text, expected) => {
    expect(fixed(text)).toBe(expected)
    expect(problemsOf(expected)).toEqual([])
  })
})

describe('no fix where the suggestion is only advice', () => {
  test.each([
    '1 < a < 5',
    'a in b in c',
    'a ?? b',
    'a ** 2',
    'a =~ "x"',
    'a like "x"',
    'a between 1',
    'if(a, 1, 2) + b',
    'a.lower()',
    '"abc',
    '“abc',
    'a ”',
    '{"a" AND 1}',
    'a THEN b',
    'a not contains b',
    'a[-b]',
    'strlen(a, b)',
    'no_such_thing(a)',
  ])('%s', (text) => {
    const problems = problemsOf(text)
    expect(problems.length).toBeGreaterThan(0)
    for (const { fix } of problems) expect(fix).toBeUndefined()
  })
})

const FOREIGN_SYMBOLS = [...FOREIGN_OPERATORS].filter(([spelling]) => /^[^a-z]+$/.test(spelling))
const FOREIGN_WORDS = [...FOREIGN_OPERATORS].filter(([spelling]) => /^[a-z]+$/.test(spelling))

test('10,000 mistakes in random expressions: with the fix applied it is the expression again', () => {
  const random = seeded(SEED)
  let mistakes = 0
  for (let count = 0; count < 10_000; count++) {
    const text = print(randomExpression(random))
    const mistake = mistaken(text, (items) => random.pick(items))
    if (mistake === undefined) continue
    mistakes++
    const [problem, ...others] = problemsOf(mistake)
    expect(others, mistake).toEqual([])
    expect(problem?.fix, `${mistake}: ${problem?.message}`).toBeDefined()
    const parsed = parse(applied(mistake, problem?.fix as Fix))
    expect(parsed.kind === 'parsed' ? print(parsed.expression) : parsed.problems, mistake).toBe(text)
  }
  expect(mistakes).toBeGreaterThan(1500)
})

/** The text with one token replaced by its form in another language; undefined when that is not possible. */
function mistaken(text: string, pick: <Item>(items: readonly Item[]) => Item): string | undefined {
  const { tokens } = tokenize(text)
  const parsed = parse(text)
  if (parsed.kind === 'failed' || check(parsed.expression).length > 0) return undefined
  const choices = tokens.flatMap(({ kind, text: written, start, end }, index) => {
    const behind = tokens[index + 1]?.text ?? ''
    const isBinary = text[start - 1] === ' ' && text[end] === ' '
    if (kind === 'name' && behind === '(' && tokens[index - 1]?.text !== '.')
      return (FUNCTIONS.get(written)?.aliases ?? []).map((alias) => ({ start, end, alias }))
    if (kind === 'operator' || (kind === 'keyword' && isBinary && tokens[index - 1]?.text !== 'not')) {
      // After a word the parser treats `contains` as the operator and offers no fix.
      const takesWords = isBinary && !(FUNCTIONS.has(behind) && KEYWORDS.has(behind))
      const foreign = takesWords ? [...FOREIGN_SYMBOLS, ...FOREIGN_WORDS] : FOREIGN_SYMBOLS
      return foreign.filter(([, operator]) => operator === written).map(([alias]) => ({ start, end, alias }))
    }
    return []
  })
  if (choices.length === 0) return undefined
  const { start, end, alias } = pick(choices)
  return text.slice(0, start) + alias + text.slice(end)
}
