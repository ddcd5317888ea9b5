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

const LISTED: EvaluationPolicy = { ...LENIENT, mode: 'default', defaults: new Map([['a', [1]]]) }

/** By condition: how many outcomes of single inputs only the formulas have; of a missing `a` that is [1] by default. */
const LOOSE: Readonly<Record<string, readonly [lenient: number, listed: number]>> = {
  '1 in a': [2, 2],
  '"a" in a': [2, 2],
  '"b" in a': [12, 12],
  'a contains 1': [2, 2],
  'contains(a, "a")': [2, 2],
  'a == b': [5, 204],
  'a != b': [5, 204],
  'a < b': [3, 204],
  'a < b && b < a': [0, 204],
  'a <= b && b <= a && a != b': [0, 204],
  'a == b && is_number(a) && b == "a"': [0, 107],
  'a == b && a == 1 && b != 1': [0, 107],
  'a % 2 == 1': [3, 3],
  'a / b == 1 && a != b': [0, 4],
  'len(a) == 0': [3, 3],
  'len(a) > 2': [6, 6],
  'len(a) == 2': [6, 6],
  'len(a) == 1 && is_object(a)': [6, 6],
  'count(a) == 1': [2, 2],
  'upper(a) == "A"': [3, 3],
  'lower(a) == "" && a != ""': [2, 2],
  'trim(a) == ""': [3, 3],
  'len(a) == len(b) && a == "ab" && b == "a"': [1, 1],
  'a.k == 1': [1, 1],
  'a[0] == 1': [3, 3],
  'a[0] == 1 && is_object(a)': [6, 6],
  'a.k == b.k': [6, 6],
  '(a > 1) == true': [34, 34],
  '(a > b) == (b > a)': [204, 204],
  'any(filter([1, 2], x => x > 1), x => x == a)': [34, 34],
  'any([a, 1], x => x == 1)': [34, 34],
  'all([a, 1], x => x == 1)': [34, 34],
  'none([a, 1], x => x == 1)': [34, 34],
  'find([a, 1], x => x == a) == 1': [34, 34],
  'len(map([a, 1], x => x)) == 2': [34, 34],
  'len(filter([a, 1], x => x == 1)) == 1': [34, 34],
  'any(a, x => x == 1)': [32, 32],
  'to_string(a) == "true"': [22, 22],
  'ends_with(to_string(a), "ue")': [22, 22],
  'contains_str(to_string(a), "als")': [22, 22],
  'a[0].k == 1 && a == [1]': [1, 1],
  'a.k > 0 && a == {"k": 1}': [2, 2],
  'len(a) == 1 && a == [1]': [1, 1],
  '[1] == a && a contains 2': [1, 1],
  'a + b == b + a': [3, 3],
  'a != b || a == b': [0, 204],
  '(a + 1) / (b - 1) > 2': [2, 2],
  'to_string(a) == to_string(b)': [192, 192],
  'any(a, x => x == b)': [192, 192],
  'all(a, x => x == b)': [192, 192],
  'none(a, x => x == 1)': [32, 32],
  'len(filter(a, x => x == 1)) == 0': [34, 34],
  'len(map(a, x => x)) == 0': [34, 34],
  'find(a, x => x == 1) == null': [32, 32],
  'char_at(a, 0) == "a"': [3, 3],
  'substring(a, 0, 1) == "a"': [18, 18],
  'matches(a, "^a")': [3, 3],
  'lower(a) == "a"': [3, 3],
  'coalesce(len(a), 5) == 5': [8, 9],
  'coalesce(a.k, 1) == 1': [1, 1],
  'if a > b then a == 2 else b == 1': [0, 123],
  'any(filter([1, 2], x => is_null(a)), x => x == 2)': [17, 17],
  'all(filter([1, 2], x => is_null(a)), x => x == 2)': [17, 17],
  'none(filter([1, 2], x => is_null(a)), x => x == 2)': [17, 17],
  'find(filter([1, 2], x => is_null(a)), x => x == 2) == 2': [17, 17],
  'any(map(filter([1, 2], x => is_null(a)), x => x == 2), x => x == true)': [17, 17],
}

