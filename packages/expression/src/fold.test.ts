import { describe, expect, test } from 'vitest'
import { canFail, fold } from './fold.ts'
import { parse } from './parser.ts'
import { print } from './printer.ts'
import { LENIENT, type EvaluationPolicy } from './runtime.ts'

const STRICT: EvaluationPolicy = { mode: 'strict', defaults: new Map(), numbers: 'double' }

function tree(text: string) {
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new Error(parsed.problems[0]?.message)
  return parsed.expression
}

test.each([
  ['1 + 2 * 3', '7'],
  ['a + 2 * 3', '(a + 6)'],
  ['upper("ab") == s', '("AB" == s)'],
  ['false && a', 'false'],
  ['true || 1 / 0', 'true'],
  ['true && a', '(true && a)'],
  ['if 1 > 2 then a else 5', '5'],
  ['if true then a else b', '(if true then a else b)'],
  ['1 / 0', '(1 / 0)'],
  ['a && 1 / 0', '(a && (1 / 0))'],
  ['now()', 'now()'],
  ['pad_left("", 20000)', 'pad_left("", 20000)'],
  ['no_such(1)', 'no_such(1)'],
  ['"a" in ["a", "b"]', 'true'],
])('%s folds to %s', (text, folded) => expect(print(fold(tree(text), LENIENT))).toBe(folded))

describe('what can fail', () => {
  test.each<[text: string, lenient: boolean, strict: boolean]>([
    ['a', false, true],
    ['a == 1', false, true],
    ['a == b', true, true],
    ['a in [1, "x", null]', false, true],
    ['a in b', true, true],
    ['a in [[1]]', true, true],
    ['[1, "x"] contains a', false, true],
    ['[[1]] contains a', true, true],
    ['a contains "x"', true, true],
    ['is_number(a)', false, true],
    ['is_number(a + 1)', true, true],
    ['a > 1', true, true],
    ['a && (b || !c)', false, true],
    ['exists(a)', false, false],
    ['is_null(a.b)', false, false],
    ['coalesce(a, 1)', false, false],
    ['coalesce(a + 1, 1)', true, true],
    ['len(a)', true, true],
    ['a.*', true, true],
    ['if true then 1 else 2', false, false],
    ['[a]', true, true],
    ['-1', false, false],
  ])('%s', (text, lenient, strict) => {
    expect([canFail(tree(text), LENIENT), canFail(tree(text), STRICT)]).toEqual([lenient, strict])
  })
})
