import { expect, test } from 'vitest'
import { FALSE, type Literal, Solver, TRUE } from '../search/solver.ts'
import { joinErrors, truthOfCells, uniteErrors } from './truth.ts'

const solver = new Solver()
const [a, b, c, when] = Array.from({ length: 4 }, () => solver.createVariable()) as [Literal, Literal, Literal, Literal]
type Errors = readonly (readonly [code: string, literal: Literal])[]

test.each<[first: Errors, second: Errors, when: Literal, joined: Errors]>([
  [[], [], when, []],
  [[['x', a]], [], when, [['x', a]]],
  [[], [['x', a]], when, [['x', solver.and([when, a])]]],
  [[['x', a]], [['x', b]], when, [['x', solver.or([a, solver.and([when, b])])]]],
  [
    [['x', a]],
    [['y', b]],
    when,
    [
      ['x', a],
      ['y', solver.and([when, b])],
    ],
  ],
  [[['x', a]], [['y', b]], FALSE, [['x', a]]],
  [[['x', a]], [['x', b]], FALSE, [['x', a]]],
  [[], [['x', a]], TRUE, [['x', a]]],
])('the errors %j and, under a condition, %j: %#', (first, second, condition, joined) => {
  expect([...joinErrors(solver, new Map(first), new Map(second), condition)]).toEqual(joined)
})

test.each<[own: Errors, ofOperand: Errors, united: Errors]>([
  [[], [], []],
  [[['x', a]], [], [['x', a]]],
  [[], [['x', a]], [['x', a]]],
  [[['x', a]], [['x', b]], [['x', solver.or([a, b])]]],
  [
    [['x', a]],
    [['y', b]],
    [
      ['x', a],
      ['y', b],
    ],
  ],
])('the errors %j of a test and %j of its operand', (own, ofOperand, united) => {
  expect([...uniteErrors(solver, new Map(own), new Map(ofOperand))]).toEqual(united)
})

test.each<[cells: readonly (readonly [outcome: string, literals: readonly Literal[]])[], truth: object]>([
  [[], { holds: FALSE, fails: FALSE, errors: new Map() }],
  [[['+', [a]]], { holds: a, fails: FALSE, errors: new Map() }],
  [[['-', [a, b]]], { holds: FALSE, fails: solver.or([a, b]), errors: new Map() }],
  [
    [
      ['+', [a, b]],
      ['-', []],
      ['x', [c]],
      ['y', [a, c]],
    ],
    {
      holds: solver.or([a, b]),
      fails: FALSE,
      errors: new Map([
        ['x', c],
        ['y', solver.or([a, c])],
      ]),
    },
  ],
])('the truth of cells: %#', (cells, truth) => {
  expect(truthOfCells(solver, new Map(cells))).toEqual(truth)
})
