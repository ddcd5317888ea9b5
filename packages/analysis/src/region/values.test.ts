import { NO_SPAN } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { negated, Solver } from '../search/solver.ts'
import { Term } from '../terms/term.ts'
import {
  assignedValues,
  boundsOf,
  complement,
  edgesOf,
  type Interval,
  isWhole,
  literalOf,
  type Part,
  union,
  type Values,
} from './values.ts'

const solver = new Solver()
const field = { kind: 'field', path: [{ kind: 'name', name: 'n' }], span: NO_SPAN } as const
const term = new Term(solver, field, ['missing', 'number', 'text'])
for (const point of [1, 2, 3, 4, 5]) term.numbers.below(point)
const end = term.feature('suffix', 'b', 'suffix "b"').literal

/** Numbers between bounds: `(1..2]` is above 1 and at most 2, `..2)` below 2. */
function numbers(...texts: readonly string[]): Values {
  return new Map([['number', { intervals: texts.map(interval), features: [] }]])
}

function interval(text: string): Interval {
  const [, open = '', from = '', to = '', close = ''] = /^([[(]?)(\d?)\.\.(\d?)([\])]?)$/.exec(text) ?? []
  const edges = edgesOf(term, 'number')
  return {
    from: edges.find(({ at, isBehind }) => String(at) === from && isBehind === (open === '(')),
    to: edges.find(({ at, isBehind }) => String(at) === to && isBehind === (close === ']')),
  }
}

const texts = (...features: readonly number[]): Values =>
  new Map([['text', { intervals: [{ from: undefined, to: undefined }], features }]])

/** Values as a text, in any order of kinds and features. */
function shown(values: Values | undefined): string | undefined {
  const parts = [...(values ?? [])].map(([kind, { intervals, features }]) => {
    const bounds = intervals.map(({ from, to }) => [from?.passed, to?.passed])
    return JSON.stringify([kind, bounds, features.toSorted((left, right) => left - right)])
  })
  return values && parts.toSorted().join()
}

test('edges are before and behind each point, in order', () => {
  expect(edgesOf(term, 'number').map(({ at, isBehind }) => [at, isBehind])).toEqual(
    [1, 2, 3, 4, 5].flatMap((point) => [
      [point, false],
      [point, true],
    ]),
  )
  expect(edgesOf(term, 'missing')).toEqual([])
})

describe('the union of numbers', () => {
  test.each([
    [['[1..2]'], ['[4..5]'], ['[1..2]', '[4..5]']],
    [['[4..5]'], ['[1..2]'], ['[1..2]', '[4..5]']],
    [['[1..3]'], ['[2..5]'], ['[1..5]']],
    [['[2..5]'], ['[1..3]'], ['[1..5]']],
    [['[1..5]'], ['[2..3]'], ['[1..5]']],
    [['[1..2)'], ['[2..3]'], ['[1..3]']],
    [['[1..2)'], ['(2..3]'], ['[1..2)', '(2..3]']],
    [['[1..2)', '(2..3]'], ['[2..2]'], ['[1..3]']],
    [['..2)'], ['[4..'], ['..2)', '[4..']],
    [['..2)'], ['[1..3]'], ['..3]']],
    [['[1..4)'], ['[3..'], ['[1..']],
    [['..2)'], ['[2..'], ['..']],
    [['[1..2]'], ['..'], ['..']],
  ])('%j and %j is %j', (one, other, both) => {
    expect(shown(union(term, numbers(...one), numbers(...other)))).toBe(shown(numbers(...both)))
  })
})

test.each([
  ['a feature and its opposite', texts(end), texts(negated(end)), texts()],
  ['a feature and none', texts(end), texts(), texts()],
  ['none and a feature', texts(), texts(end), texts()],
  ['two kinds', numbers('[1..2]'), texts(end), new Map([...numbers('[1..2]'), ...texts(end)])],
])('the union of texts: %s', (_title, one, other, both) => {
  expect(shown(union(term, one, other))).toBe(shown(both))
})

test('texts with different features and different bounds are not one part', () => {
  const cut = term.texts.below('m')
  const [before] = edgesOf(term, 'text')
  expect(before?.passed).toBe(negated(cut))
  const beginning: Values = new Map([['text', { intervals: [{ from: undefined, to: before }], features: [end] }]])
  expect(union(term, beginning, texts(negated(end)))).toBeUndefined()
})

describe('the complement', () => {
  const rest = (values: Values): Values => new Map([['missing', whole], ...values, ['text', whole]] as const)
  const whole = { intervals: [{ from: undefined, to: undefined }], features: [] }
  test.each([
    [['[1..2]'], ['..1)', '(2..']],
    [['..1)'], ['[1..']],
    [['(5..'], ['..5]']],
    [
      ['[1..2)', '(2..3]'],
      ['..1)', '[2..2]', '(3..'],
    ],
  ])('of numbers %j is %j and all other kinds', (of, others) => {
    expect(shown(complement(term, numbers(...of)))).toBe(shown(rest(numbers(...others))))
  })

  test('of a whole kind has the others', () => {
    expect(shown(complement(term, numbers('..')))).toBe(shown(rest(new Map())))
    expect(shown(complement(term, new Map()))).toBe(shown(rest(numbers('..'))))
  })

  test('of a feature is not said', () => {
    expect(complement(term, texts(end))).toBeUndefined()
  })
})

