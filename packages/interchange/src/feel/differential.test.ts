import { CountedBudget, interpret, LENIENT, parse, stringifyJson, type Value } from '@engine/expression'
import { evaluate as evaluateByFeelin } from 'feelin'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { chance, inRange, pick, type Random, seededRandom } from '../../../ruleset/src/random.testing.ts'
import { FeelFault } from './ast.ts'
import { builtin, builtinNames } from './constant/builtins.ts'
import { constantText } from './constant/constant-text.ts'
import { Evaluator } from './constant/evaluator.ts'
import { KnownNames, parseConstant } from './constant/parser.ts'
import { NotConstant } from './constant/value.ts'
import { parseFeel } from './parser.ts'
import { type FeelName, FeelScope } from './scope.ts'
import { baseShape, type FeelShape, typeOfShape } from './shape.ts'
import { writeValue } from './write.ts'

/** Expressions that may be refused, in parts of all. */
const MAX_REFUSED = 0.2

const NUMBERS: FeelShape = { kind: 'list', items: () => baseShape('number') }
const TEXTS: FeelShape = { kind: 'list', items: () => baseShape('string') }
const INPUTS: readonly (readonly [name: string, shape: FeelShape])[] = [
  ['n', baseShape('number')],
  ['m', baseShape('number')],
  ['s', baseShape('string')],
  ['t', baseShape('string')],
  ['b', baseShape('boolean')],
  ['ns', NUMBERS],
  ['ss', TEXTS],
  ['day', baseShape('date')],
  ['at', baseShape('dateTime')],
]
const SCOPE = new FeelScope(
  INPUTS.map(([name, shape]): FeelName => ({
    name,
    target: { kind: 'input', field: name },
    shapeOf: (members) => (members.length === 0 ? shape : undefined),
    typeOf: (members) => (members.length === 0 ? typeOfShape(shape) : undefined),
    items: shape.kind === 'list' ? typeOfShape(shape.items()) : undefined,
  })),
)

type Input = { readonly [name: string]: Value }

function randomInput(random: Random): Input {
  const number = () => inRange(random, -6, 12) / 2
  const word = () => pick(random, ['', 'a', 'ab', 'b-a', 'aab', '12', '-1.5', 'x y'])
  const maybe = (value: Value): Value => (chance(random, 0.12) ? null : value)
  const list = (item: () => Value) => Array.from({ length: inRange(random, 2, 5) }, item)
  return {
    n: maybe(number()),
    m: maybe(number()),
    s: maybe(word()),
    t: maybe(word()),
    b: maybe(chance(random, 0.5)),
    // A filter of null is a matter of opinion: an empty list, or null.
    ns: list(number),
    ss: list(word),
    day: maybe(pick(random, ['2026-11-28', '2024-02-29', '2025-01-31'])),
    at: maybe(pick(random, ['2026-11-28T10:30:15Z', '2024-02-29T23:15:00', '2025-01-31T00:00:00+02:00'])),
  }
}

/** A value as a literal of FEEL. */
function literalOf(name: string, value: Value): string {
  if (value === null) return 'null'
  if (name === 'day') return `date(${stringifyJson(value)})`
  if (name === 'at') return `date and time(${stringifyJson(value)})`
  return stringifyJson(value)
}

const randomDigit = (random: Random) => String(inRange(random, 0, 6) / 2)
const randomWord = (random: Random) => pick(random, ['"a"', '"b"', '"ab"', '"-"', '""'])

function randomNumber(random: Random, depth: number): string {
  const inner = () => (depth > 0 ? randomNumber(random, depth - 1) : pick(random, ['n', 'm', randomDigit(random)]))
  return pick(random, [
    () => pick(random, ['n', 'm', randomDigit(random)]),
    () => `${inner()} ${pick(random, ['+', '-', '*'])} ${inner()}`,
    () => `abs(${inner()})`,
    () => `${pick(random, ['floor', 'ceiling'])}(${inner()})`,
    () => `modulo(${inner()}, ${inner()})`,
    () =>
      `${pick(random, ['round up', 'round down', 'round half up', 'round half down'])}(${inner()}, ${inRange(random, 0, 2)})`,
    () => `decimal(${inner()}, ${inRange(random, 0, 1)})`,
    () => `string length(${randomText(random, depth - 1)})`,
    () => `${pick(random, ['count', 'sum', 'min', 'max', 'mean', 'median'])}(${randomNumbers(random, depth - 1)})`,
    () => `number(${pick(random, ['s', 't'])})`,
    () => `if ${randomTruth(random, depth - 1)} then ${inner()} else ${inner()}`,
    () => `day.${pick(random, ['year', 'month', 'day', 'weekday'])}`,
    () => `at.${pick(random, ['year', 'month', 'day', 'hour', 'minute'])}`,
    () => `(day - date("2024-01-15")).days`,
    () => `years and months duration(date("2020-03-31"), day).${pick(random, ['years', 'months'])}`,
    () => 'day of year(day)',
    () => `ns[${pick(random, ['1', '2', '-1'])}]`,
  ])()
}

