import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../tests/cases.testing.ts'
import { Budget } from './budget.ts'
import { check } from './checker.ts'
import { compile } from './compiler.ts'
import { divide } from './decimal/arithmetic.ts'
import { isDecimal, numberOfText } from './decimal/decimal.ts'
import { fold } from './fold.ts'
import { interpret } from './interpreter.ts'
import { parseJson, stringifyJson } from './json/json.ts'
import { parse } from './parser.ts'
import { print } from './printer.ts'
import { type Random, seeded } from './random.testing.ts'
import { EvaluationError, LENIENT, type Numbers } from './runtime.ts'
import type { Value } from './value.ts'

const policyOf = (numbers: Numbers) => ({ ...LENIENT, numbers })
const runtime = () => ({ now: 0, budget: Budget.endless() })

/** The outcome of every way to evaluate a text; they agree, or the first that differs is shown. */
function evaluate(text: string, numbers: Numbers, input: Value = {}): string {
  const parsed = parse(text, [], numbers)
  if (parsed.kind === 'failed') return parsed.problems.map(({ code }) => code).join()
  const { expression } = parsed
  const policy = policyOf(numbers)
  const variables = new Map<string, Value>()
  const answers = [expression, fold(expression, policy)].map((tree) =>
    outcome(() => interpret(tree, { input, variables, policy, runtime: runtime() })),
  )
  answers.push(outcome(() => compile(expression, { policy })(input, variables, runtime())))
  const printed = parse(print(expression), [], numbers)
  if (printed.kind === 'parsed')
    answers.push(outcome(() => interpret(printed.expression, { input, variables, policy, runtime: runtime() })))
  expect(new Set(answers).size, `${text} of ${stringifyJson(input)}: ${answers.join(' | ')}`).toBe(1)
  return answers[0] as string
}

function outcome(run: () => Value): string {
  try {
    return stringifyJson(run())
  } catch (error) {
    if (error instanceof EvaluationError) return error.code
    throw error
  }
}

/** Rows `| expression | decimal | double |` of the page. */
const rows = readFileSync(new URL('../../../docs/numbers.md', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, first = '']) => /^`.*`$/.test(first))
  .map(([, expression = '', decimal = '', double = '']) => ({ expression: expression.slice(1, -1), decimal, double }))

function jsonOf(cell: string, numbers: Numbers): string {
  if (!cell.startsWith('`')) return cell
  const parsed = parseJson(cell.slice(1, -1), { duplicateKeys: 'refuse', numbers })
  return parsed.kind === 'parsed' ? stringifyJson(parsed.value) : cell
}

describe('docs/numbers.md', () => {
  test('has its rows', () => expect(rows.length).toBeGreaterThan(45))

  test.each(rows)('$expression is $decimal in decimals, $double in doubles', ({ expression, decimal, double }) => {
    expect(evaluate(expression, 'decimal')).toBe(jsonOf(decimal, 'decimal'))
    expect(evaluate(expression, 'double')).toBe(jsonOf(double, 'double'))
  })
})

describe('a decimal that no double shows', () => {
  const input = { d: divide(1, 3), list: [divide(1, 3), 0.5, 0.3], o: { d: divide(2, 3) } } as Value

  test.each([
    ['d == 1 / 3', 'false'],
    ['d == d', 'true'],
    ['list[0] == d', 'true'],
    ['d in list', 'true'],
    ['index_of(list, d)', '0'],
    ['o.d > d', 'true'],
    ['o.d.c', 'null'],
    ['o.d.toJSON', 'null'],
    ['d.constructor', 'null'],
    ['exists(d.coefficient)', 'false'],
    ['!d', 'false'],
    ['is_object(d)', 'false'],
    ['is_number(d)', 'true'],
    ['len(d)', 'wrong-type'],
    ['keys(d)', 'wrong-type'],
    ['-d', '-0.3333333333333333333333333333333333'],
    ['d + "a"', 'wrong-type'],
    ['d < "a"', 'wrong-type'],
    ['d < null', 'false'],
    ['d + absent', 'null-operand'],
    ['d / 0', 'division-by-zero'],
    ['sort(list)', '[0.3,0.3333333333333333333333333333333333,0.5]'],
    ['min(list)', '0.3'],
    [
      'distinct([d, list[0], "0.3333333333333333333333333333333333"])',
      '[0.3333333333333333333333333333333333,"0.3333333333333333333333333333333333"]',
    ],
    [
      'group_by([{"k": d}, {"k": 1 / 3}], "k")',
      '{"0.3333333333333333333333333333333333":[{"k":0.3333333333333333333333333333333333},{"k":0.3333333333333333333333333333333333}]}',
    ],
    ['round(d, 2)', '0.33'],
    ['round(d, 33, "up")', '0.333333333333333333333333333333334'],
    ['to_int(d * 10)', '3'],
    ['substring("abc", o.d * 2)', '"bc"'],
    ['json_marshal(o)', '"{\\"d\\":0.6666666666666666666666666666666667}"'],
  ])('%s is %s', (text, expected) => expect(evaluate(text, 'decimal', input)).toBe(expected))
})