test('the literal of values holds for them and for no other', () => {
  const literal = literalOf(solver, term, numbers('[1..2)', '(3..'))
  const isPossible = (point: number) =>
    solver.solve([literal, term.is('number'), term.numbers.equals(point)], 10_000) === 'satisfiable'
  expect([1, 2, 3, 4, 5].filter(isPossible)).toEqual([1, 4, 5])
  expect(solver.solve([literal, term.is('missing')], 10_000)).toBe('unsatisfiable')
})

test('all values of a kind and some of them that have a feature are all of them', () => {
  const whole = numbers('..')
  const some: Values = new Map([['number', { intervals: [interval('(1..2]')], features: [end] }]])
  expect(shown(union(term, whole, some))).toBe(shown(whole))
  expect(shown(union(term, some, whole))).toBe(shown(whole))
})

describe('the values that an assignment leaves', () => {
  const assigned = (literals: readonly number[]) => {
    expect(solver.solve(literals, 10_000)).toBe('satisfiable')
    return assignedValues(solver, term)
  }
  const isNumber = term.is('number')

  test.each<[title: string, literals: readonly number[], left: readonly string[]]>([
    ['a number', [], ['..']],
    ['a lower bound', [negated(term.numbers.atMost(2))], ['(2..']],
    ['a lower bound that is one of them', [negated(term.numbers.below(2))], ['[2..']],
    ['an upper bound', [term.numbers.below(4)], ['..4)']],
    ['an upper bound that is one of them', [term.numbers.atMost(4)], ['..4]']],
    ['both', [negated(term.numbers.below(2)), term.numbers.below(4)], ['[2..4)']],
    ['a point', [term.numbers.equals(3)], ['[3..3]']],
    [
      'the closest of several',
      [negated(term.numbers.below(1)), negated(term.numbers.atMost(2)), term.numbers.below(5), term.numbers.atMost(3)],
      ['(2..3]'],
    ],
  ])('with %s', (_title, literals, left) => {
    expect(shown(assigned([isNumber, ...literals]))).toBe(shown(numbers(...left)))
  })

  test('have the features that are decided', () => {
    const isText = term.is('text')
    expect(assigned([isText, end]).get('text')?.features).toEqual([end])
    expect(assigned([isText, negated(end)]).get('text')?.features).toEqual([negated(end)])
    expect(assigned([isText]).get('text')?.features).toEqual([])
    // Features of texts do not apply to numbers.
    expect(assigned([isNumber, end]).get('number')?.features).toEqual([])
  })

  test('are of each kind that is open, and of an error only if that is all', () => {
    const failing = new Term(solver, field, ['number', 'text', 'error'])
    const kindsOf = (literals: readonly number[]) => {
      expect(solver.solve(literals, 10_000)).toBe('satisfiable')
      return [...assignedValues(solver, failing).keys()]
    }
    expect(kindsOf([])).toEqual(['number', 'text'])
    expect(kindsOf([negated(failing.is('text'))])).toEqual(['number'])
    expect(kindsOf([failing.is('error')])).toEqual(['error'])
  })
})

test.each<[title: string, part: Part, areAll: boolean]>([
  ['all values', { intervals: [interval('..')], features: [] }, true],
  ['a bound below', { intervals: [interval('[1..')], features: [] }, false],
  ['a bound above', { intervals: [interval('..1]')], features: [] }, false],
  ['two intervals', { intervals: [interval('..'), interval('..')], features: [] }, false],
  ['a feature', { intervals: [interval('..')], features: [2] }, false],
])('a part with %s is the whole kind: %s', (_title, part, areAll) => expect(isWhole(part)).toBe(areAll))

test.each([
  ['..', 0],
  ['[1..', 1],
  ['..2)', 1],
  ['[1..2)', 2],
])('the interval %s has as many bounds as %d', (text, count) => {
  expect(boundsOf(interval(text))).toHaveLength(count)
})

test('the union of intervals takes the same features in any order', () => {
  const having = (of: string, ...features: readonly number[]): Values =>
    new Map([['number', { intervals: [interval(of)], features }]])
  expect(shown(union(term, having('[1..3]', 2, 5), having('[2..5]', 5, 2)))).toBe(shown(having('[1..5]', 2, 5)))
  expect(union(term, having('[1..3]', 2, 5), having('[2..5]', 2, 7))).toBeUndefined()
  expect(union(term, having('[1..'), having('..1)', 2))).toBeUndefined()
})
