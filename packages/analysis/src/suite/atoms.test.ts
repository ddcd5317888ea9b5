import { type Expression, parse, print } from '@engine/expression'
import { expect, test } from 'vitest'
import { evaluateAtoms } from './atoms.ts'

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
