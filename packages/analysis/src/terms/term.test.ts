import { numberOfText, parse, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { FALSE, negated, Solver } from '../search/solver.ts'
import { EXAMPLES, type Feature, type Kind, kindOf, KINDS, sortedText, Term, textIn } from './term.ts'

test.each<[value: Value, text: string]>([
  [null, 'null'],
  [-0, '0'],
  [0, '0'],
  [1, '1'],
  ['a"b', '"a\\"b"'],
  [[], '[]'],
  [{}, '{}'],
  [[1, [2, 'x'], {}], '[1,[2,"x"],{}]'],
  [{ a: 1 }, '{"a":1}'],
  [[{ c: 1, b: 2, a: 3 }], '[{"a":3,"b":2,"c":1}]'],
  [{ b: 1, a: { d: [true], c: null } }, '{"a":{"c":null,"d":[true]},"b":1}'],
])('%j has the text %s', (value, text) => expect(sortedText(value)).toBe(text))

test('members have one text in any order', () => {
  expect(sortedText({ a: 1, b: [{ x: 1, y: 2 }] })).toBe(sortedText({ b: [{ y: 2, x: 1 }], a: 1 }))
})

test('a list that rules have nested thousands of times has a text', () => {
  let value: Value = 'x'
  for (let depth = 0; depth < 100_000; depth++) value = [value]
  expect(sortedText(value)).toHaveLength(200_003)
})

test.each<[value: Value | undefined, kind: Kind]>([
  [undefined, 'missing'],
  [null, 'null'],
  [false, 'false'],
  [true, 'true'],
  [0, 'number'],
  [10n, 'number'],
  [numberOfText('0.1000000000000000000001') ?? '', 'number'],
  ['', 'text'],
  [[], 'empty list'],
  [[null], 'list'],
  [{}, 'empty object'],
  [{ a: 1 }, 'object'],
])('%s is of the kind %s', (value, kind) => expect(kindOf(value)).toBe(kind))

test.each(Object.entries(EXAMPLES))('the example of the kind %s is of this kind', (kind, value) => {
  expect(kindOf(value)).toBe(kind)
})

const BUDGET = 100_000

function termOf(text: string, kinds: readonly Kind[] = KINDS) {
  const read = parse(text)
  if (read.kind === 'failed') throw new Error(text)
  const solver = new Solver()
  const term = new Term(solver, read.expression, kinds)
  return { solver, term, isPossible: (...all: readonly number[]) => solver.solve(all, BUDGET) === 'satisfiable' }
}

test.each([
  ['n', true],
  ['a.b[0]', true],
  ['a[-1]', false],
  ['len(n)', false],
  ['$v', false],
])('%s is a field of the input: %s', (text, isField) => {
  expect(termOf(text).term.field !== undefined).toBe(isField)
})

test('a term is of exactly one of its kinds', () => {
  const { term, isPossible } = termOf('n', ['null', 'number', 'text'])
  expect(isPossible(term.is('number'))).toBe(true)
  expect(isPossible(term.is('number'), term.is('text'))).toBe(false)
  expect(isPossible(term.is('null'), term.is('text'))).toBe(false)
  expect(isPossible(...(['null', 'number', 'text'] as const).map((kind) => negated(term.is(kind))))).toBe(false)
  expect(isPossible(negated(term.isAny('number', 'text')), negated(term.is('null')))).toBe(false)
  expect(isPossible(term.isAny('number', 'text'))).toBe(true)
  expect(isPossible(term.is('list'))).toBe(false)
  expect(term.is('list')).toBe(FALSE)
})

test.each<
  [kind: Feature['kind'], constant: Value, holds: readonly Value[], fails: readonly Value[], of: readonly Kind[]]
>([
  ['suffix', 'ab', ['ab', 'xab'], ['abx', '', ['ab'], null], ['text']],
  ['part', 'ab', ['ab', 'xaby'], ['ba', ['ab'], null], ['text']],
  ['element', 'ab', [['x', 'ab']], ['ab', [], ['xab'], null], ['list']],
  ['constant', [1, 2], [[1, 2]], [[2, 1], [1], '[1,2]'], ['list']],
  ['constant', { a: 1, b: 2 }, [{ b: 2, a: 1 }], [{ a: 1 }], ['object']],
])('the feature %s of %j', (kind, constant, holds, fails, of) => {
  const { term } = termOf('n')
  const feature = term.feature(kind, constant, 'key')
  expect(feature).toMatchObject({ kind, constant, kinds: of })
  for (const value of holds) expect(feature.holds(value)).toBe(true)
  for (const value of fails) expect(feature.holds(value)).toBe(false)
  expect(term.feature(kind, constant, 'key')).toBe(feature)
  expect(term.feature(kind, constant, 'other key')).not.toBe(feature)
  expect([...term.features.keys()]).toEqual(['key', 'other key'])
})

type FeatureOf = readonly [kind: Feature['kind'], constant: Value]

/** Two features with the pairs of truths that no text or list has. */
test.each<[one: FeatureOf, other: FeatureOf, impossible: string, kind?: Kind]>([
  [['suffix', 'abc'], ['suffix', 'bc'], '+-'],
  [['suffix', 'bc'], ['suffix', 'abc'], '-+'],
  [['suffix', 'abc'], ['part', 'b'], '+-'],
  [['part', 'b'], ['suffix', 'abc'], '-+'],
  [['part', 'abc'], ['part', 'b'], '+-'],
  [['part', 'b'], ['part', 'abc'], '-+'],
  [['part', 'abc'], ['suffix', 'c'], ''],
  [['part', 'x'], ['part', 'y'], ''],
  [['suffix', 'x'], ['part', 'y'], ''],
  [['suffix', 'x'], ['suffix', 'y'], '++'],
  [['suffix', 'x'], ['suffix', 'y'], '', 'list'],
  [['suffix', 'abc'], ['suffix', 'bc'], '', 'list'],
  [['element', 'x'], ['element', 'y'], '', 'list'],
  [['element', 'abc'], ['part', 'b'], ''],
  [['constant', 'abc'], ['part', 'b'], ''],
  [['constant', [1]], ['constant', [2]], '++', 'list'],
  [['element', 'x'], ['constant', ['x']], '', 'list'],
])('%j and %j exclude %j', (one, other, impossible, kind = 'text') => {
  const { term, isPossible } = termOf('n')
  const [first, second] = [one, other].map(([of, constant], index) => term.feature(of, constant, `${index}`).literal)
  const excluded = ['++', '+-', '-+', '--'].filter(
    ([left, right]) =>
      !isPossible(
        term.is(kind),
        left === '+' ? (first ?? FALSE) : negated(first ?? FALSE),
        right === '+' ? (second ?? FALSE) : negated(second ?? FALSE),
      ),
  )
  expect(excluded.join()).toBe(impossible)
})

test.each(['before', 'after'])('features of a text that is noted %s them are known', (order) => {
  const { term, isPossible } = termOf('n')
  if (order === 'before') term.noteText('abc')
  const suffix = term.feature('suffix', 'bc', 'suffix').literal
  const part = term.feature('part', 'x', 'part').literal
  const element = term.feature('element', 'abc', 'element').literal
  if (order === 'after') term.noteText('abc')
  const isNoted = [term.is('text'), term.texts.equals('abc')]
  expect(isPossible(...isNoted, suffix, negated(part))).toBe(true)
  expect(isPossible(...isNoted, negated(suffix))).toBe(false)
  expect(isPossible(...isNoted, part)).toBe(false)
  expect(isPossible(...isNoted, element)).toBe(true)
  expect(isPossible(...isNoted, negated(element))).toBe(true)
  expect(isPossible(term.is('list'), term.texts.equals('abc'), negated(suffix))).toBe(true)
  expect(isPossible(term.is('text'), negated(suffix))).toBe(true)
})

test('a text that is noted again adds nothing', () => {
  const { term, solver } = termOf('n')
  term.feature('suffix', 'bc', 'suffix')
  term.noteText('abc')
  const { size } = solver
  term.noteText('abc')
  expect(solver.size).toBe(size)
})

test('a term has one of its kinds, and any of them can be wanted', () => {
  const { term, isPossible } = termOf('n', ['null', 'number', 'text'])
  const not = (...kinds: readonly Kind[]) => kinds.map((kind) => negated(term.is(kind)))
  expect(isPossible(...not('null', 'number'))).toBe(true)
  expect(isPossible(...not('null', 'number', 'text'))).toBe(false)
  expect(isPossible(term.isAny('null', 'text'), term.is('number'))).toBe(false)
  expect(isPossible(term.isAny('null', 'text'), term.is('text'))).toBe(true)
  expect(isPossible(negated(term.isAny('null', 'text')), term.is('text'))).toBe(false)
  expect(isPossible(term.is('list'))).toBe(false)
  expect(term.expression).toMatchObject({ kind: 'field', path: [{ name: 'n' }] })
})

test('numbers and texts of a term are in their order', () => {
  const { term, isPossible } = termOf('n')
  expect(isPossible(term.numbers.below(1), negated(term.numbers.below(2)))).toBe(false)
  expect(isPossible(term.texts.below('a'), negated(term.texts.below('b')))).toBe(false)
})

test('a constant that is no text has none', () => {
  expect([textIn('a'), textIn(1), textIn(null)]).toEqual(['a', '', ''])
})
