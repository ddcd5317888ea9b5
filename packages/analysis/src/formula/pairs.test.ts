import { NO_SPAN } from '@engine/expression'
import { expect, test } from 'vitest'
import { negated, Solver } from '../search/solver.ts'
import { Term } from '../terms/term.ts'
import { Pairs } from './pairs.ts'

function given() {
  const solver = new Solver()
  const [a, b, c] = ['a', 'b', 'c'].map(
    (name) => new Term(solver, { kind: 'field', path: [{ kind: 'name', name }], span: NO_SPAN }, ['number', 'text']),
  )
  if (a === undefined || b === undefined || c === undefined) throw new Error('three terms')
  return { solver, pairs: new Pairs(solver), a, b, c }
}

test('two values are less, equal or greater', () => {
  const { solver, pairs, a, b } = given()
  const { less, equal } = pairs.of(a, b, 'number')
  const isPossible = (...literals: readonly number[]) => solver.solve(literals, 1000) === 'satisfiable'
  expect(isPossible(less, negated(equal))).toBe(true)
  expect(isPossible(negated(less), equal)).toBe(true)
  expect(isPossible(negated(less), negated(equal))).toBe(true)
  expect(isPossible(less, equal)).toBe(false)
})

test('the same comparison has the same literals, in the other order too', () => {
  const { solver, pairs, a, b, c } = given()
  const one = pairs.of(a, b, 'number')
  expect(pairs.of(a, b, 'number')).toBe(one)
  const { less, equal } = pairs.of(b, a, 'number')
  expect(equal).toBe(one.equal)
  expect(less).toBe(solver.and([negated(one.less), negated(one.equal)]))
  const others = [pairs.of(a, c, 'number'), pairs.of(b, c, 'number'), pairs.of(a, b, 'text')]
  expect(new Set([one, ...others].flatMap((pair) => [pair.less, pair.equal])).size).toBe(8)
  expect([...pairs.values()]).toEqual([
    { left: a, right: b, kind: 'number', ...one },
    { left: a, right: c, kind: 'number', ...others[0] },
    { left: b, right: c, kind: 'number', ...others[1] },
    { left: a, right: b, kind: 'text', ...others[2] },
  ])
})

test('whether two lists or objects are equal is one question in both orders, and one for each kind', () => {
  const { pairs, a, b, c } = given()
  const one = pairs.sameness(a, b, 'list')
  expect([pairs.sameness(a, b, 'list'), pairs.sameness(b, a, 'list')]).toEqual([one, one])
  expect(
    new Set([one, pairs.sameness(a, b, 'object'), pairs.sameness(a, c, 'list'), pairs.sameness(b, c, 'list')]).size,
  ).toBe(4)
})
