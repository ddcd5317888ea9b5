import { Budget } from './budget.ts'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../tests/cases.testing.ts'
import type { Expression } from './ast.ts'
import { compile, type CompiledExpression, makeFunction } from './compiler.ts'
import { Constants } from './constants.ts'
import { emitTruth } from './emit/emit.ts'
import { randomExpression, randomInput, randomVariables } from './expression.testing.ts'
import { canFail, fold } from './fold.ts'
import { interpret } from './interpreter.ts'
import { stringifyJson } from './json/json.ts'
import { parse } from './parser.ts'
import { print } from './printer.ts'
import { seeded } from './random.testing.ts'
import { EvaluationError, LENIENT, type EvaluationPolicy } from './runtime.ts'
import { type Case, shrunk } from './shrink.testing.ts'
import { isDecimal } from './decimal/decimal.ts'
import { isTrue } from './truth.ts'
import { isObject, type Value } from './value.ts'

const EXPRESSIONS = casesOf(100_000, 30)
const INPUTS_EACH = 2

const DOUBLE: readonly EvaluationPolicy[] = [
  LENIENT,
  { mode: 'strict', defaults: new Map(), numbers: 'double' },
  {
    mode: 'default',
    defaults: new Map<string, Value>([
      ['a', 1],
      ['b.c', 'text'],
      ['items', [1, { price: 2 }]],
    ]),
    numbers: 'double',
  },
]

const POLICIES: readonly EvaluationPolicy[] = DOUBLE.flatMap((policy) => [policy, { ...policy, numbers: 'decimal' }])

const NOW = 1_763_600_000_000

/**
 * The ways to evaluate that must agree with the interpreter: after folding, as generated code, and as the truth value
 * that conditions request from generated code. The result of `canFail` must be consistent with all of them.
 */
interface Ways {
  readonly expression: Expression
  readonly policy: EvaluationPolicy
  readonly folded: Expression
  readonly compiled: CompiledExpression
  readonly truth: CompiledExpression | undefined
  /** Proven to produce a value for every input. */
  readonly isSafe: boolean
}

function waysOf(expression: Expression, policy: EvaluationPolicy, withTruth: boolean): Ways {
  const folded = fold(expression, policy)
  const compiled = compile(expression, { policy })
  return {
    expression,
    policy,
    folded,
    compiled,
    truth: withTruth ? compileTruth(folded, policy) : undefined,
    isSafe: !canFail(expression, policy),
  }
}

/** Compiled like a condition of a ruleset, whose input is always an object. */
function compileTruth(expression: Expression, policy: EvaluationPolicy): CompiledExpression {
  const constants = new Constants()
  const temporaries: string[] = []
  const text = emitTruth(expression, {
    constants,
    input: 'input',
    inputIsObject: true,
    runtime: 'runtime',
    policy,
    variable: (name) => `variables.get(${constants.add(name)})`,
    coefficient: () => undefined,
    temporary: () => `t${temporaries.push('') - 1}`,
  })
  const declarations = ['t', ...temporaries.map((_, index) => `t${index}`)].join(', ')
  const body = `${constants.declarations('constants')}return (input, variables, runtime) => {\nlet ${declarations}\nreturn ${text}\n}`
  return makeFunction(['constants'], body)(constants.values) as CompiledExpression
}

interface Difference {
  readonly way: string
  readonly expected: string
  readonly answer: string
}

