import { diff } from '@engine/analysis'
import { decodeRuleset } from '@engine/ruleset'
import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'

/** One decision: X where the condition holds, else N. */
function ruleset(condition: string, config = {}, output: { readonly [name: string]: Value } = {}) {
  const end = (code: string, outputs = {}) => ({
    id: code,
    type: 'terminal',
    result: { code, message: '', ...outputs },
  })
  const { ruleset: found, problems } = decodeRuleset({
    config: { name: 'conditions', entry_step: 'd', ...config },
    steps: {
      d: { id: 'd', type: 'decision', branches: [{ condition, next_step: 'X' }], default_next: 'N' },
      X: end('X', Object.keys(output).length === 0 ? {} : { output: Object.entries(output) }),
      N: end('N'),
    },
  })
  if (found === undefined) throw new Error(problems[0]?.message)
  return found
}

/** The conditions of the regions of X and N by the codes before and after; `?` begins those that are not complete. */
function conditionsOf(before: string, after: string, config = {}) {
  const { regions } = diff(ruleset(before, config), ruleset(after, config))
  const decided = regions.filter((region) => !('error' in region.before) && !('error' in region.after))
  return decided.map(({ condition, complete, before: old }) => {
    const from = 'code' in old ? old.code : ''
    return `${complete ? '' : '? '}${from}: ${condition}`
  })
}

describe('numbers', () => {
  test.each([
    ['a point between two comparisons', 'n > 1', 'n >= 1', ['N: n == 1']],
    ['an interval', 'n >= 600', 'n >= 620', ['X: n >= 600 && n < 620']],
    ['no bound above', 'n > 10', 'false', ['X: n > 10']],
    ['no bound below', 'is_number(n) && n <= 10', 'false', ['X: n <= 10']],
    ['two changes', 'n == 5', 'n == 6', ['X: n == 5', 'N: n == 6']],
    ['points as a list', 'n in [1, 2, 3]', 'n in [3, 4, 5]', ['X: n in [1, 2]', 'N: n in [4, 5]']],
    ['all but a point', 'n != 5', 'false', ['X: n != 5']],
    ['numbers but a point', 'is_number(n) && n != 5', 'false', ['X: is_number(n) && n != 5']],
    ['numbers but points', 'is_number(n) && n != 5 && n != 7', 'false', ['X: is_number(n) && !(n in [5, 7])']],
    ['an interval but a point', 'n < 10 && n != 3', 'false', ['X: n < 10 && n != 3']],
    ['a point and an interval', 'n == 3 || n > 10', 'false', ['X: n == 3 || n > 10']],
    ['two intervals', 'n < 3 || n > 10', 'false', ['X: n < 3 || n > 10']],
    ['neighbouring doubles', 'n < 0.3', 'n < 0.30000000000000004', ['N: n == 0.3']],
  ])('%s', (_title, before, after, conditions) => {
    expect(conditionsOf(before, after)).toEqual(conditions)
  })

  test.each([
    ['n > 0.1', 'n > 0.2', ['X: n > 0.1 && n <= 0.2']],
    ['n / 3 > 5', 'n / 3 > 6', ['X: n > 15 && n <= 18']],
    // A quotient of two fields is compared before it is rounded: no condition has its value.
    [
      'is_number(n) && is_number(m) && n / m > 5',
      'is_number(n) && is_number(m) && n / m > 6',
      ['? X: n == 6 && m == 1'],
    ],
  ])('decimals: %s and %s', (before, after, conditions) => {
    expect(conditionsOf(before, after, { numbers: 'decimal' })).toEqual(conditions)
  })
})

const TRUTHY = 'b == true || is_array(b) && b != [] || is_object(b) && b != {}'
const NUMBER = 'is_number(b) && b != 0'
const TEXT = 'is_string(b) && b != ""'

