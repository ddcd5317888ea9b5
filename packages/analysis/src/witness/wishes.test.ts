import { analyze } from '@engine/analysis'
import { type Expression, LENIENT, parse, print, type Value } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { Encoder } from '../formula/encoder.ts'
import { Solver } from '../search/solver.ts'
import type { Kind, Term } from '../terms/term.ts'
import { furtherSearch } from './further-search.ts'
import { Model } from './model.ts'
import { type ModelValues, Wishes } from './wishes.ts'

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
    ['an item that is null', 'all(l, item => is_null(item)) && count(l) == 2'],
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

function expressionOf(text: string): Expression {
  const read = parse(text)
  if (read.kind === 'failed') throw new Error(`not an expression: ${text}`)
  return read.expression
}

/** Wishes of a model in which all conditions are true. Each item is the text of its condition. */
function wishesFor(conditions: readonly string[], some: Partial<ModelValues> = {}) {
  const solver = new Solver()
  const encoder = new Encoder(solver)
  const literals = conditions.map((text) => encoder.truth(expressionOf(text), LENIENT).holds)
  expect(solver.solve(literals, 10_000)).toBe('satisfiable')
  const of = (term: Term, kind: Kind, variation: number): Value => {
    if (kind === 'number') return term.numbers.within(term.numbers.bounds()) ?? 1
    const text = variation === 0 ? 'text' : 'other'
    return { true: true, false: false, text, list: [1], 'empty list': [] }[kind as string] ?? null
  }
  const inputs = (condition: Expression) => [{ item: print(condition) }]
  const wishes = new Wishes(encoder, { of, allowsText: () => true, inputs, ...some })
  return { encoder, wishes, solver }
}

/** The values of fields by name. */
const named = (values: ReadonlyMap<Term, Value>) =>
  Object.fromEntries([...values].map(([term, value]) => [print(term.expression), value]))

const items = (...texts: readonly string[]): { readonly l: readonly string[] } => ({ l: texts })
const times = (count: number, text: string): { readonly l: readonly string[] } => ({ l: Array(count).fill(text) })

