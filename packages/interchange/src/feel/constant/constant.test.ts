import { evaluate as evaluateByFeelin } from 'feelin'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../../tests/cases.testing.ts'
import { inRange, pick, type Random, seededRandom } from '../../../../ruleset/src/random.testing.ts'
import { constantOf, constantOrRefused } from './constant-value.testing.ts'
import { NotConstant } from './value.ts'

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
  // Days, times and durations
  ['@"P1D" / 2', '"PT12H"'],
  ['@"P1D" / 0', 'null'],
  ['@"P1D" / @"PT6H"', '4'],
  ['@"P1D" / @"PT0S"', 'null'],
  ['@"P1Y" / @"P2M"', '6'],
  ['@"P1Y" / @"P0M"', 'null'],
  ['@"P1Y" / @"P1D"', 'null'],
  ['@"P1Y" ** 2', 'null'],
  ['@"P1D" * 1.5', '"P1DT12H"'],
  ['1.5 * @"P1Y"', '"P1Y6M"'],
  ['@"P7M" / 2', '"P3M"'],
  ['@"P1D" * "a"', 'null'],
  ['"a" * @"P1D"', 'null'],
  ['-@"P1D"', '"-P1D"'],
  ['-@"P1M"', '"-P1M"'],
  ['-"a"', 'null'],
  ['@"P1Y" + @"P2M"', '"P1Y2M"'],
  ['@"P1D" + @"PT1H"', '"P1DT1H"'],
  ['@"P1Y" + @"P1D"', 'null'],
  ['@"2024-01-31" + @"P1M"', '"2024-02-29"'],
  ['@"P1M" + @"2024-01-31"', '"2024-02-29"'],
  ['@"2024-03-01" - @"P1D"', '"2024-02-29"'],
  ['@"2024-03-01" + @"PT36H"', '"2024-03-02"'],
  ['@"2024-03-01" - @"PT1H"', '"2024-02-29"'],
  ['@"2024-03-01T10:00:00" + @"P1M"', '"2024-04-01T10:00:00"'],
  ['@"2024-03-01T23:30:00" + @"PT1H"', '"2024-03-02T00:30:00"'],
  ['@"10:30:00" + @"P1M"', 'null'],
  ['"a" + @"P1D"', 'null'],
  ['@"23:30:00" + @"PT1H"', '"00:30:00"'],
  ['@"00:30:00" - @"PT1H"', '"23:30:00"'],
  ['@"2024-03-01T10:00:00@Europe/Berlin" + @"PT1H"', 'refused'],
  ['@"2024-03-01" - @"2024-02-28"', '"P2D"'],
  ['@"2024-03-01T12:00:00Z" - @"2024-03-01"', '"PT12H"'],
  ['@"2024-03-01" - @"2024-02-29T12:00:00Z"', '"PT12H"'],
  ['@"2024-03-01T12:00:00" - @"2024-03-01T10:00:00Z"', 'null'],
  ['@"12:00:00" - @"10:30:00"', '"PT1H30M"'],
  ['@"12:00:00+02:00" - @"10:00:00Z"', '"PT0S"'],
  ['@"12:00:00" - @"10:00:00Z"', 'null'],
  ['@"12:00:00@Europe/Berlin" - @"10:00:00Z"', 'refused'],
  ['@"2024-03-01" - @"10:00:00"', 'null'],
  ['@"10:00:00" - @"2024-03-01"', 'null'],
  ['@"2024-03-01" - @"P1D" - @"2024-02-28"', '"P1D"'],
  ['@"P1D" - @"2024-03-01"', 'null'],
  ['@"P3D" * 0.5', '"P1DT12H"'],
  ['@"PT0.000000001S" * 1.5', '"PT0.000000001S"'],
  ['@"P1D" * 0.1 ** 40', 'refused'],
  ['@"2024-03-01" + @"2024-03-01"', 'null'],
  ['@"P1DT2H3M4.5S".days', '1'],
  ['@"P1DT26H3M4.5S".hours', '2'],
  ['@"P1DT2H3M4.5S".minutes', '3'],
  ['@"P1DT2H3M4.5S".seconds', '4.5'],
  ['@"P3Y14M".years', '4'],
  ['@"P3Y14M".months', '2'],
  ['@"P3Y14M".days', 'null'],
  ['@"2024-03-01".weekday', '5'],
  ['@"2024-03-01".year', '2024'],
  ['@"2024-03-01".month', '3'],
  ['@"10:30:15.25".second', '15.25'],
  ['@"10:30:15+01:00".time offset', '"PT1H"'],
  ['@"10:30:15".time offset', 'null'],
  // Items and ranges
  ['[1, 2, 3][0]', 'null'],
  ['[1, 2, 3][-1]', '3'],
  ['[1, 2, 3][1.5]', 'null'],
  ['[1, 2, 3][4]', 'null'],
  ['for i in (1..4) return i', '[2, 3]'],
  ['for i in [1..4) return i', '[1, 2, 3]'],
  ['for i in 1.5..3 return i', 'refused'],
  ['[1..3].start', '1'],
  ['[1..3].end', '3'],
  ['[1..3].start included', 'true'],
  ['[1..3).end included', 'false'],
  ['for d in @"2024-02-28"..@"2024-03-01" return d.day', '[28, 29, 1]'],
  ['3 in (<= 3)', 'true'],
  ['3 in (< 3)', 'false'],
  ['3 in (>= 3)', 'true'],
  ['3 in (> 3)', 'false'],
  ['(> 3).end included', 'false'],
  ['(< 3).start included', 'false'],
  ['(>= 3).start included', 'true'],
  ['1 in (1..3]', 'false'],
  ['3 in (1..3]', 'true'],
  ['[1] in [[1], [2]]', 'true'],
  ['2 in [[1..3]]', 'true'],
  ['[1..3] in [1..3]', 'true'],
  ['[1..3] in [1..4]', 'false'],
  ['[1..3] in [[1..3], [4..5]]', 'true'],
  ['[1..3] in [[4..5]]', 'false'],
  // Numbers
  ['0.1 + 0.2', '0.3'],
  ['-2 ** 2', '4'],
  ['2 ** 3 ** 2', '64'],
  ['10 / 4', '2.5'],
  ['0.1 ** 3', '0.001'],
  ['2 ** 0.5', '1.4142135623730951'],
  ['(-8) ** 0.5', 'null'],
  ['0 ** -1', 'null'],
  ['"a" - "b"', 'null'],
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
  expect(constantOrRefused(text)).toBe(expected)
})

test('a function that calls itself ends as refused', () => {
  expect(() => constantOf('{f: function(n) f(n), r: f(1)}.r')).toThrow(NotConstant)
  const doubling = Array.from({ length: 40 }, (_, index) => `f${index + 1}: function(n) f${index}(n) + f${index}(n)`)
  expect(() => constantOf(`{f0: function(n) n, ${doubling.join(', ')}, r: f40(1)}.r`)).toThrow(NotConstant)
})

const CASES = casesOf(20_000, 30)

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
}, 1_200_000)

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
