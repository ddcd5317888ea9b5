import { expect, test } from 'vitest'
import { type Literal, negated, Solver } from '../search/solver.ts'
import { type Bounds, Line } from './line.ts'
import { INTEGERS, type NumberPoint, NUMBERS, type Order, TEXTS } from './order.ts'

const BUDGET = 100_000

/** The literal of a comparison with a point. */
function literalOf<Point>(line: Line<Point>, operator: string, point: Point): Literal {
  if (operator === '<') return line.below(point)
  if (operator === '<=') return line.atMost(point)
  if (operator === '==') return line.equals(point)
  return negated(literalOf(line, operator === '>=' ? '<' : operator === '>' ? '<=' : '==', point))
}

interface Solved<Point> {
  readonly line: Line<Point>
  readonly solver: Solver
  readonly literals: readonly Literal[]
}

function solved<Point>(order: Order<Point>, comparisons: readonly (readonly [string, Point])[]): Solved<Point> {
  const solver = new Solver()
  const line = new Line(solver, order)
  return { line, solver, literals: comparisons.map(([operator, point]) => literalOf(line, operator, point)) }
}

const ORDERS: Readonly<Record<string, Order<NumberPoint>>> = { numbers: NUMBERS, integers: INTEGERS }

test.each<[order: string, comparisons: string, answer: string]>([
  ['numbers', '> 1, < 2', 'possible'],
  ['integers', '> 1, < 2', 'impossible'],
  ['integers', '< 2, > 1', 'impossible'],
  ['integers', '> 1, < 3', 'possible'],
  ['integers', '> 1, < 3, != 2', 'impossible'],
  ['numbers', '> 1, < 3, != 2', 'possible'],
  ['numbers', '> 1, <= 1', 'impossible'],
  ['numbers', '>= 1, <= 1', 'possible'],
  ['numbers', '>= 1, < 1', 'impossible'],
  ['numbers', '>= 1, <= 1, != 1', 'impossible'],
  ['numbers', '< 1, > 2', 'impossible'],
  ['numbers', '<= 1, >= 2', 'impossible'],
  ['numbers', '> 3, <= 2', 'impossible'],
  ['numbers', '== 1, == 2', 'impossible'],
  ['numbers', '== 1, < 2', 'possible'],
  ['numbers', '== 1, > 2', 'impossible'],
  ['numbers', '== 5, < 7, > 3, != 4, != 6', 'possible'],
  ['numbers', '> Infinity', 'impossible'],
  ['numbers', '>= Infinity', 'possible'],
  ['numbers', '> 3, > Infinity', 'impossible'],
  ['numbers', '< 3', 'possible'],
])('of %s, %s is %s', (order, comparisons, answer) => {
  const read = comparisons.split(', ').map((one): [string, number] => {
    const [operator = '', point] = one.split(' ')
    return [operator, Number(point)]
  })
  const { solver, literals } = solved(ORDERS[order] ?? NUMBERS, read)
  expect(solver.solve(literals, BUDGET)).toBe(answer === 'possible' ? 'satisfiable' : 'unsatisfiable')
})

test.each<[comparisons: readonly (readonly [string, string])[], answer: string]>([
  [[['<', '']], 'unsatisfiable'],
  [[['<=', '']], 'satisfiable'],
  [
    [
      ['>', 'a'],
      ['<', 'a\u0000'],
    ],
    'unsatisfiable',
  ],
  [
    [
      ['>', 'a'],
      ['<', 'b'],
    ],
    'satisfiable',
  ],
  [
    [
      ['>=', 'b'],
      ['<', 'a'],
    ],
    'unsatisfiable',
  ],
  [[['>', 'z']], 'satisfiable'],
  [
    [
      ['<', 'a'],
      ['<', ''],
    ],
    'unsatisfiable',
  ],
])('of texts, %j is %s', (comparisons, answer) => {
  const { solver, literals } = solved(TEXTS, comparisons)
  expect(solver.solve(literals, BUDGET)).toBe(answer)
})

test('a point has one cut, and cuts are in rising order', () => {
  const line = new Line(new Solver(), NUMBERS)
  const first = line.below(5)
  for (const point of [1, 9, 5, 3, 9, 1]) line.atMost(point)
  expect(line.cuts.map(({ at }) => at)).toEqual([1, 3, 5, 9])
  expect(line.below(5)).toBe(first)
  expect(new Set(line.cuts.flatMap(({ below, atMost }) => [below, atMost])).size).toBe(8)
})

const bounds = (low: number | undefined, isLowOpen: boolean, high: number | undefined, isHighOpen: boolean) => ({
  low,
  isLowOpen,
  high,
  isHighOpen,
})