function randomText(random: Random, depth: number): string {
  const inner = () => (depth > 0 ? randomText(random, depth - 1) : pick(random, ['s', 't', randomWord(random)]))
  return pick(random, [
    () => pick(random, ['s', 't', randomWord(random)]),
    () => `${pick(random, ['s', 't'])} + ${randomWord(random)}`,
    () => `${pick(random, ['upper case', 'lower case'])}(${inner()})`,
    () => `substring(${inner()}, ${pick(random, ['1', '2', '-1', '-2'])}${pick(random, ['', ', 1', ', 2'])})`,
    () =>
      `${pick(random, ['substring before', 'substring after'])}(${inner()}, ${pick(random, ['"a"', '"-"', '"b"'])})`,
    () => `replace(${inner()}, ${pick(random, ['"a"', '"[ab]"', '"a+"', '"[^a]"'])}, ${randomWord(random)})`,
    () => `string(${pick(random, ['n', 'b', 's'])})`,
    () => `string join(ss${pick(random, ['', ', "-"'])})`,
    () => `${pick(random, ['day of week', 'month of year'])}(day)`,
    () => `if ${randomTruth(random, depth - 1)} then ${inner()} else ${inner()}`,
    () => `ss[${pick(random, ['1', '-1'])}]`,
  ])()
}

function randomTruth(random: Random, depth: number): string {
  const inner = () => (depth > 0 ? randomTruth(random, depth - 1) : pick(random, ['b', 'true', 'false']))
  const sign = () => pick(random, ['<', '<=', '>', '>=', '=', '!='])
  return pick(random, [
    () => pick(random, ['b', 'true', 'false']),
    () => `${randomNumber(random, depth - 1)} ${sign()} ${randomNumber(random, depth - 1)}`,
    () => `${randomText(random, depth - 1)} ${pick(random, ['=', '!='])} ${randomText(random, depth - 1)}`,
    () => `(${inner()} ${pick(random, ['and', 'or'])} ${inner()})`,
    () => `not(${inner()})`,
    () =>
      `${pick(random, ['contains', 'starts with', 'ends with'])}(${pick(random, ['s', 't'])}, ${randomWord(random)})`,
    () => `matches(${randomText(random, depth - 1)}, ${pick(random, ['"^a"', '"a+b"', '"[0-9]$"', '"^$"'])})`,
    () => `list contains(${pick(random, ['ns, n', 'ss, s', 'ns, 1', 'ss, "a"'])})`,
    () => `${pick(random, ['some', 'every'])} i in ns satisfies i > ${randomDigit(random)}`,
    () => `${pick(random, ['n', 'm'])} ${pick(random, ['between 1 and 3', 'in [1..3)', 'in (1, 2)', 'in (> 2)'])}`,
    () => `${pick(random, ['even', 'odd'])}(${randomNumber(random, depth - 1)})`,
    () => `day ${sign()} date("2025-01-31")`,
    () => `day + duration("${pick(random, ['P1D', 'P1M', 'P2Y', '-P3D'])}") ${sign()} date("2025-02-28")`,
    () =>
      `day - date("2025-01-01") ${pick(random, ['<', '>', '='])} duration("${pick(random, ['P30D', 'P0D', 'P365D'])}")`,
    () => `years and months duration(date("2020-03-31"), day) ${pick(random, ['<', '>='])} duration("P5Y")`,
  ])()
}

