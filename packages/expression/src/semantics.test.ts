import { Budget } from './budget.ts'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { check } from './checker.ts'
import { compile } from './compiler.ts'
import { interpret } from './interpreter.ts'
import { parseJson, stringifyJson } from './json/json.ts'
import { parse } from './parser.ts'
import { EvaluationError, LENIENT, type EvaluationPolicy } from './runtime.ts'
import type { Value } from './value.ts'

const page = readFileSync(new URL('../../../docs/semantics.md', import.meta.url), 'utf8')
const STRICT: EvaluationPolicy = { mode: 'strict', defaults: new Map(), numbers: 'double' }
const input = jsonOf(/```json\n(?<text>[\s\S]*?)```/.exec(page)?.groups?.['text'] ?? '')

/** Rows of the tables whose first cell is an expression: `| code | value | strict? |`. */
const rows = page
  .split('\n')
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|')))
  .filter(([, first = '']) => /^`.*`$/.test(first))
  .flatMap(([, code = '', lenient = '', strict = '']) => {
    const expression = code.slice(1, -1)
    const row = { expression, policy: LENIENT, expected: lenient }
    return strict === '' ? [row] : [row, { expression, policy: STRICT, expected: strict }]
  })

test('the page has its rows', () => expect(rows.length).toBeGreaterThan(110))

const valued = rows.filter(({ expected }) => expected.startsWith('`'))
test.each(valued)('$expression is not refused when it is stored', ({ expression }) => {
  const parsed = parse(expression)
  expect(parsed.kind === 'failed' ? parsed.problems : check(parsed.expression)).toEqual([])
})

test.each(rows)('$expression is $expected in mode $policy.mode', ({ expression, policy, expected }) => {
  const parsed = parse(expression)
  if (parsed.kind === 'failed') throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  const runtime = () => ({ now: 0, budget: Budget.endless() })
  const variables = new Map<string, Value>()
  const wanted = expected.startsWith('`') ? stringifyJson(jsonOf(expected.slice(1, -1))) : expected
  expect(outcome(() => interpret(parsed.expression, { input, variables, policy, runtime: runtime() }))).toBe(wanted)
  expect(outcome(() => compile(parsed.expression, { policy })(input, variables, runtime()))).toBe(wanted)
})

function outcome(evaluate: () => Value): string {
  try {
    return stringifyJson(evaluate())
  } catch (error) {
    if (error instanceof EvaluationError) return error.code
    throw error
  }
}

function jsonOf(text: string): Value {
  const parsed = parseJson(text, { duplicateKeys: 'refuse' })
  if (parsed.kind === 'failed') throw new Error(parsed.problem.message)
  return parsed.value
}
