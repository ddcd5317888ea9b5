import { evaluate as evaluateByFeelin } from 'feelin'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../../tests/cases.testing.ts'
import { inRange, pick, type Random, seededRandom } from '../../../../ruleset/src/random.testing.ts'
import { builtin, builtinNames } from './builtins.ts'
import { constantText } from './constant-text.ts'
import { Evaluator } from './evaluate.ts'
import { KnownNames, parseConstant } from './parser.ts'
import { NotConstant } from './value.ts'

/** The constant that an expression becomes in a ruleset. */
function constantOf(text: string): string {
  const evaluator = new Evaluator(() => undefined, builtin)
  return constantText(evaluator.evaluate(parseConstant(text, new KnownNames(builtinNames())), () => undefined))
}

test.each([
  // Null and three values
  ['null = null', 'true'],
  ['null != 1', 'true'],
  ['1 = "1"', 'null'],
  ['1 < null', 'null'],
  ['1 < "2"', 'null'],
  ['true and null', 'null'],
  ['false and null', 'false'],
  ['null or true', 'true'],
  ['"a" or false', 'null'],
  ['not(null)', 'null'],
  ['not(1)', 'null'],
  ['1 + null', 'null'],
  ['1 + "a"', 'null'],
  ['1 / 0', 'null'],
  ['if null then 1 else 2', '2'],
  // Numbers
  ['0.1 + 0.2', '0.3'],
  ['-2 ** 2', '4'],
  ['2 ** 3 ** 2', '64'],
  ['10 / 4', '2.5'],
  ['modulo(-12, 5)', '3'],
  ['decimal(2.5, 0)', '2'],
  ['round half up(2.5, 0)', '3'],
  ['floor(-1.5)', '-2'],
  ['even(-2)', 'true'],
  ['odd(2.5)', 'false'],
  ['number("1,000.5", ",", ".")', '1000.5'],
  ['sum([])', 'null'],
  ['median([3, 1, 2, 4])', '2.5'],
  ['mode([1, 2, 2, 1])', '[1, 2]'],
  // Texts, by characters
  ['string length("a😀")', '2'],
  ['substring("foobar", -2, 1)', '"a"'],
  ['substring("foobar", start position: 3)', 'refused'],
  ['substring before("foobar", "bar")', '"foo"'],
  ['matches("foobar", "^fo*b")', 'true'],
  ['replace("abab", "a", "x")', '"xbxb"'],
  ['matches("a", "(a)\\\\1")', 'refused'],
  ['split("a;b", ";")', '["a", "b"]'],
  ['string([1, "a", {b: null}])', String.raw`"[1, \"a\", {b: null}]"`],
  // Lists, ranges, functions
  ['[1, 2, 3][2]', '2'],
  ['[1, 2, 3][-1]', '3'],
  ['[1, 2, 3][item > 1]', '[2, 3]'],
  ['[{a: 1}, {a: 2}][a = 2].a', '[2]'],
  ['for i in 1..3, j in 1..i return i * j', '[1, 2, 4, 3, 6, 9]'],
  ['for i in 3..1 return i', '[3, 2, 1]'],
  ['for i in 1..3 return sum(partial) + i', '[null, null, null]'],
  ['some i in [1, null] satisfies i > 0', 'true'],
  ['every i in [1, null] satisfies i > 0', 'null'],
  ['5 in [1..5)', 'false'],
  ['5 in (> 3, 1)', 'true'],
  ['5 between 1 and 5', 'true'],
  ['1 instance of number', 'true'],
  ['null instance of number', 'false'],
  ['[1] instance of list<string>', 'false'],
  ['(function(a, b) a - b)(3, 1)', '2'],
  ['{f: function(n) n + 1, r: f(2)}.r', '3'],
  ['sort([3, 1, 2], function(x, y) x > y)', '[3, 2, 1]'],
  ['flatten([1, [2, [3]]])', '[1, 2, 3]'],
  ['{a: 1, b: a + 1}', '{"a": 1, "b": 2}'],
  ['{a: 1, a: 2}', 'null'],
  ['get value({a: 1}, "a")', '1'],
  ['overlaps([1..5], [5..9])', 'true'],
  ['before([1..5), [5..9])', 'true'],
  // Days, times and durations are texts
  ['date("2024-02-29") + duration("P1Y")', '"2025-02-28"'],
  ['date("2024-02-30")', 'null'],
  ['date("2024-03-01") - date("2024-02-28")', '"P2D"'],
  ['@"2024-01-01T00:30:00+02:00" - @"2024-01-01T00:30:00Z"', '"-PT2H"'],
  ['time("10:00:00") + duration("PT15H")', '"01:00:00"'],
  ['duration("P1D") > duration("PT23H")', 'true'],
  ['duration("P1Y") = duration("P12M")', 'true'],
  ['years and months duration(@"2020-05-31", @"2021-02-28")', '"P8M"'],
  ['date("2024-12-30").weekday', '1'],
  ['week of year(@"2024-12-30")', '1'],
  ['day of week(@"2024-02-29")', '"Thursday"'],
  ['@"2018-12-10T10:30:00@Etc/UTC".timezone', '"Etc/UTC"'],
  ['@"2024-07-01T12:00:00@Europe/Paris" = @"2024-07-01T10:00:00Z"', 'true'],
  // The meaning is not certain or not known
  ['now()', 'refused'],
  ['unknown name', 'refused'],
  ['time("24:00:00")', 'refused'],
  ['[1..5]', 'refused'],
  ['function(a) a', 'refused'],
  ['for i in 1..1000000 return i', 'refused'],
])('%s is %s', (text, expected) => {
  let found: string
  try {
    found = constantOf(text)
  } catch (error) {
    if (!(error instanceof NotConstant) && !(error instanceof Error && error.constructor.name === 'FeelFault'))
      throw error
    found = 'refused'
  }
  expect(found).toBe(expected)
})