describe('other kinds', () => {
  test.each([
    ['true as a condition', 'b', 'false', ['X: b']],
    ['false as a condition', '!b', 'false', ['X: !b']],
    ['true as a condition and more', 'b || b == 0', 'false', [`X: ${TRUTHY} || is_number(b) || ${TEXT}`]],
    [
      'true as a condition and null',
      'b || b == null',
      'false',
      ['X: b != false && b != [] && b != {} && b != 0 && b != ""'],
    ],
    [
      'true as a condition but a number',
      'b && b != 5',
      'false',
      [`X: ${TRUTHY} || is_number(b) && !(b in [0, 5]) || ${TEXT}`],
    ],
    [
      'true as a condition but a text',
      'b && b != "x"',
      'false',
      [`X: ${TRUTHY} || ${NUMBER} || is_string(b) && !(b in ["", "x"])`],
    ],
    [
      'true as a condition but numbers',
      'b && !(is_number(b) && b < 3)',
      'false',
      [`X: ${TRUTHY} || is_number(b) && b >= 3 || ${TEXT}`],
    ],
    [
      'true as a condition but texts with a part',
      'b && !(is_string(b) && b contains "x")',
      'false',
      [`X: ${TRUTHY} || ${NUMBER} || ${TEXT} && !contains(b, "x")`],
    ],
    [
      'true as a condition but a list',
      'b && b != ["q"]',
      'false',
      [`X: ${TRUTHY.replace('[]', '[] && b != ["q"]')} || ${NUMBER} || ${TEXT}`],
    ],
    [
      'true as a condition but lists',
      'b && !is_array(b)',
      'false',
      [`X: b == true || is_object(b) && b != {} || ${NUMBER} || ${TEXT}`],
    ],
    ['one boolean', 'b == true', 'false', ['X: b == true']],
    ['both booleans', 'is_bool(b)', 'false', ['X: is_bool(b)']],
    ['a text', 't == "DE"', 't in ["DE", "FR", "AT"]', ['N: t in ["AT", "FR"]']],
    ['all but a text', 't != "DE"', 'false', ['X: t != "DE"']],
    ['all but some texts', 't not in ["DE", "FR"]', 'false', ['X: !(t in ["DE", "FR"])']],
    ['the empty text', 't == ""', 'false', ['X: t == ""']],
    ['texts with a beginning', 'is_string(t) && starts_with(t, "ab")', 'false', ['X: starts_with(t, "ab")']],
    ['texts in their order', 'is_string(t) && t >= "b" && t < "m"', 'false', ['X: t >= "b" && t < "m"']],
    ['texts up to one', 'is_string(t) && t <= "m"', 'false', ['X: t <= "m"']],
    [
      'texts with one of two ends',
      'ends_with(t, "ab") || ends_with(t, "cd")',
      'false',
      ['X: is_string(t) && ends_with(t, "ab") || is_string(t) && ends_with(t, "cd")'],
    ],
    [
      'an end that does not matter',
      'is_string(t) && (ends_with(t, "ab") && t < "m" || !ends_with(t, "ab") && t < "m")',
      'false',
      ['X: t < "m"'],
    ],
    [
      'an end that matters for some texts',
      'is_string(t) && (ends_with(t, "ab") && t < "m" || !ends_with(t, "ab") && t < "p")',
      'false',
      ['X: t <= "m" || t < "p" && !ends_with(t, "ab")'],
    ],
    ['texts with an end', 'ends_with(t, "E")', 'false', ['X: is_string(t) && ends_with(t, "E")']],
    ['texts without a part', 'is_string(t) && !(t contains "x")', 'false', ['X: is_string(t) && !contains(t, "x")']],
    ['lists with an element', 't contains 5', 'false', ['X: is_array(t) && contains(t, 5)']],
    [
      'lists without an element',
      'is_array(t) && !(t contains 5)',
      'false',
      ['X: t == [] || is_array(t) && t != [] && !contains(t, 5)'],
    ],
    [
      'texts or lists with a part',
      't contains "E"',
      'false',
      ['X: is_array(t) && contains(t, "E") || is_string(t) && contains(t, "E")'],
    ],
    ['one list', 't == ["DE"]', 'false', ['X: t == ["DE"]']],
    ['lists', 'is_array(t)', 'false', ['X: is_array(t)']],
    ['the empty list', 't == []', 'false', ['X: t == []']],
    ['lists that are not empty', 'is_array(t)', 't == []', ['X: is_array(t) && t != []']],
    ['objects that are not empty', 'is_object(t)', 't == {}', ['X: is_object(t) && t != {}']],
    ['missing', 'exists(n)', 'true', ['N: !exists(n)']],
    ['there', 'exists(n)', 'false', ['X: exists(n)']],
    ['null or missing', 'n == null', 'false', ['X: n == null']],
    ['neither null nor missing', 'n != null', 'false', ['X: n != null']],
    ['null and not missing', 'n == null', '!exists(n)', ['X: exists(n) && n == null']],
    ['all but numbers', '!is_number(n)', 'false', ['X: !is_number(n)']],
    ['values of several kinds', 'n in [1, "a", null]', 'false', ['X: n == null || n == 1 || n == "a"']],
    [
      // The tests of kinds keep the first comparison from failing for a text.
      'comparisons of two kinds',
      'is_number(n) && n < 5 || is_string(n) && n < "m"',
      'false',
      ['X: is_number(n) && n < 5 || is_string(n) && n < "m"'],
    ],
    ['a member', 'customer.age >= 18', 'customer.age >= 21', ['X: customer.age >= 18 && customer.age < 21']],
    ['all inputs', 'true', 'false', ['X: true']],
  ])('%s', (_title, before, after, conditions) => {
    expect(conditionsOf(before, after)).toEqual(conditions)
  })

  test('those that a contract allows', () => {
    const fields = [{ name: 'n', type: 'integer', required: true, minimum: 0, maximum: 9 }]
    const contract = { mode: 'enforce', contract: { name: 'c', version: '1.0.0', input: { fields }, outputs: [] } }
    const [before, after] = ['n < 5', 'n < 10'].map((text) => ruleset(text, { contract }))
    if (before === undefined || after === undefined) throw new Error('two versions')
    expect(diff(before, after).regions).toMatchObject([{ condition: 'n >= 5', complete: true }])
  })
})