test.each<[comparisons: string, found: Omit<Bounds<number>, 'because'>, within: number | undefined]>([
  ['', bounds(undefined, false, undefined, false), 1],
  ['> 3', bounds(3, true, undefined, false), 4],
  ['>= 3', bounds(3, false, undefined, false), 3],
  ['< 3', bounds(undefined, false, 3, true), 2],
  ['<= 3', bounds(undefined, false, 3, false), 3],
  ['> 3, < 9', bounds(3, true, 9, true), 4],
  ['> 3, <= 9', bounds(3, true, 9, false), 9],
  ['>= 3, < 9', bounds(3, false, 9, true), 3],
  ['== 3', bounds(3, false, 3, false), 3],
  ['> 3, > 5, < 9, < 7', bounds(5, true, 7, true), 6],
  ['> 3, >= 5, < 9, <= 5', bounds(5, false, 5, false), 5],
])('the bounds after %s', (comparisons, expected, within) => {
  const read = comparisons.split(', ').flatMap((one): [string, NumberPoint][] => {
    const [operator = '', point] = one.split(' ')
    return point === undefined ? [] : [[operator, Number(point)]]
  })
  const { solver, line, literals } = solved(NUMBERS, read)
  expect(solver.solve(literals, BUDGET)).toBe('satisfiable')
  const { because, ...found } = line.bounds()
  expect(found).toEqual(expected)
  expect(line.within({ because, ...found })).toBe(within)
  // The literals are true, and imply the bounds.
  expect(because.map((literal) => solver.valueOf(literal))).toEqual(because.map(() => true))
  const outside = [
    ...(found.low === undefined ? [] : [found.isLowOpen ? line.atMost(found.low) : line.below(found.low)]),
    ...(found.high === undefined ? [] : [negated(found.isHighOpen ? line.below(found.high) : line.atMost(found.high))]),
  ]
  expect(because).toHaveLength(outside.length)
  for (const literal of outside) expect(solver.solve([...because, literal], BUDGET)).toBe('unsatisfiable')
})

test('nothing is within bounds between which there is no value', () => {
  const line = new Line(new Solver(), INTEGERS)
  expect(line.within({ ...bounds(1, true, 2, true), because: [] })).toBeUndefined()
})

test.each<[order: string, points: readonly number[], parts: readonly (readonly [example: unknown, found: unknown])[]]>([
  ['numbers', [], [[1, 'odd']]],
  [
    'numbers',
    [4],
    [
      [3, 'odd'],
      [4, 'even'],
      [5, 'odd'],
    ],
  ],
  [
    'numbers',
    [8, 4],
    [
      [3, 'odd'],
      [4, 'even'],
      [5, 'odd'],
      [8, 'even'],
      [9, 'odd'],
    ],
  ],
  [
    'numbers',
    [3],
    [
      [2, 'even'],
      [3, 'odd'],
      [4, 'even'],
    ],
  ],
  [
    'integers',
    [4, 5],
    [
      [3, 'odd'],
      [4, 'even'],
      [5, 'odd'],
      [6, 'even'],
    ],
  ],
  // Neighbours of which the same is found are one part.
  [
    'integers',
    [4, 6],
    [
      [3, 'odd'],
      [4, 'even'],
      [5, 'odd'],
      [6, 'even'],
      [7, 'odd'],
    ],
  ],
  [
    'numbers',
    [1, 3],
    [
      [0, 'even'],
      [1, 'odd'],
      [2, 'even'],
      [3, 'odd'],
      [4, 'even'],
    ],
  ],
])('the parts of %s between %j', (order, points, parts) => {
  const solver = new Solver()
  const line = new Line(solver, ORDERS[order] ?? NUMBERS)
  const found = line.stretches(points, (example) => (Number(example) % 2 === 0 ? 'even' : 'odd'))
  expect(found.map(({ example, found: kind }) => [example, kind])).toEqual(parts)
  // They exclude each other, one of them holds, and each has its example.
  expect(
    solver.solve(
      found.map(({ literal }) => negated(literal)),
      BUDGET,
    ),
  ).toBe('unsatisfiable')
  for (const [index, one] of found.entries()) {
    expect(solver.solve([one.literal, line.equals(one.example)], BUDGET)).toBe('satisfiable')
    for (const other of found.slice(index + 1))
      expect(solver.solve([one.literal, other.literal], BUDGET)).toBe('unsatisfiable')
  }
})

test('parts of which the same is found are joined', () => {
  const solver = new Solver()
  const line = new Line(solver, NUMBERS)
  const found = line.stretches([2, 5, 9], (example) => Number(example) >= 5)
  expect(found.map(({ example, found: isLarge }) => [example, isLarge])).toEqual([
    [1, false],
    [5, true],
  ])
  const [small, large] = found
  expect(solver.solve([small?.literal ?? 1, line.equals(5)], BUDGET)).toBe('unsatisfiable')
  expect(solver.solve([small?.literal ?? 1, line.equals(3)], BUDGET)).toBe('satisfiable')
  expect(solver.solve([large?.literal ?? 1, line.equals(12)], BUDGET)).toBe('satisfiable')
})