test('a function that calls itself ends as refused', () => {
  expect(() => constantOf('{f: function(n) f(n), r: f(1)}.r')).toThrow(NotConstant)
  const doubling = Array.from({ length: 40 }, (_, index) => `f${index + 1}: function(n) f${index}(n) + f${index}(n)`)
  expect(() => constantOf(`{f0: function(n) n, ${doubling.join(', ')}, r: f40(1)}.r`)).toThrow(NotConstant)
})

const CASES = casesOf(20_000)

test(`${CASES} random expressions give what feelin gives`, () => {
  printSeed(CASES)
  const random = seededRandom(SEED)
  for (let count = 0; count < CASES; count++) {
    const text = randomExpression(random, 3)
    const own = JSON.parse(constantOf(text)) as unknown
    const answer = evaluateByFeelin(text, {}) as unknown
    const other = typeof answer === 'object' && answer !== null && 'value' in answer ? answer.value : answer
    expect(own, text).toEqual(other)
  }
}, 120_000)

/** Logic, comparisons and arithmetic of small whole numbers, whose results both have exactly. */
function randomExpression(random: Random, depth: number): string {
  const inner = () => randomExpression(random, depth - 1)
  const value = () => pick(random, ['1', '2', '3', '-1', '0', 'null'])
  const sum = () => `(${value()} ${pick(random, ['+', '-', '*'])} ${value()})`
  if (depth === 0)
    return pick(random, [
      'true',
      'false',
      'null',
      `(${sum()} ${pick(random, ['=', '!=', '<', '<=', '>', '>='])} ${value()})`,
    ])
  switch (inRange(random, 0, 3)) {
    case 0:
      return `(${inner()} and ${inner()})`
    case 1:
      return `(${inner()} or ${inner()})`
    case 2:
      return `not(${inner()})`
    default:
      return `(if ${inner()} then ${inner()} else ${inner()})`
  }
}
