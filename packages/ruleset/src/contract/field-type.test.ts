import type { Value } from '@engine/expression'
import { TYPE } from '@engine/expression/core'
import { describe, expect, test } from 'vitest'
import {
  checkedType,
  conceptNamed,
  type Concepts,
  dependentConcepts,
  factTypeFor,
  hasType,
  parseType,
  typeText,
} from './field-type.ts'

const arrays = (depth: number, item: string) => `${'array<'.repeat(depth)}${item}${'>'.repeat(depth)}`

describe('a type', () => {
  test.each([
    ['string', { kind: 'string' }],
    ['any', { kind: 'any' }],
    ['concept:address', { kind: 'concept', name: 'address' }],
    ['array<integer>', { kind: 'array', item: { kind: 'integer' } }],
    ['array<array<concept:a>>', { kind: 'array', item: { kind: 'array', item: { kind: 'concept', name: 'a' } } }],
  ])('%s is read, and written as it was', (text, type) => {
    const parsed = parseType(text)
    expect(parsed).toEqual(type)
    expect(parsed && typeText(parsed)).toBe(text)
  })

  test.each(['', 'text', 'String', 'concept:', 'array<>', 'array<text>', 'array<string', arrays(17, 'string')])(
    '`%s` is none',
    (text) => expect(parseType(text)).toBeUndefined(),
  )

  test('has at most 16 arrays in each other', () => {
    const text = arrays(16, 'string')
    const parsed = parseType(text)
    expect(parsed && typeText(parsed)).toBe(text)
  })

  test.each([
    ['string', TYPE.string],
    ['integer', TYPE.number],
    ['decimal', TYPE.number],
    ['boolean', TYPE.boolean],
    ['object', TYPE.object],
    ['any', TYPE.any],
    ['array<string>', TYPE.array],
    ['concept:a', TYPE.object],
  ])('%s is checked in expressions as its kind', (text, type) => {
    const parsed = parseType(text)
    expect(parsed && checkedType(parsed)).toBe(type)
  })

  test.each<[text: string, instead: { readonly instead: string | undefined } | undefined]>([
    ['string', undefined],
    ['number', undefined],
    ['object', undefined],
    ['concept:a', undefined],
    ['array<string>', undefined],
    ['integer', { instead: 'number' }],
    ['decimal', { instead: 'number' }],
    ['any', { instead: undefined }],
    ['array<integer>', { instead: 'array<number>' }],
    ['array<array<decimal>>', { instead: 'array<array<number>>' }],
    ['array<any>', { instead: undefined }],
  ])('%s is replaced for a fact by %j', (text, instead) => {
    const parsed = parseType(text)
    expect(parsed && factTypeFor(parsed)).toEqual(instead)
  })

  test.each([
    ['concept:a', 'a'],
    ['array<array<concept:a>>', 'a'],
    ['string', undefined],
    ['array<string>', undefined],
    ['nothing', undefined],
  ])('%s names the concept %s', (text, name) => expect(conceptNamed(text)).toBe(name))
})

const CONCEPTS: Concepts = new Map([
  ['city', [{ name: 'name', type: 'string' }]],
  [
    'address',
    [
      { name: 'city', type: 'concept:city' },
      { name: 'lines', type: 'array<string>' },
    ],
  ],
  ['person', [{ name: 'homes', type: 'array<concept:address>' }]],
  ['firm', [{ name: 'seat', type: 'concept:address' }]],
  ['odd', [{ name: 'x', type: 'nothing' }]],
])

test.each([
  ['city', ['city', 'address', 'person', 'firm']],
  ['address', ['address', 'person', 'firm']],
  ['firm', ['firm']],
  ['absent', ['absent']],
])('the concepts that use %s are %j', (name, used) => {
  expect([...dependentConcepts(CONCEPTS, name)].toSorted()).toEqual(used.toSorted())
})

describe('a value', () => {
  test.each<[value: Value, types: readonly string[]]>([
    ['x', ['string', 'any']],
    [1, ['number', 'integer', 'decimal', 'any']],
    [1.5, ['number', 'decimal', 'any']],
    [10n ** 20n, ['number', 'integer', 'decimal', 'any']],
    [true, ['boolean', 'any']],
    [null, ['any']],
    [[], ['array<string>', 'array<concept:city>', 'any']],
    [['a'], ['array<string>', 'any']],
    [['a', 1], ['any']],
    [{}, ['object', 'concept:city', 'concept:address', 'concept:odd', 'any']],
    [{ name: 'Rome', more: 1 }, ['object', 'concept:city', 'concept:address', 'concept:odd', 'any']],
    [{ name: 5 }, ['object', 'concept:address', 'concept:odd', 'any']],
    [{ name: null }, ['object', 'concept:address', 'concept:odd', 'any']],
    [{ city: { name: 5 } }, ['object', 'concept:city', 'concept:odd', 'any']],
    [{ lines: ['a', 5] }, ['object', 'concept:city', 'concept:odd', 'any']],
    [{ x: 5 }, ['object', 'concept:city', 'concept:address', 'concept:odd', 'any']],
    [[{ name: 5 }], ['any']],
  ])('%o is of the types %j', (value, types) => {
    const all = [
      'string number integer decimal boolean object any',
      'array<string> array<concept:city> concept:city concept:address concept:odd',
    ].flatMap((names) => names.split(' '))
    const held = all.filter((text) => {
      const type = parseType(text)
      return type !== undefined && hasType(value, type, CONCEPTS)
    })
    expect(held.toSorted()).toEqual(types.toSorted())
  })

  test('inherits no field of a concept', () => {
    const type = { kind: 'concept', name: 'object' } as const
    const concepts: Concepts = new Map([['object', [{ name: 'constructor', type: 'string' }]]])
    expect(hasType({}, type, concepts)).toBe(true)
  })
})