function randomNumbers(random: Random, depth: number): string {
  const inner = () => (depth > 0 ? randomNumbers(random, depth - 1) : 'ns')
  return pick(random, [
    () => 'ns',
    () => `[${randomNumber(random, depth - 1)}, ${randomNumber(random, depth - 1)}]`,
    () => `for i in ns return i ${pick(random, ['+', '*'])} ${randomDigit(random)}`,
    () => `ns[item > ${randomDigit(random)}]`,
    () => `${pick(random, ['reverse', 'distinct values'])}(${inner()})`,
    () => `append(${inner()}, ${randomNumber(random, 0)})`,
    () => `${pick(random, ['concatenate', 'union'])}(${inner()}, ns)`,
    () => `sublist(${inner()}, ${pick(random, ['1', '2', '1, 1', '2, 1'])})`,
    () => `insert before(${inner()}, ${inRange(random, 1, 2)}, n)`,
    () => `remove(${inner()}, ${inRange(random, 1, 2)})`,
    () => `index of(${inner()}, n)`,
    () => 'sort(ns, function(x, y) x < y)',
    () => 'flatten([ns, [1, 2]])',
  ])()
}

const expression = (random: Random): string =>
  pick(random, [randomNumber, randomNumber, randomText, randomTruth, randomTruth, randomNumbers, randomDates])(
    random,
    inRange(random, 0, 2),
  )

const randomDates = (random: Random): string =>
  pick(random, [
    'day + duration("P1M")',
    'day - duration("P40D")',
    'at + duration("PT90M")',
    'at - duration("P1Y")',
    'date(at)',
    'day',
  ])

const FAILED = Symbol('failed')
type Outcome = Value | typeof FAILED

/** The value of an expression of rulesets. */
function valueOf(text: string, input: Input): Outcome {
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new Error(`no expression: ${text}`)
  try {
    const runtime = { now: 0, budget: new CountedBudget(1e6) }
    return interpret(parsed.expression, { input, variables: new Map(), policy: LENIENT, runtime })
  } catch {
    return FAILED
  }
}

/** The value by our own evaluation of all of FEEL, which the compatibility kit confirms. */
function constantOf(text: string): Outcome {
  const evaluator = new Evaluator(() => undefined, builtin)
  try {
    const value = evaluator.evaluate(parseConstant(text, new KnownNames(builtinNames())), () => undefined)
    return valueOf(constantText(value), {})
  } catch (error) {
    if (error instanceof NotConstant || error instanceof FeelFault) return FAILED
    throw error
  }
}

const shown = (value: Outcome) => (value === FAILED ? 'failed' : stringifyJson(rounded(value)))

/** Doubles differ from decimals in their last digits. */
function rounded(value: Value): Value {
  if (typeof value === 'number') return Math.round(value * 1e9) / 1e9
  return Array.isArray(value) ? value.map((item) => rounded(item as Value)) : value
}

test('random expressions of FEEL over inputs have the value that two other evaluations agree on', () => {
  const cases = casesOf(20_000)
  printSeed(cases)
  const random = seededRandom(SEED)
  const seen = { same: 0, refused: 0, warned: 0, failed: 0, disagreed: 0 }
  for (let count = 0; count < cases; count++) {
    const feel = expression(random)
    const input = randomInput(random)
    const constant = feel.replaceAll(/"[^"]*"|\.?\b(?:n|m|s|t|b|ns|ss|day|at)\b(?! of )/g, (name) =>
      Object.hasOwn(input, name) ? literalOf(name, input[name] ?? null) : name,
    )
    const expected = constantOf(constant)
    const isOfTime = /\b(?:day|at|date)\b/.test(feel)
    const byFeelin = isOfTime ? expected : feelinOf(constant)
    let written
    try {
      written = writeValue(parseFeel(feel, SCOPE), SCOPE)
    } catch (error) {
      if (!(error instanceof FeelFault)) throw error
      seen.refused++
      continue
    }
    const found = valueOf(written.text, input)
    if (shown(found) === shown(expected)) seen.same++
    else if (expected === FAILED || shown(expected) !== shown(byFeelin)) seen.disagreed++
    else if (written.deviations.size > 0) seen[found === FAILED ? 'failed' : 'warned']++
    else
      throw new Error(
        `${feel} is ${shown(found)}, expected ${shown(expected)} of ${stringifyJson(input)}: ${written.text}`,
      )
  }
  console.log(JSON.stringify(seen))
  expect(seen.refused / cases).toBeLessThan(MAX_REFUSED)
  expect(seen.same / cases).toBeGreaterThan(0.5)
}, 1_200_000)

function feelinOf(text: string): Outcome {
  try {
    const { value } = evaluateByFeelin(text, {}) as { readonly value: unknown }
    return JSON.parse(JSON.stringify(value ?? null)) as Value
  } catch {
    return FAILED
  }
}