describe('several fields', () => {
  test.each([
    ['alternatives', 'a == 1 || b == 1', 'false', ['X: a == 1 || b == 1']],
    [
      'alternatives with more parts',
      'a == 1 && b == 1',
      'a == 1 || b == 1',
      ['N: a == 1 && b != 1 || a != 1 && b == 1'],
    ],
    [
      'alternatives within a conjunction',
      '(a == 1 || a == "x") && b == 1',
      'false',
      ['X: (a == 1 || a == "x") && b == 1'],
    ],
    [
      'parts that make up a larger one',
      'a == 1 && b == 1 || a == 2 && b == 1 || a == 3 && b == 1',
      'false',
      ['X: a in [1, 2, 3] && b == 1'],
    ],
    [
      'all combinations of values',
      'a == 1 && b == 2 || a == 2 && b == 2 || a == 1 && b == 3 || a == 2 && b == 3',
      'false',
      ['X: a in [1, 2] && b in [2, 3]'],
    ],
    [
      'a majority of three',
      'a == 1 && b == 1 || b == 1 && c == 1 || a == 1 && c == 1',
      'false',
      ['X: a == 1 && b == 1 || a == 1 && c == 1 || b == 1 && c == 1'],
    ],
    [
      'two comparisons of a field',
      'is_number(a) && is_number(b) && a < b && a > 3',
      'false',
      ['X: a > 3 && is_number(b) && a < b'],
    ],
    [
      'two kinds that are compared',
      'a < b',
      'false',
      ['X: is_number(a) && is_number(b) && a < b || is_string(a) && is_string(b) && a < b'],
    ],
    ['a divisor', 'is_number(a) && a > 0 && 10 / a > 3', 'false', ['X: a >= 0 && (10 / a) > 3']],
    ['a field that does not matter', 'a == 1 && b == 1 || a == 1 && b != 1', 'false', ['X: a == 1']],
    [
      'a sum',
      'is_number(a) && is_number(b) && a + b > 5',
      'is_number(a) && is_number(b) && a + b > 7',
      ['X: (a + b) > 5 && (a + b) <= 7'],
    ],
    ['a function', 'is_string(t) && len(t) > 3', 'is_string(t) && len(t) > 4', ['X: is_string(t) && len(t) == 4']],
  ])('%s', (_title, before, after, conditions) => {
    expect(conditionsOf(before, after)).toEqual(conditions)
  })

  test.each(['<', '<=', '==', '!=', '>=', '>'])('the comparison of two fields by %s', (operator) => {
    const compared = `is_number(a) && is_number(b) && a ${operator} b`
    expect(conditionsOf(compared, 'false')).toEqual([`X: ${compared}`])
  })

  test('a product that is too large in both versions changes nothing', () => {
    const { regions, unknown } = diff(ruleset('n * 1.19 > 100'), ruleset('n * 1.19 > 110'))
    expect(unknown).toEqual([])
    expect(regions).toMatchObject([{ condition: 'n > 84.03361344537815 && n < 92.43697478991598', complete: true }])
  })

  test('a computation reads the default of a field that is missing', () => {
    const config = { field_missing: 'default', defaults: { a: 2 } }
    const [before, after] = [7, 5].map((least) => `is_number(a) && is_number(b) && a * b > ${least}`)
    expect(conditionsOf(before ?? '', after ?? '', config)).toEqual([
      'N: ((if exists(a) then a else 2) * b) > 5 && ((if exists(a) then a else 2) * b) <= 7',
    ])
    expect(conditionsOf('a > 1', 'a > 3', config)).toEqual(['X: !exists(a) || a > 1 && a <= 3'])
  })

  test.each([
    ['strict fields: arithmetic', 'a + b > 5', 'a + b > 7', ['X: (a + b) > 5 && (a + b) <= 7']],
    // The function fails for a missing field, and in a condition it would not.
    ['strict fields: a function', 'max(a, b) > 5', 'max(a, b) > 7', ['? X: a == 6 && b == 1']],
  ])('%s', (_title, before, after, conditions) => {
    const numbers = 'is_number(a) && is_number(b) && '
    expect(conditionsOf(numbers + before, numbers + after, { field_missing: 'strict' })).toEqual(conditions)
  })
})

