import { expect, test } from 'vitest'
import { commonShape, type FeelShape, isOfShape, isOtherShape, shapeAt, typeOfShape } from './shape.ts'
import { shapeOfText, shapeText } from './shape.testing.ts'

test.each([
  [['number'], 'number'],
  [['number', 'number'], 'number'],
  [['number', 'string'], '?'],
  [['number', 'number', 'string'], '?'],
  [['number', 'string', 'number'], '?'],
  [['number', '?'], '?'],
  [['?'], '?'],
  [['?', 'number'], '?'],
  [['number', '[number]'], '?'],
  [['number', '{a: number}'], '?'],
  [['[number]'], '[number]'],
  [['[number]', '[number]'], '[number]'],
  [['[number]', '[string]'], '[?]'],
  [['[number]', 'number'], '?'],
  [['[number]', '?'], '?'],
  [['[[number]]', '[[number]]'], '[[number]]'],
  [['[[number]]', '[[string]]'], '[[?]]'],
  [['[[number]]', '[number]'], '[?]'],
  [['{a: number}'], '{a: number}'],
  [['{a: number}', '{a: number}'], '{a: number}'],
  [['{a: number}', '{a: string}'], '{a: ?}'],
  [['{a: number}', '{b: number}'], '?'],
  [['{a: number}', '{a: number, b: number}'], '?'],
  [['{a: number, b: string}', '{a: number}'], '?'],
  [['{a: number, b: string}', '{b: string, a: number}'], '{a: number, b: string}'],
  [['{a: number}', 'number'], '?'],
  [['{a: number}', '[number]'], '?'],
  [['{a: number}', '{a: number}', '{a: number, b: number}'], '?'],
  [['{}', '{}'], '{}'],
  [[], '?'],
] as const)('the shape that all of %j have is %s', (shapes, expected) => {
  expect(shapeText(commonShape(shapes.map(shapeOfText)))).toBe(expected)
})

test.each([
  ['number', 'number', true],
  ['number', 'string', false],
  ['number', '?', false],
  ['?', 'number', false],
  ['?', '?', false],
  ['[number]', 'number', false],
  ['number', '[number]', false],
  ['[number]', '[number]', true],
  ['[number]', '[string]', false],
  ['[?]', '[number]', false],
  ['{a: number}', '[number]', false],
  ['[number]', '{a: number}', false],
  ['number', '{}', false],
  ['{a: number}', '{a: number}', true],
  ['{a: number}', '{a: string}', false],
  ['{a: number, b: string}', '{a: number}', true],
  ['{a: number}', '{a: number, b: string}', false],
  ['{a: string, b: string}', '{a: number, b: string}', false],
  ['{a: [number]}', '{a: [number]}', true],
])('a value of the shape %s is known to have the shape %s: %s', (found, wanted, expected) => {
  expect(isOfShape(shapeOfText(found), shapeOfText(wanted))).toBe(expected)
})

test('types within each other are compared to a depth of 20 levels', () => {
  const lists = (depth: number) => shapeOfText('['.repeat(depth) + 'number' + ']'.repeat(depth))
  expect([isOfShape(lists(19), lists(19)), isOfShape(lists(20), lists(20))]).toEqual([true, false])
  const contexts = (depth: number): FeelShape | undefined =>
    depth === 0 ? shapeOfText('number') : { kind: 'context', names: ['a'], member: () => contexts(depth - 1) }
  expect([isOfShape(contexts(19), contexts(19)), isOfShape(contexts(20), contexts(20))]).toEqual([true, false])
  const texts = (depth: number): FeelShape | undefined =>
    depth === 0 ? shapeOfText('string') : { kind: 'context', names: ['a'], member: () => texts(depth - 1) }
  expect([isOtherShape(contexts(19), texts(19)), isOtherShape(contexts(20), texts(20))]).toEqual([true, false])
  const words = (depth: number) => shapeOfText('['.repeat(depth) + 'string' + ']'.repeat(depth))
  expect([isOtherShape(lists(19), words(19)), isOtherShape(lists(20), words(20))]).toEqual([true, false])
})

test.each([
  ['number', '', 'number'],
  ['number', 'a', '?'],
  ['{a: number}', 'a', 'number'],
  ['{a: number}', 'b', '?'],
  ['[{a: number}]', '', '[{a: number}]'],
  ['[{a: number}]', 'a', '[number]'],
  ['[[{a: number}]]', 'a', '[[number]]'],
  ['[number]', 'a', '[?]'],
  ['?', 'a', '?'],
])('the member of %s at the path `%s` has the shape %s', (shape, path, expected) => {
  expect(shapeText(shapeAt(shapeOfText(shape), path === '' ? [] : path.split('.')))).toBe(expected)
})

test('a path goes through contexts in lists and lists in contexts', () => {
  const inner: FeelShape = { kind: 'context', names: ['b'], member: () => shapeOfText('[{c: date}]') }
  const outer: FeelShape = { kind: 'list', items: () => ({ kind: 'context', names: ['a'], member: () => inner }) }
  expect(shapeText(shapeAt(outer, ['a', 'b', 'c']))).toBe('[[date]]')
  expect(shapeText(shapeAt(inner, ['b', 'c']))).toBe('[date]')
})

test.each([
  ['number', 'number'],
  ['[number]', undefined],
  ['{a: number}', undefined],
  ['?', undefined],
])('the type of %s is %s', (shape, type) => {
  expect(typeOfShape(shapeOfText(shape))).toBe(type)
})

test.each([
  ['number', 'number', false],
  ['number', 'string', true],
  ['number', '?', false],
  ['?', 'number', false],
  ['[number]', 'number', true],
  ['number', '[number]', true],
  ['[number]', '[number]', false],
  ['[number]', '[string]', true],
  ['[?]', '[string]', false],
  ['{a: number}', 'number', true],
  ['number', '{a: number}', true],
  ['[number]', '{a: number}', true],
  ['{a: number}', '{a: number}', false],
  ['{a: number}', '{a: string}', true],
  ['{a: ?}', '{a: string}', false],
  ['{a: number, b: string}', '{a: number}', false],
  ['{a: number}', '{a: number, b: string}', true],
  ['{a: number, b: number}', '{a: number, b: string}', true],
])('no value of the shape %s has the shape %s: %s', (found, wanted, expected) => {
  expect(isOtherShape(shapeOfText(found), shapeOfText(wanted))).toBe(expected)
})
