import { Budget } from './budget.ts'
import { expect, test } from 'vitest'
import { check } from './checker.ts'
import { compile } from './compiler.ts'
import { canFail, fold } from './fold.ts'
import { interpret } from './interpreter.ts'
import { stringifyJson } from './json/json.ts'
import { toJsonForm } from './json-form/json-form.ts'
import { parse } from './parser.ts'
import { print } from './printer.ts'
import { LENIENT } from './runtime.ts'
import { SYNTAX_LIMITS } from './token.ts'
import type { Value } from './value.ts'

const { chain, nesting, path, list } = SYNTAX_LIMITS
const nest = (open: string, inner: string, close: string, levels = nesting - 1) =>
  open.repeat(levels) + inner + close.repeat(levels)

/** Expressions at the limits of the parser, with their values. */
const LARGEST: readonly (readonly [what: string, text: string, value: Value])[] = [
  ['a sum', `a${' + a'.repeat(chain)}`, chain + 1],
  ['a sum of constants', `1${' + 1'.repeat(chain)}`, chain + 1],
  ['a joined text', `s${' + s'.repeat(chain)}`, 'x'.repeat(chain + 1)],
  ['an and', `a${' && a'.repeat(chain)}`, true],
  ['an or', `n${' || n'.repeat(chain)}`, false],
  ['a sum of products', `a${' + a * a'.repeat(chain / 2)}`, chain / 2 + 1],
  ['an and of comparisons', `a == 1${' && a == 1'.repeat(chain / 2)}`, true],
  ['negations', `${'!'.repeat(nesting - 1)}a`, false],
  ['signs', `${'-'.repeat(nesting - 1)}a`, -1],
  ['else-if', `${'if n then 1 else '.repeat(nesting - 1)}2`, 2],
  ['conditions', nest('if ', 'a', ' then 1 else 0'), 1],
  ['calls', nest('abs(', 'a', ')'), 1],
  ['functions in functions', nest('any(l, x => ', 'x', ')'), true],
  ['sums on the right', nest('a + (', 'a', ')'), nesting],
  ['chains in parentheses', nest('(', `a${' + a'.repeat(100)}`, ')'), 101],
  ['a path', `a${'.b'.repeat(path - 1)}`, null],
  ['wildcards', `a${'.*'.repeat(path - 1)}`, null],
  ['a list', `len([${'a,'.repeat(list - 1)}a])`, list],
  ['a set of numbers', `a in [${'2,'.repeat(30_000)}1]`, true],
  ['a set of texts', `"y" in [${'"x",'.repeat(16_000)}"y"]`, true],
]

test.each(LARGEST)('%s as large as may be is evaluated in every way', (_what, text, value) => {
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new Error(parsed.problems[0]?.message)
  const { expression } = parsed
  const input = { a: 1, l: [1], s: 'x' }
  const environment = { input, variables: new Map(), policy: LENIENT }
  const runtime = () => ({ now: 0, budget: Budget.endless() })
  expect(interpret(expression, { ...environment, runtime: runtime() })).toBe(value)
  expect(interpret(fold(expression, LENIENT), { ...environment, runtime: runtime() })).toBe(value)
  expect(compile(expression, { policy: LENIENT })(input, new Map(), runtime())).toBe(value)
  expect(check(expression)).toEqual([])
  expect([true, false]).toContain(canFail(expression, LENIENT))
  expect(print(expression).length).toBeGreaterThan(0)
  expect(stringifyJson(toJsonForm(expression)).length).toBeGreaterThan(0)
})
