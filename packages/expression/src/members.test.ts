import { expect, test } from 'vitest'
import { Budget, CountedBudget } from './budget.ts'
import { compile } from './compiler.ts'
import { interpret } from './interpreter.ts'
import { read } from './read.ts'
import { EvaluationError, LENIENT, type Runtime } from './runtime.ts'
import { stringifyJson } from './json/json.ts'
import type { Value } from './value.ts'

const MEMBERS = 20_000

/** A new object each time: V8 caches the keys of one that was listed before. */
function largeObject(): Value {
  return Object.fromEntries(Array.from({ length: MEMBERS }, (_, index) => [`k${index}`, index]))
}

/** Evaluate a text in both ways. */
function evaluated(text: string, input: () => Value, runtime: () => Runtime): void {
  const found = read(text)
  if ('problems' in found) throw new Error(text)
  compile(found.expression, { policy: LENIENT })(input(), new Map(), runtime())
  interpret(found.expression, { input: input(), variables: new Map(), policy: LENIENT, runtime: runtime() })
}

test.each([
  'len(o)',
  '!o',
  'o || o',
  'o ? 1 : 2',
  'to_bool(o)',
  'any([o], x => x)',
  'filter([o], x => x)',
  'find([o], x => x)',
])('%s charges the keys that it lists', (text) => {
  const budgets: CountedBudget[] = []
  evaluated(
    text,
    () => ({ o: largeObject() }),
    () => {
      const budget = new CountedBudget(Infinity)
      budgets.push(budget)
      return { now: 0, budget }
    },
  )
  expect(budgets).toHaveLength(2)
  for (const { spent } of budgets) expect(spent).toBeGreaterThan(MEMBERS)
})

test('the clock is read while JSON text becomes an object of many members, not only before', () => {
  const looksOf = (text: string) => {
    let looks = 0
    const clocks = { monotonic: () => ++looks, processor: () => 0 }
    const runtime = () => ({ now: 0, budget: new Budget(clocks, { deadlineMs: 0 }) })
    try {
      evaluated('json_unmarshal(s)', () => ({ s: text }), runtime)
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error
    }
    return looks
  }
  const text = stringifyJson(largeObject())
  // A text that is invalid JSON from its first character is charged as well, and not parsed.
  expect(looksOf(text)).toBeGreaterThan(2 * looksOf(`!${text.slice(1)}`) + 2)
})
