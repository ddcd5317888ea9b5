import { type EvaluationPolicy, LENIENT, parse, type Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { Solver } from '../search/solver.ts'
import { Model } from '../witness/model.ts'
import type { FieldDomain } from './domain.ts'
import { Encoder } from './encoder.ts'
import { type Building, evaluate, truthOf } from './evaluate.ts'

/** Values of `a` and `b`; both may be missing as well. */
const VALUES: readonly Value[] = [null, false, true, 0, 1, 2, 2.5, -3, '', 'a', 'ab', [], [1], ['a'], {}, { k: 1 }]
const TYPES = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const
const DOMAIN = new Map<string, FieldDomain>(['a', 'b'].map((name) => [name, { types: TYPES, values: VALUES }]))

const STRICT: EvaluationPolicy = { ...LENIENT, mode: 'strict' }
const DEFAULT: EvaluationPolicy = { ...LENIENT, mode: 'default', defaults: new Map([['a', 1]]) }
const DECIMAL: EvaluationPolicy = { ...LENIENT, numbers: 'decimal' }

function parsed(text: string, { numbers }: EvaluationPolicy) {
  const found = parse(text, [], numbers)
  if (found.kind !== 'parsed') throw new Error(text)
  return found.expression
}

/** How a condition ends for inputs of the domain: by the interpreter. */
function executed(text: string, policy: EvaluationPolicy): readonly string[] {
  const condition = parsed(text, policy)
  const found = new Set<string>()
  for (const a of [undefined, ...VALUES])
    for (const b of [undefined, ...VALUES]) {
      const input: Building = { ...(a !== undefined && { a }), ...(b !== undefined && { b }) }
      found.add(truthOf(evaluate(condition, policy, input)))
    }
  return [...found].toSorted()
}

/** How it may end by its formulas. */
function encoded(text: string, policy: EvaluationPolicy): readonly string[] {
  const solver = new Solver()
  const encoder = new Encoder(solver, DOMAIN, policy.numbers)
  const model = new Model(encoder)
  const { holds, fails, errors } = encoder.truth(parsed(text, policy), policy)
  const outcomes = [['+', holds] as const, ['-', fails] as const, ...errors]
  const isPossible = (literals: readonly number[]): boolean => {
    model.begin()
    return solver.solve(literals, 1_000_000, () => model.check()) !== 'unsatisfiable'
  }
  const possible = outcomes.filter(([, literal]) => isPossible([literal])).map(([code]) => code)
  // Exactly one outcome is true.
  expect(isPossible(outcomes.map(([, literal]) => literal ^ 1))).toBe(false)
  for (const [index, [, one]] of outcomes.entries())
    for (const [, other] of outcomes.slice(index + 1)) expect(isPossible([one, other])).toBe(false)
  return possible.toSorted()
}

const CONDITIONS = [
  'a == 1',
  'a == 7',
  '1 == a',
  'null == a',
  'a == null',
  'a == "a"',
  'a == true',
  'a == [1]',
  'a == ["b"]',
  'a == {"k": 1}',
  'a == []',
  'a != 1',
  'a > 2',
  'a > 2.5',
  'a >= 2.5 && a <= 2.5',
  'a < -3',
  'a > "a"',
  'a > "ab"',
  'a in [1, "a"]',
  'a in [7, "b"]',
  '1 in a',
  '"a" in a',
  '"b" in a',
  'a contains 1',
  '[1, "a"] contains a',
  'starts_with(a, "a")',
  'starts_with(a, "b")',
  'ends_with(a, "b")',
  'contains_str(a, "b")',
  'contains(a, "a")',
  'is_null(a)',
  'exists(a)',
  '!exists(a)',
  'is_number(a)',
  'type(a) == "list"',
  'type(a) == "array"',
  'coalesce(a, 1) == 1',
  'coalesce(a, 7) == 7',
  'a',
  '!a',
  '!(a > 2)',
  'a && b',
  'a || b',
  'a > 2 && b',
  'a > 2 || b > 2',
  'a && !a',
  'a || !a',
  'a == 1 && a == 2',
  'if a then b else !b',
  'if a > 2 then b > 2 else b',
  '(if a then 1 else 2) == 1',
  '(if a then b else 2) > 1',
  'a == b',
  'a != b',
  'a < b',
  'a < b && b < a',
  'a <= b && b <= a && a != b',
  'a == b && is_number(a) && b == "a"',
  'a == b && a == 1 && b != 1',
  'a + 1 == 2',
  'a + 1 > 3.5',
  'a - 1 < -4',
  'a * 2 == 5',
  '10 / a > 1',
  '10 / a == 4',
  '5 / b == 2 && b == 2.5',
  'a % 2 == 1',
  '-a > 2',
  'a + b == 5',
  'a + b > 5',
  'a * b == -9',
  'a / b > 3',
  'a / b == 1 && a != b',
  'min(a, b) > 2.5',
  'max(a, b) < -3',
  'abs(a) == 3',
  'round(a) == 3',
  'floor(a) == 2',
  'ceil(a) == 3',
  'len(a) == 0',
  'len(a) > 2',
  'len(a) == 2',
  'len(a) < 0',
  'len(a) == 1 && is_object(a)',
  'len(a) == 0 && is_array(a)',
  'count(a) == 1',
  'upper(a) == "A"',
  'lower(a) == "" && a != ""',
  'trim(a) == ""',
  'len(a) == len(b) && a == "ab" && b == "a"',
  'a.k == 1',
  'a.k == 1 && a == 1',
  'exists(a.k) && is_array(a)',
  'a[0] == 1',
  'a[0] == 1 && is_object(a)',
  'exists(a[0]) && a == 1',
  'exists(a[0]) && a == "a"',
  'a.k == b.k',
  '1 / 0 > 1',
  '"a" > 1',
  'true',
  '1 > 2',
  '(a > 1) == true',
  '(a && b) == b',
  '(a > b) == (b > a)',
  'any(filter([1, 2], x => x > 1), x => x == a)',
  'any([a, 1], x => x == 1)',
  'all([a, 1], x => x == 1)',
  'none([a, 1], x => x == 1)',
  'find([a, 1], x => x == a) == 1',
  'len(map([a, 1], x => x)) == 2',
  'len(filter([a, 1], x => x == 1)) == 1',
  'any(a, x => x == 1)',
  'to_string(a) == "true"',
]

/** By condition and mode: outcomes that only the formulas have, then outcomes that `?` stands for. */
const WIDER: Readonly<Record<string, Readonly<Record<string, readonly (readonly string[])[]>>>> = {
  'a == ["b"]': { all: [['+']] },
  'a == b': { default: [['?']] },
  'a != b': { default: [['?']] },
  'a < b': { default: [['?'], ['wrong-type']] },
  'a < b && b < a': { default: [['+', '?'], ['wrong-type']] },
  'a <= b && b <= a && a != b': { default: [['+', '?'], ['wrong-type']] },
  'a == b && is_number(a) && b == "a"': { default: [['+', '?']] },
  'a == b && a == 1 && b != 1': { default: [['+', '?']] },
  '10 / a > 1': { lenient: [['not-finite']], strict: [['not-finite']], default: [['not-finite']] },
  '5 / b == 2 && b == 2.5': { lenient: [['not-finite']], strict: [['not-finite']], default: [['not-finite']] },
  'a + b == 5': { all: [['not-finite']] },
  'a + b > 5': { all: [['+', 'not-finite']] },
  'a * b == -9': { all: [['+', 'not-finite']] },
  'a / b > 3': {
    lenient: [['+', 'not-finite']],
    strict: [['+', 'not-finite']],
    default: [['+', 'not-finite']],
    decimal: [['+']],
  },
  'a / b == 1 && a != b': {
    lenient: [['+', 'not-finite']],
    strict: [['+', 'not-finite']],
    default: [['+', '?', 'not-finite']],
    decimal: [['+']],
  },
  'min(a, b) > 2.5': { all: [['+']] },
  'max(a, b) < -3': { all: [['+']] },
  'len(a) > 2': { all: [['+']] },
  'lower(a) == "" && a != ""': { all: [['+']] },
  'len(a) == len(b) && a == "ab" && b == "a"': { all: [['+']] },
  'a.k == 1': { strict: [['-']] },
  'a[0] == 1 && is_object(a)': { all: [['+']] },
  'a.k == b.k': { strict: [['-']] },
  '(a > 1) == true': {
    lenient: [['?'], ['wrong-type']],
    default: [['?'], ['wrong-type']],
    decimal: [['?'], ['wrong-type']],
    strict: [['?'], ['missing-field', 'wrong-type']],
  },
  '(a > b) == (b > a)': {
    lenient: [['?'], ['wrong-type']],
    default: [['?'], ['wrong-type']],
    decimal: [['?'], ['wrong-type']],
    strict: [['?'], ['missing-field', 'wrong-type']],
  },
  'any(filter([1, 2], x => x > 1), x => x == a)': {
    lenient: [['?']],
    default: [['?']],
    decimal: [['?']],
    strict: [['?'], ['missing-field']],
  },
  'any([a, 1], x => x == 1)': {
    lenient: [['-', '?']],
    strict: [['-', '?'], ['missing-field']],
    default: [['-', '?']],
    decimal: [['-', '?']],
  },
  'all([a, 1], x => x == 1)': {
    lenient: [['?']],
    strict: [['?'], ['missing-field']],
    default: [['?']],
    decimal: [['?']],
  },
  'none([a, 1], x => x == 1)': {
    lenient: [['+', '?']],
    strict: [['+', '?'], ['missing-field']],
    default: [['+', '?']],
    decimal: [['+', '?']],
  },
  'find([a, 1], x => x == a) == 1': {
    lenient: [['?']],
    strict: [['?'], ['missing-field']],
    default: [['?']],
    decimal: [['?']],
  },
  'len(map([a, 1], x => x)) == 2': {
    lenient: [['-', '?']],
    strict: [['-', '?'], ['missing-field']],
    default: [['-', '?']],
    decimal: [['-', '?']],
  },
  'len(filter([a, 1], x => x == 1)) == 1': {
    lenient: [['?']],
    strict: [['?'], ['missing-field']],
    default: [['?']],
    decimal: [['?']],
  },
  'any(a, x => x == 1)': {
    lenient: [['?'], ['null-argument', 'wrong-type']],
    strict: [['?'], ['missing-field', 'null-argument', 'wrong-type']],
    default: [['?'], ['null-argument', 'wrong-type']],
    decimal: [['?'], ['null-argument', 'wrong-type']],
  },
  'to_string(a) == "true"': {
    lenient: [['?']],
    strict: [['?'], ['missing-field']],
    default: [['?']],
    decimal: [['?']],
  },
}

describe.each([
  ['lenient', LENIENT],
  ['strict', STRICT],
  ['default', DEFAULT],
  ['decimal', DECIMAL],
] as const)('conditions have the outcomes of their execution: %s', (name, policy) => {
  test.each(CONDITIONS)('%s', (condition) => {
    const [wider = [], unnamed = []] = WIDER[condition]?.[name] ?? WIDER[condition]?.['all'] ?? []
    const exact = executed(condition, policy).filter((outcome) => !unnamed.includes(outcome))
    expect(encoded(condition, policy)).toEqual([...exact, ...wider].toSorted())
  })
})