test.each<[conditions: readonly string[], variation: number, wishes: Readonly<Record<string, Value>>]>([
  [['len(t) == 3'], 0, { t: 'xxx' }],
  [['len(t) == 3'], 1, { t: [0, 0, 0] }],
  [['len(t) == 3'], 2, { t: 'xxx' }],
  [['count(t) == 3'], 0, { t: [0, 0, 0] }],
  [['len(t) == 10000'], 0, { t: 'x'.repeat(10_000) }],
  [['len(t) == 10001'], 0, { t: 'x'.repeat(10_000) }],
  [['len(t) == 3', 'is_string(t)'], 1, {}],
  [['lower(t) == "a"'], 0, { t: 'text' }],
  [['lower(t) == "a"'], 1, { t: 'other' }],
  [['upper(t) == "A"'], 0, { t: 'text' }],
  [['trim(t) == "a"'], 0, { t: 'text' }],
  [['to_string(t) == "a"'], 0, { t: 'text' }],
  [['to_number(t) == 4', 'is_string(t)'], 0, {}],
  [['to_number(t) == 4', '!is_number(t)', '!is_string(t)'], 0, {}],
  [['abs(n) > 3'], 0, {}],
  [['to_number(n) > 3', 'is_number(n)'], 0, {}],
  [['len(t) == 3', 'lower(t) == "a"'], 0, { t: 'xxx' }],
  [['matches(t, "^a$")', '!matches(t, "^b$")'], 0, { t: 'a' }],
  [['lower(t) == "a"', 'substring(t, 10001) == "a"'], 0, { t: 'text' }],
  [['reverse(l) == [2]'], 0, {}],
  [['count(l) == 3', 'reverse(l) == [2]'], 0, { l: [0, 0, 0] }],
  [['any(l, x => x.p > 1)'], 2, items('(item.p > 1)')],
  [['any(l, x => any(x.q, y => y > 1))'], 0, items('any(item.q, y => (y > 1))')],
  [['is_null(avg(l, x => x.p))'], 0, items('(item.p || (!item.p))')],
  ...['distinct', 'filter', 'reverse', 'sort', 'unique'].map(
    (name) => [[`any(${name}(l), x => x.a)`], 0, items('item.a')] as [string[], number, Record<string, Value>],
  ),
  [['matches(t, "^a$")'], 0, { t: 'a' }],
  [['regex_match("^a$", t)'], 0, { t: 'a' }],
  [['matches(t, "^a$")', 'len(t) == 3'], 0, { t: 'xxx' }],
  [['len(t) == 3', 'matches(t, "^a$")'], 0, { t: 'xxx' }],
  [['!matches(t, "^a$")', 'is_string(t)'], 0, {}],
  [['matches(t, p)'], 0, {}],
  [['substring(t, 2, 3) == "b"'], 0, { t: 'xxtext' }],
  [['substring(t, 0, 3) == "b"'], 0, { t: 'text' }],
  [['substring(t, n, 3) == "b"'], 0, {}],
  [['substring(t, 2, 3) == "b"', 'matches(t, "^abcdefgh$")'], 0, { t: 'abtextgh' }],
  [['substring(t, 1, 3) == "b"', 'len(t) == 2'], 0, { t: 'xtext' }],
  [['substring(t, 1, 3) == "b"', 'len(t) == 7'], 0, { t: 'xtextxx' }],
  [['any(l, x => x.p > 1)'], 0, items('(item.p > 1)')],
  [['any(l, x => x.p > 1)'], 1, items('((item.p > 1) || (!(item.p > 1)))')],
  [['any(l, x => x > n)'], 0, items('(item > n)')],
  [['none(l, x => x.p > 1)'], 0, items('(!(item.p > 1))')],
  [['!none(l, x => x.p > 1)'], 0, items('(item.p > 1)')],
  [['!any(l, x => x.p > 1)'], 0, items('(!(item.p > 1))')],
  [['any(l, x => x.a)', '!all(l, x => x.b)'], 0, items('(item.a && (!item.b))')],
  [['any(l, x => x.a)', 'all(l, y => y.a)'], 0, items('item.a')],
  [['is_null(find(l, x => x.a))'], 0, items('(!item.a)')],
  [['find(l, x => x.a) == true'], 0, items('item.a')],
  [['filter(l, x => x.a) == []'], 0, items('(!item.a)')],
  [['is_array(filter(l, x => x.a))', 'filter(l, x => x.a) != []'], 0, items('item.a')],
  [['count(filter(l, x => x.a)) == 1', 'count(l) == 3'], 0, items('item.a', '(!item.a)', '(!item.a)')],
  [['count(filter(l, x => x.a)) == 2'], 0, items('item.a', 'item.a')],
  [['count(l) == 2', 'all(l, x => x.a)'], 0, items('item.a', 'item.a')],
  [['count(l) == 0', 'all(l, x => x.a)'], 0, items()],
  [['count(l) == 51', 'all(l, x => x.a)'], 0, times(50, 'item.a')],
  [['sum(l, x => x.p) == 10', 'count(l) == 4'], 0, times(4, '(item.p == 2.5)')],
  [['sum(l, x => x.p) == 10'], 0, items('(item.p == 10)')],
  [['sum(filter(l, x => x.a), x => x.p) == 10'], 0, items('((item.p == 10) && item.a)')],
  [['none(filter(l, x => x.a), x => x.b)'], 0, items('((!item.b) && (!item.a))')],
  [['avg(l, x => x.p) == 3', 'count(l) == 2'], 0, times(2, '(item.p == 3)')],
  [['any(reverse(coalesce(l, [])), x => x.a)'], 0, items('item.a')],
  [['any(split(l, ","), x => x.a)'], 0, {}],
])('%j, in variation %d, wishes %j', (conditions, variation, expected) => {
  expect(named(wishesFor(conditions).wishes.of(variation))).toEqual(expected)
})