describe('refused when a ruleset is stored', () => {
  test.each([
    [
      '1.00000000000000000000000000000000001',
      'decimal',
      'too-many-digits',
      '`1.00000000000000000000000000000000001` has more than 34 digits: write `1`',
    ],
    ['round(a, 2, "bankers")', 'decimal', 'bad-argument', undefined],
    ['decimal("1")', 'double', 'unknown-function', '`decimal` needs `"numbers": "decimal"` in `config`'],
  ] as const)('%s', (text, numbers, code, message) => {
    const parsed = parse(text, [], numbers)
    const [problem] = parsed.kind === 'failed' ? parsed.problems : check(parsed.expression, { numbers })
    expect(problem?.code).toBe(code)
    if (message !== undefined) expect(problem?.message).toBe(message)
  })
})

test('JSON of decimals is read again as it was written', () => {
  const random = seeded(SEED)
  const count = casesOf(200_000)
  printSeed(count)
  for (let each = 0; each < count; each++) {
    const digits = randomDigits(random, 1 + random.below(40))
    const point = random.below(digits.length + 8)
    const padded = digits.padStart(point + 1, '0')
    const text = point === 0 ? padded : `${padded.slice(0, -point)}.${padded.slice(-point)}`
    const number = numberOfText(text)
    // In the middle of what `JSON.parse` is handed, and alone.
    for (const json of [text, `{"a":[1,${text},2],"b":${text}}`]) {
      const first = parseJson(json, { duplicateKeys: 'last', numbers: 'decimal' })
      if (first.kind === 'failed') throw new Error(`${json}: ${first.problem.message}`)
      const written = stringifyJson(first.value)
      const again = parseJson(written, { duplicateKeys: 'last', numbers: 'decimal' })
      const isSame = again.kind === 'parsed' && stringifyJson(again.value) === written
      const isRight =
        json === text ? stringifyJson(first.value) === String(number) : written.includes(`[1,${String(number)},2]`)
      if (!isSame || !isRight) throw new Error(`${json} was written as ${written}`)
    }
  }
}, 300_000)

function randomDigits(random: Random, count: number): string {
  let digits = String(1 + random.below(9))
  while (digits.length < count) digits += String(random.below(10))
  return digits
}

const OPERATORS = ['+', '-', '*', '/', '/', '%', '<', '>=', '==', '+', '*'] as const

/** Arithmetic with quotients where they are compared and rounded. */
function randomArithmetic(random: Random, depth: number): string {
  if (depth === 0 || random.chance(0.2))
    return random.pick(['a', 'b', 'c', 'd', 'e', '0.19', '3', '0', '100', '1e20', String(random.below(1000) / 100)])
  const inner = () => randomArithmetic(random, depth - 1)
  if (random.chance(0.15))
    return `round(${inner()}, ${random.below(5)}, "${random.pick(['half_up', 'half_even', 'floor'])}")`
  if (random.chance(0.1)) return `round(${inner()} / ${inner()}, ${random.below(5)})`
  if (random.chance(0.1)) return `(${inner()} / ${inner()} ${random.pick(['<', '<=', '==', '!='])} ${inner()})`
  if (random.chance(0.05)) return `(if ${inner()} then ${inner()} else ${inner()})`
  return `(${inner()} ${random.pick(OPERATORS)} ${inner()})`
}

test('random arithmetic gives the same interpreted, folded, compiled, and printed', { timeout: 300_000 }, () => {
  const random = seeded(SEED)
  const count = casesOf(60_000)
  printSeed(count)
  let decimals = 0
  for (let each = 0; each < count; each++) {
    const input = {
      a: random.below(1_000_000) / 100,
      b: -random.below(1000),
      c: random.below(100_000_000) / 1e6,
      d: numberOfText(`0.${randomDigits(random, 1 + random.below(34))}`) as Value,
      e: 10n ** BigInt(16 + random.below(10)) + BigInt(random.below(1000)),
    }
    const found = evaluate(randomArithmetic(random, 4), 'decimal', input)
    const number = /^-?\d/.test(found) ? numberOfText(found) : undefined
    if (isDecimal(number)) decimals++
  }
  expect(decimals).toBeGreaterThan(count / 50)
})

test.each([
  ['n - 0.005 == n', 'false'],
  ['n == n - 0.005', 'false'],
  ['n != n + 0.005', 'true'],
  ['n in [n - 0.005]', 'false'],
  ['n - 0.005 in [n]', 'false'],
  ['[n] == [n - 0.005]', 'false'],
  ['len(unique([n, n - 0.005]))', '2'],
  ['n - 0.005 + 0.005 == n', 'true'],
])('an integer beyond 2^53 is not the decimal whose nearest double it is: %s is %s', (text, expected) => {
  expect(evaluate(text, 'decimal', { n: 14_713_388_647_705_836n })).toBe(expected)
})
