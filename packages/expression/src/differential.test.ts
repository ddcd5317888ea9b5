import { expect, test } from 'vitest'
import type { Expression } from './ast.ts'
import { compile } from './compiler.ts'
import { randomExpression, randomInput, randomVariables } from './expression.testing.ts'
import { fold } from './fold.ts'
import { interpret } from './interpreter.ts'
import { stringifyJson } from './json.ts'
import { parse } from './parser.ts'
import { print } from './printer.ts'
import { type Random, seeded, seedOfRun } from './random.testing.ts'
import { EvaluationError, LENIENT, type MissingPolicy } from './runtime.ts'
import type { Value } from './value.ts'

const EXPRESSIONS = 100_000
const INPUTS_EACH = 2

const POLICIES: readonly MissingPolicy[] = [
  LENIENT,
  { mode: 'strict', defaults: new Map() },
  {
    mode: 'default',
    defaults: new Map<string, Value>([
      ['a', 1],
      ['b.c', 'text'],
      ['items', [1, { price: 2 }]],
    ]),
  },
]

/**
 * Three ways to evaluate and one meaning: the interpreter, the interpreter after folding, and generated code. Trees are
 * printed and parsed before they are evaluated, so that print-then-parse is held to give the same tree on the way, and
 * so that every error has a real place.
 */
test(`${EXPRESSIONS} random expressions mean the same in every way to evaluate them`, () => {
  const seed = seedOfRun()
  console.log(`seed ${seed} (ENGINE_SEED=${seed} runs the same expressions again)`)
  const random = seeded(seed)
  const seen = { values: 0, errors: 0 }
  for (let count = 0; count < EXPRESSIONS; count++) {
    const expression = reparsed(randomExpression(random))
    const policy = random.pick(POLICIES)
    for (const kind of compare(expression, policy, random)) seen[kind]++
  }
  // Both kinds of outcome have to be well represented, or the test shows nothing.
  expect(Math.min(seen.values, seen.errors)).toBeGreaterThan((EXPRESSIONS * INPUTS_EACH) / 10)
}, 120_000)

function reparsed(tree: Expression): Expression {
  const text = print(tree)
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new Error(`${text}: ${parsed.problems.map(({ message }) => message).join('; ')}`)
  if (print(parsed.expression) !== text) throw new Error(`${text}\nprints again as\n${print(parsed.expression)}`)
  return parsed.expression
}

function compare(expression: Expression, policy: MissingPolicy, random: Random): ('values' | 'errors')[] {
  const folded = fold(expression, policy)
  const compiled = compile(expression, { missing: policy })
  return Array.from({ length: INPUTS_EACH }, () => {
    const input = randomInput(random)
    const variables = randomVariables(random)
    const runtime = () => ({ now: 1_763_600_000_000, allocated: 0 })
    const environment = () => ({ input, variables, missing: policy, runtime: runtime() })
    const expected = outcome(() => interpret(expression, environment()))
    const answers = {
      folded: outcome(() => interpret(folded, environment())),
      compiled: outcome(() => compiled(input, variables, runtime())),
    }
    for (const [way, answer] of Object.entries(answers)) {
      if (answer === expected) continue
      const shown = {
        expression: print(expression),
        mode: policy.mode,
        input: stringifyJson(input),
        way,
        expected,
        answer,
      }
      throw new Error(JSON.stringify(shown, undefined, 2))
    }
    return expected.startsWith('error') ? 'errors' : 'values'
  })
}

function outcome(evaluate: () => Value): string {
  try {
    return stringifyJson(evaluate())
  } catch (error) {
    if (error instanceof EvaluationError)
      return `error ${error.code} ${error.span.start}-${error.span.end} ${error.message}`
    throw error
  }
}