describe('of a pattern,', () => {
  test.each<[allowed: readonly string[], wishes: Readonly<Record<string, Value>>]>([
    [['b', 'h'], { t: 'b' }],
    [['h'], { t: 'h' }],
    [['i'], {}],
  ])('among %j, is wished: %j', (allowed, expected) => {
    const { wishes } = wishesFor(['matches(t, "^(a|b|c|d|e|f|g|h|i|j)$")'], {
      allowsText: (_term, text) => allowed.includes(text),
    })
    expect(named(wishes.of(0))).toEqual(expected)
  })
})

test('inputs for one item vary, and stand for null without an item', () => {
  const conditions = ['any(l, x => x.a)']
  const { wishes } = wishesFor(conditions, { inputs: () => [{ item: 1 }, {}, { item: 3 }] })
  expect([0, 2, 4, 6].map((variation) => named(wishes.of(variation)))).toEqual([
    { l: [1] },
    { l: [null] },
    { l: [3] },
    { l: [1] },
  ])
  expect(named(wishesFor(conditions, { inputs: () => [] }).wishes.of(0))).toEqual({ l: [{}] })
})

test('items are searched for once, and for twelve conditions', () => {
  const asked: string[] = []
  const conditions = Array.from({ length: 13 }, (_, index) => `any(l, x => x.f${index})`)
  const { wishes } = wishesFor(['count(l) == 2', ...conditions], {
    inputs: (condition) => {
      asked.push(print(condition))
      return [{ item: 1 }]
    },
  })
  expect(named(wishes.of(0))).toEqual({ l: [1, 1] })
  expect(asked).toHaveLength(1)
  expect(asked[0]).toContain('item.f11')
  expect(asked[0]).not.toContain('item.f12')
})

test.each<[conditions: readonly string[], input: Readonly<Record<string, Value>>]>([
  [['t in l', 'is_string(t)'], { t: 'text', l: ['text'] }],
  [['l contains t', 'is_string(t)'], { t: 'text', l: ['text'] }],
  [['t in l', 'is_null(t)', 'exists(t)'], { t: null, l: [null] }],
  [['t in l', '!exists(t)'], { t: null, l: [null] }],
  [['!(t in l)', 'is_string(t)', 'is_array(l)'], {}],
  [['lower(t) in l'], {}],
  [['t in lower(l)'], {}],
])('for %j lists are filled: %j', (conditions, expected) => {
  const input = {}
  wishesFor(conditions).wishes.fillLists(input)
  expect(input).toEqual(expected)
})

test.each<[condition: string, others: readonly string[], fields: readonly string[] | undefined]>([
  ['pow(n, 2)', ['is_number(n)'], ['n']],
  ['pow(n, m)', ['is_number(n)', '!exists(m)'], ['n', 'm']],
  ['pow(n, m)', ['is_number(n)', 'is_null(m)', 'exists(m)'], undefined],
  ['pow(n, m)', ['is_null(n)', 'exists(n)', 'is_number(m)'], undefined],
  ['pow(n, $v)', ['is_number(n)'], undefined],
  ['pow(n, count(l, x => x.a))', ['is_number(n)', '!exists(l)'], undefined],
  ['pow(n, coalesce(m, 2))', ['is_number(n)', '!exists(m)'], ['n', 'm']],
  ['len(to_string(n))', ['is_number(n)'], undefined],
])('%s, with %j, is computed from %j', (text, others, fields) => {
  const { encoder, wishes } = wishesFor([`${text} > 3`, ...others])
  const term = [...encoder.opaque.keys()].find(({ expression }) => print(expression) === text)
  if (term === undefined) throw new Error(`${text} is no term`)
  expect(wishes.derivedFrom(term)?.map(({ expression }) => print(expression))).toEqual(fields)
  const chosen = new Map([...encoder.terms.values()].filter((one) => one.field !== undefined).map((one) => [one, 3]))
  if (fields !== undefined) expect(wishes.derived(term, chosen)).toBe(fields.length === 1 ? 9 : 27)
  // Numbers of such functions are chosen with their fields.
  if (fields !== undefined) expect(named(wishes.of(0))).toEqual({})
})
