import { analyze } from '@engine/analysis'
import { LENIENT, parse } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { Encoder } from '../formula/encoder.ts'
import { Solver } from '../search/solver.ts'
import { furtherSearch } from './further-search.ts'
import { Model } from './model.ts'

/** The findings about a decision with these conditions before a result for all other inputs, without the information. */
function findingsOf(conditions: readonly string[], config = {}): readonly string[] {
  const codes = [...conditions.keys(), 'N'].map(String)
  const { ruleset, problems } = decodeRuleset({
    config: { name: 'table', entry_step: 'd', ...config },
    steps: {
      d: {
        id: 'd',
        type: 'decision',
        branches: conditions.map((condition, index) => ({ condition, next_step: String(index) })),
        default_next: 'N',
      },
      ...Object.fromEntries(codes.map((code) => [code, { id: code, type: 'terminal', result: { code, message: '' } }])),
    },
  })
  if (ruleset === undefined) throw new Error(problems[0]?.message)
  return analyze(ruleset)
    .findings.filter(({ kind }) => kind !== 'can_fail')
    .map(({ kind, place, verdict }) => `${verdict} ${kind} ${place}`)
}

describe('an input is found for', () => {
  test.each([
    ['a pattern', 'matches(t, "^[0-9]{12,19}$")'],
    ['a pattern after the text', 'regex_match("^[A-Z]{2}-[0-9]{4}$", t)'],
    ['a pattern and a prefix', 'matches(t, "^(AA|BB|CC|DD)[0-9]{9}$") && starts_with(t, "CC")'],
    ['a pattern and a suffix', 'matches(t, "^[0-9]{3}(x|yz)$") && ends_with(t, "yz")'],
    ['a pattern and a part', 'matches(t, "^[0-9]{12,19}$") && substring(t, 2, 5) == "417"'],
    ['two parts', 'substring(t, 0, 2) == "XY" && substring(t, 4, 6) == "ZW"'],
    ['a pattern, and no other', 'is_string(t) && !matches(t, "^x") && matches(t, "^[wx][0-9]+$")'],
    ['the length of a list', 'is_array(l) && count(l) == 7'],
    ['the length of a list and of a text', 'is_array(l) && len(l) > 3 && len(t) == 9'],
    ['the length of a text', 'is_string(t) && len(t) == 37'],
    ['a part at the greatest start', 'substring(t, 10000) == "a"'],
    ['an item', 'any(l, item => item.kind == "gift" && item.price > 100)'],
    ['no item', 'count(l) == 3 && none(l, item => item.kind == "gift") && all(l, item => item.price > 3)'],
    ['a sum', 'sum(l, item => item.price * item.quantity) > 1250.5 && count(l) == 4'],
    ['a sum that items share equally', 'sum(l, item => item.price) == 1250.5 && count(l) == 4'],
    ['a sum of some items', 'sum(filter(l, item => item.kind == "gift"), item => item.price) >= 99'],
    ['a number of some items', 'count(filter(l, item => item.kind == "gift")) == 3 && all(l, item => item.price < 7)'],
    ['some items among others', 'count(l) == 5 && count(l, item => item.kind == "gift") == 2'],
    ['a rest', 'count(l) == 4 && count(filter(l, item => item.price > 9)) == 1 && any(l, item => item.price > 9)'],
    ['no item of some', 'count(l) == 2 && count(filter(l, item => item.kind == "gift")) == 0'],
    ['an item that is found', 'exists(l) && !is_null(find(coalesce(l, []), item => item.kind == "gift"))'],
    ['an item that is not found', 'count(l) > 1 && is_null(find(l, item => item.kind != "gift"))'],
    ['a mean', 'avg(l, item => item.price) == 12.5 && count(l) == 2'],
    ['items without members', 'all(l, item => item >= 17) && count(l) == 2'],
    ['a list that contains a field', 'is_string(t) && t in l && is_array(l)'],
    ['a list that contains a field, the other way round', 'is_number(n) && l contains n && is_array(l)'],
    ['an optional summand', 'coalesce(debt, 0) + n == 47.5 && debt > 3'],
    ['a function of a number', 'n > 2 && pow(n, 2) + m > 30 && pow(n, 2) + m < 31'],
  ])('%s', (_title, condition) => {
    expect(findingsOf([condition])).toEqual([])
  })
})

test('no text is made for a part that begins beyond all lengths', () => {
  expect(findingsOf(['substring(t, 10001) == "a"'])).toContain('unknown unreachable_step /steps/0')
})

describe('is proved dead:', () => {
  test.each([
    ['a count between two whole numbers', 'count(l) > 2 && count(l) < 3'],
    ['a negative length', 'len(t) < 0'],
    ['an empty list with items', 'is_array(l) && l == [] && count(l) > 0'],
    ['a list with items that has none', 'is_array(l) && l != [] && count(l) == 0'],
    ['an item of an empty list', 'l == [] && any(l, item => item > 1)'],
    ['a sum of an empty list', 'l == [] && sum(l, item => item) > 0'],
    ['a text for null', 'is_null(t) && lower(t) == "a"'],
    ['another value than the one for null', 'is_null(n) && coalesce(n, 3) + 1 != 4'],
  ])('%s', (_title, condition) => {
    expect(findingsOf([condition])).toContain('proved dead_branch /steps/d/branches/0')
  })
})

test('the search for items is charged to the one for inputs, once for the same items', () => {
  const solver = new Solver()
  const encoder = new Encoder(solver)
  const model = new Model(encoder, furtherSearch)
  const read = parse('count(l) == 40 && all(l, item => item.price > 3 && item.kind == "gift")')
  if (read.kind === 'failed') throw new Error('not an expression')
  const { holds } = encoder.truth(read.expression, LENIENT)
  expect(solver.solve([holds], 10_000, () => model.check())).toBe('satisfiable')
  const work = () => {
    const before = solver.work
    expect([...model.candidates(1)]).toHaveLength(1)
    return solver.work - before
  }
  expect(work()).toBeGreaterThan(2)
  expect(work()).toBe(0)
})
