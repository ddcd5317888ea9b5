import { type Expression, parse, print } from '@engine/expression'
import { expect, test } from 'vitest'
import { atomsOf, evaluateAtoms, showsEffect, thresholdOf } from './atoms.ts'

function read(text: string): Expression {
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new Error(text)
  return parsed.expression
}

test.each<
  [condition: string, values: Readonly<Record<string, boolean>>, outcome: boolean | undefined, known: number[]]
>([
  ['a', { a: true }, true, [0]],
  ['!a', { a: true }, false, [0]],
  ['a && b', { a: true, b: false }, false, [0, 1]],
  ['a && b', { a: false, b: true }, false, [0]],
  ['a || b', { a: true, b: false }, true, [0]],
  ['a || b', { a: false, b: true }, true, [0, 1]],
  ['(a && b) || c', { a: false, b: true, c: true }, true, [0, 2]],
  ['(a || b) && c', { a: true, b: true, c: false }, false, [0, 2]],
  // An atom without a value fails, and so does the condition.
  ['a', {}, undefined, []],
  ['!a', {}, undefined, []],
  ['a && b', { b: true }, undefined, []],
  ['a || b', { b: true }, undefined, []],
  ['a && b', { a: true }, undefined, []],
  ['a && b', { a: false }, false, [0]],
])('%s with %j is %s, and the atoms %j have values', (condition, values, outcome, known) => {
  const found = evaluateAtoms(read(condition), (atom) => {
    const value = values[print(atom)]
    return value === undefined ? { error: 'type' } : { value }
  })
  expect(found?.outcome).toBe(outcome)
  expect([...(found?.values.keys() ?? [])]).toEqual(known)
})

test.each([
  ['a && (b || !c)', ['a', 'b', 'c']],
  ['!(a && b)', ['a', 'b']],
  ['!!a', ['a']],
  ['-a > 1', ['((-a) > 1)']],
  ['-a', ['(-a)']],
  ['if a then b else c', ['(if a then b else c)']],
])('the atoms of %s are %j', (condition, atoms) => {
  expect(atomsOf(read(condition)).map((atom) => print(atom).replaceAll(' ', ''))).toEqual(
    atoms.map((atom) => atom.replaceAll(' ', '')),
  )
})

type Values = Readonly<Record<number, boolean>>

test.each<[one: readonly [boolean, Values], other: readonly [boolean, Values], shown: boolean]>([
  [[true, { 0: true }], [false, { 0: false }], true],
  [[true, { 0: true }], [true, { 0: false }], false],
  [[true, { 0: true }], [false, { 0: true }], false],
  [[true, { 0: true, 1: true }], [false, { 0: false, 1: true }], true],
  [[true, { 0: true, 1: true }], [false, { 0: false, 1: false }], false],
  [[true, { 0: true, 1: true, 2: true }], [false, { 0: false, 1: true, 2: false }], false],
  // An atom that one evaluation skips does not count.
  [[true, { 0: true, 1: true }], [false, { 0: false }], true],
  [[true, { 1: true }], [false, { 0: false, 1: true }], false],
  [[true, { 0: true, 1: true }], [false, { 1: true }], false],
])('%j and %j show that the first atom decides: %s', (one, other, shown) => {
  const evaluationOf = ([outcome, values]: readonly [boolean, Values]) => ({
    outcome,
    values: new Map(Object.entries(values).map(([atom, value]) => [Number(atom), value])),
  })
  expect(showsEffect(0, evaluationOf(one), evaluationOf(other))).toBe(shown)
})

test.each([
  ['a > 5', ['a', 5]],
  ['5 <= a + 1', ['(a + 1)', 5]],
  ['a == 5', ['a', 5]],
  ['a != 0', ['a', 0]],
  ['a == "x"', undefined],
  ['a == null', undefined],
  ['a > b', undefined],
  ['1 > 2', undefined],
  ['a + 5', undefined],
  ['a', undefined],
])('the limit of %s: %j', (atom, expected) => {
  const found = thresholdOf(read(atom))
  expect(found && [print(found.operand), found.constant]).toEqual(expected)
})