/** Further conditions for the comparison by input. */
const FURTHER = [
  'ends_with(to_string(a), "ue")',
  'contains_str(to_string(a), "als")',
  'exists(a.k.l) && !exists(a.k)',
  'a.k.l == 1 && a.k == 1',
  'a[0].k == 1 && a == [1]',
  'a.k > 0 && a == {"k": 1}',
  'len(a) == 1 && a == [1]',
  'starts_with(a, "a") && ends_with(a, "b")',
  'a == [1] || a == ["a"] || a == ["c"]',
  '[1] == a && a contains 2',
  'a == {"k": 2} && a == {"k": 1}',
  '(if a then 1 else b) == 1',
  'max(a, 1) == 1',
  'a / 2 > 1',
  'a * a == 4',
  '-(-a) == 2.5',
  'a + b == b + a',
  'a != b || a == b',
  '(a + 1) / (b - 1) > 2',
  'to_string(a) == to_string(b)',
  'any(a, x => x == b)',
  'all(a, x => x == b)',
  'none(a, x => x == 1)',
  'len(filter(a, x => x == 1)) == 0',
  'len(map(a, x => x)) == 0',
  'find(a, x => x == 1) == null',
  'char_at(a, 0) == "a"',
  'substring(a, 0, 1) == "a"',
  'matches(a, "^a")',
  'lower(a) == "a"',
  'coalesce(len(a), 5) == 5',
  'coalesce(a.k, 1) == 1',
  'a == "ab" && ends_with(a, "b")',
  'starts_with(a, "a") && ends_with(a, "b") && contains_str(a, "x")',
  'a < 2.5 && a > 2',
  '2 * a == 5',
  'a - a == 0',
  'a + 0.1 > 2.6',
  '(a > 1 && b) || !(a > 1)',
  'if a > b then a == 2 else b == 1',
  'any(filter([1, 2], x => is_null(a)), x => x == 2)',
  'all(filter([1, 2], x => is_null(a)), x => x == 2)',
  'none(filter([1, 2], x => is_null(a)), x => x == 2)',
  'find(filter([1, 2], x => is_null(a)), x => x == 2) == 2',
  'any(map(filter([1, 2], x => is_null(a)), x => x == 2), x => x == true)',
]

/** Inputs of `a` and `b`, with the conditions that only each of them makes true. */
const INPUTS = [undefined, ...VALUES].flatMap((a) =>
  [undefined, true, 1, 2.5, 'a', [1]].map((b) => {
    const input: Building = { ...(a !== undefined && { a }), ...(b !== undefined && { b }) }
    const pins = Object.entries({ a, b }).map(([name, value]) =>
      value === undefined ? `!exists(${name})` : `exists(${name}) && ${name} == ${JSON.stringify(value)}`,
    )
    return { input, pins }
  }),
)

test.each([...CONDITIONS, ...FURTHER])('each input may have the outcome of its execution: %s', (text) => {
  const inputs = INPUTS.filter(({ input }) => text.includes('b') || input['b'] === undefined)
  const loose = [LENIENT, LISTED].map((policy) => {
    const solver = new Solver()
    const encoder = new Encoder(solver, DOMAIN)
    const model = new Model(encoder)
    const condition = parsed(text, policy)
    const { holds, fails, errors } = encoder.truth(condition, policy)
    const byCode = new Map([['+', holds] as const, ['-', fails] as const, ...errors])
    let wider = 0
    for (const { input, pins } of inputs) {
      const pinned = pins.map((pin) => encoder.truth(parsed(pin, LENIENT), LENIENT).holds)
      const outcome = truthOf(evaluate(condition, policy, input))
      for (const [code, literal] of byCode) {
        model.begin()
        const answer = solver.solve([...pinned, literal], 1_000_000, () => model.check())
        const isExecuted = code === outcome || (code === '?' && !byCode.has(outcome))
        if (isExecuted) expect(answer, `${JSON.stringify(input)} ${code}`).toBe('satisfiable')
        else if (answer === 'satisfiable') wider++
      }
    }
    return wider
  })
  expect(loose).toEqual(LOOSE[text] ?? [0, 0])
})