/** The first difference; the interpreter's result when all agree. */
function differenceOf(ways: Ways, input: Value, variables: ReadonlyMap<string, Value>): Difference | string {
  const { expression, policy, folded, compiled, truth, isSafe } = ways
  const runtime = () => ({ now: NOW, budget: Budget.endless() })
  const interpreted = (tree: Expression) => interpret(tree, { input, variables, policy, runtime: runtime() })
  const expected = outcome(() => interpreted(expression))
  const answers: [way: string, expected: string, answer: string][] = [
    ['folded', expected, outcome(() => interpreted(folded))],
    ['compiled', expected, outcome(() => compiled(input, variables, runtime()))],
  ]
  if (truth !== undefined && isObject(input)) {
    const isHolding = outcome(() => isTrue(interpreted(expression)))
    answers.push(['truth', isHolding, outcome(() => truth(input, variables, runtime()))])
  }
  if (isSafe && expected.startsWith('error')) answers.push(['canFail', 'a value', expected])
  const different = answers.find(([, wanted, answer]) => wanted !== answer)
  return different === undefined ? expected : { way: different[0], expected: different[1], answer: different[2] }
}

/**
 * Trees are printed and parsed before evaluation, so every error has a real position. A difference is reported with the
 * smallest expression and input that still show it.
 */
test(`${EXPRESSIONS} random expressions have the same value in every way of evaluation`, () => {
  printSeed(EXPRESSIONS)
  const random = seeded(SEED)
  const seen = { values: 0, errors: 0 }
  for (let count = 0; count < EXPRESSIONS; count++) {
    const ways = waysOf(reparsed(randomExpression(random)), random.pick(POLICIES), count % 3 === 0)
    for (let each = 0; each < INPUTS_EACH; each++) {
      const input = randomInput(random)
      const variables = randomVariables(random)
      const answer = differenceOf(ways, input, variables)
      if (typeof answer !== 'string') throw new Error(report(ways, input, variables))
      seen[answer.startsWith('error') ? 'errors' : 'values']++
    }
  }
  // Both kinds of outcome must be well represented, or the test proves nothing.
  expect(Math.min(seen.values, seen.errors)).toBeGreaterThan((EXPRESSIONS * INPUTS_EACH) / 10)
})

function report({ expression, policy }: Ways, input: Value, variables: ReadonlyMap<string, Value>): string {
  const difference = (candidate: Case) =>
    differenceOf(waysOf(reparsed(candidate.expression), policy, true), candidate.input, variables)
  const isWrong = (candidate: Case) => {
    try {
      return typeof difference(candidate) !== 'string'
    } catch {
      return false
    }
  }
  const smallest = shrunk({ expression, input }, isWrong)
  const details = {
    expression: print(smallest.expression),
    mode: policy.mode,
    input: stringifyJson(smallest.input),
    variables: stringifyJson(Object.fromEntries(variables)),
    difference: difference(smallest),
  }
  return JSON.stringify(details, undefined, 2)
}

test('a difference would be shrunk to a minimal example', () => {
  const random = seeded(1)
  const isWrong = ({ expression, input }: Case) =>
    print(expression).includes(' % ') && isObject(input) && Object.hasOwn(input, 'b')
  const wrong = Array.from({ length: 2000 }, () => ({
    expression: randomExpression(random),
    input: randomInput(random),
  }))
  const cases = wrong.filter(isWrong).map((start) => shrunk(start, isWrong))
  expect(cases.length).toBeGreaterThan(10)
  for (const { expression, input } of cases) {
    expect(print(expression)).toBe('(null % null)')
    expect(stringifyJson(input)).toBe('{"b":null}')
  }
})

function reparsed(tree: Expression): Expression {
  const text = print(tree)
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new Error(`${text}: ${parsed.problems.map(({ message }) => message).join('; ')}`)
  return parsed.expression
}

function outcome(evaluate: () => Value): string {
  try {
    return shown(evaluate())
  } catch (error) {
    if (error instanceof EvaluationError)
      return `error ${error.code} ${error.span.start}-${error.span.end} ${error.message}`
    throw error
  }
}

/** Like JSON, but shows a number's representation: `1n` differs from `1`, and `-0` from `0`. */
function shown(value: Value): string {
  if (Object.is(value, -0)) return '-0'
  return JSON.stringify(marked(value))
}

function marked(value: Value): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (isDecimal(value)) return `${String(value)}d`
  if (Array.isArray(value)) return value.map((item: Value) => marked(item))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, marked(member)]))
}