describe('computed results', () => {
  test.each([
    ['the code changes', 'n > 5 && n <= 9', 'n > 6 && n <= 9', { o: 'n + 1' }, { o: 'n + 1' }, 'n > 5 && n <= 6', true],
    [
      'another output is a constant',
      'n > 5 && n <= 9',
      'n > 5 && n <= 9',
      { o: 'n + 1', p: 1 },
      { o: 'n + 1', p: 2 },
      'n > 5 && n <= 9',
      true,
    ],
    [
      'an output is new',
      'n > 5 && n <= 9',
      'n > 5 && n <= 9',
      { o: 'n + 1' },
      { o: 'n + 1', p: 2 },
      'n > 5 && n <= 9',
      true,
    ],
    ['results may be equal', 'n > 5 && n <= 9', 'n > 5 && n <= 9', { o: 'n + 1' }, { o: 'n * 2' }, 'n == 9', false],
  ])(
    'are one region with those of the witness where %s',
    (_title, first, second, output, changed, condition, complete) => {
      const found = diff(ruleset(first, {}, output), ruleset(second, {}, changed))
      const decided = found.regions.filter(({ before }) => !('error' in before))
      expect(decided).toMatchObject([{ condition, complete }])
    },
  )

  test('of many seeds are one region', () => {
    const seeds = [6, 6.5, 7, 8, 9].map((n) => ({ n }))
    const [before, after] = ['n + 1', 'n * 2'].map((o) => ruleset('n > 5 && n <= 9', {}, { o }))
    if (before === undefined || after === undefined) throw new Error('two versions')
    expect(diff(before, after, { seeds }).regions).toMatchObject([{ condition: 'n == 9', complete: false }])
  })
})

describe('a region is not complete', () => {
  test('when the budget ends', () => {
    const [before, after] = [ruleset('n > 5'), ruleset('n > 7')]
    const found = diff(before, after, { budget: 1, seeds: [{ n: 6 }] })
    expect(found.regions).toMatchObject([{ condition: 'n == 6', complete: false }])
  })

  test('when one version computes with decimals', () => {
    const found = diff(ruleset('n > 5'), ruleset('n > 7', { numbers: 'decimal' }), { seeds: [{ n: 6 }] })
    expect(found.regions).toMatchObject([{ condition: 'n == 6', complete: false }])
  })

  test('when a part of it has no condition', () => {
    const { regions } = diff(ruleset('is_number(n) && n * 2 > 5'), ruleset('false'))
    expect(regions.map(({ condition, complete }) => [condition, complete])).toEqual([
      ['n <= -8.98846567431158e+307 || n >= 8.98846567431158e+307', false],
      ['n > 2.5 && n <= 8.988465674311579e+307 || n > 2.5 && n < 8.98846567431158e+307 && is_number((n * 2))', true],
    ])
  })
})

describe('sets of inputs', () => {
  const odd = Array.from({ length: 80 }, (_, index) => 2 * index + 1).join(', ')
  test.each([
    ['more points of one field than a region has sets', `n in [${odd}]`, 'false', [`X: n in [${odd}]`]],
    [
      'sets that differ in two fields stay apart',
      '(is_number(a) && a > 3 && b == 1) || (is_number(c) && c > 3 && b == 2)',
      'false',
      ['X: a > 3 && b == 1 || b == 2 && c > 3'],
    ],
    [
      'sets of different fields with the same values stay apart',
      '(t == "x" && b == 1) || (u == "x" && b == 2)',
      'false',
      ['X: t == "x" && b == 1 || b == 2 && u == "x"'],
    ],
  ])('%s', (_title, before, after, conditions) => {
    expect(conditionsOf(before, after)).toEqual(conditions)
  })
})
