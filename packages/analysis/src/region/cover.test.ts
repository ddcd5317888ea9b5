import { type EvaluationPolicy, LENIENT, parse, type Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { Encoder } from '../formula/encoder.ts'
import { type Building, evaluate, HOLDS, truthOf } from '../formula/evaluate.ts'
import { Solver } from '../search/solver.ts'
import { furtherSearch } from '../witness/further-search.ts'
import { Model } from '../witness/model.ts'
import { Conditions } from './conditions.ts'
import { Covers, type Cube } from './cover.ts'

/** A solver that counts its questions. */
class CountingSolver extends Solver {
  questions = 0

  override solve(...given: Parameters<Solver['solve']>) {
    this.questions++
    return super.solve(...given)
  }
}

interface Given {
  readonly policy?: EvaluationPolicy
  readonly budget?: number
  /** Which sets have a text, instead of those that have one. */
  readonly isExpressible?: (cube: Cube) => boolean
}

function parsed(text: string) {
  const found = parse(text)
  if (found.kind !== 'parsed') throw new Error(text)
  return found.expression
}

/** The sets of inputs for which a condition holds. */
function coverOf(condition: string, { policy = LENIENT, budget = 1_000_000, isExpressible }: Given = {}) {
  const solver = new CountingSolver()
  const encoder = new Encoder(solver)
  const conditions = new Conditions(encoder, policy)
  const covers = new Covers(
    encoder,
    new Model(encoder, furtherSearch),
    isExpressible ?? ((cube) => conditions.isExact(cube)),
  )
  const { cubes, isComplete } = covers.of(encoder.truth(parsed(condition), policy).holds, budget)
  return {
    cubes,
    texts: cubes.map((cube) => conditions.textOf(cube)),
    isComplete,
    questions: solver.questions,
    textOf: (cube: Cube) => conditions.textOf(cube),
  }
}

/** Values of the fields `a` and `b`, and fewer of `c`. */
const VALUES: readonly (Value | undefined)[] = [undefined, null, true, 0, 1, 2, 4, 9, 'b', 'xb', [1], ['x'], { k: 1 }]
const INPUTS: readonly Building[] = VALUES.flatMap((a) =>
  VALUES.flatMap((b) =>
    [undefined, 1].map((c) => ({
      ...(a !== undefined && { a }),
      ...(b !== undefined && { b }),
      ...(c !== undefined && { c }),
    })),
  ),
)

/** The inputs for which a condition holds. */
function inputsOf(condition: string): readonly Building[] {
  const expression = parsed(condition)
  return INPUTS.filter((input) => truthOf(evaluate(expression, LENIENT, input)) === HOLDS)
}

describe('the sets of a condition', () => {
  test.each<[condition: string, sets: readonly string[], isComplete: boolean, mostQuestions: number]>([
    ['a', ['a'], true, 25],
    ['!a', ['!a'], true, 25],
    ['a == 1', ['a == 1'], true, 18],
    ['a && b || c', ['a && b', 'c'], true, 67],
    ['a == 1 || b == 1', ['a == 1', 'b == 1'], true, 34],
    ['a > 2 && b < 4', ['a > 2 && b < 4'], true, 30],
    ['a > 2 || b < 4', ['a > 2', '(a == null || is_number(a)) && b < 4'], true, 45],
    ['a > 1 && (b == 1 || b == 3) && c', ['a > 1 && b in [1, 3] && c'], true, 54],
    ['a in [1, 2, 5] && b in [1, 3] || a == 9', ['a == 9', 'a in [1, 2, 5] && b in [1, 3]'], true, 61],
    [
      'a == 1 && b == 1 || b == 1 && c == 1 || a == 1 && c == 1',
      ['a == 1 && b == 1', 'a == 1 && c == 1', 'b == 1 && c == 1'],
      true,
      86,
    ],
    ['a == 1 || a == 2 && b == 1 || a == 3', ['a in [1, 3]', 'a == 2 && b == 1'], true, 54],
    ['a == 1 || a == 2 && b == 1 || a == 3 && c == 1', ['a == 1', 'a == 2 && b == 1', 'a == 3 && c == 1'], true, 80],
    ['is_number(a) && a >= 3 && a <= 3', ['a == 3'], true, 18],
    ['is_number(a) && (a < 2 || a > 2 && a < 4 || a > 4)', ['is_number(a) && !(a in [2, 4])'], true, 25],
    ['is_number(a) && (a < 3 || a > 5) && a < 9', ['a < 3 || a > 5 && a < 9'], true, 22],
    ['is_number(a) && (a < 3 || a > 5 || b == 1)', ['a < 3 || a > 5', 'is_number(a) && b == 1'], true, 52],
    [
      'is_number(a) && (a < 3 || a > 5 && a < 8 || a > 11) && (b == 1 || a != 20)',
      ['a < 3 || a > 5 && a < 8 || a > 11 && a != 20', 'a > 11 && b == 1'],
      true,
      64,
    ],
    ['!(is_number(a) && a > 2 && a < 5)', ['!(is_number(a) && a > 2 && a < 5)'], true, 22],
    [
      'a != 2 && a != "x" && a != [1]',
      [
        'a == null || is_bool(a) || a == [] || is_array(a) && a != [] && a != [1] || is_object(a) || is_number(a) && a != 2 || is_string(a) && a != "x"',
      ],
      true,
      31,
    ],
    ['is_string(a) && a > "" && a < "m"', ['a < "m" && a != ""'], true, 20],
    ['is_string(a) && a > "b" && a < "b\\u0000"', [], true, 2],
    [
      'is_string(a) && starts_with(a, "x") || is_number(a) && a > 2 && a != 4',
      ['is_number(a) && a > 2 && a != 4 || is_string(a) && starts_with(a, "x")'],
      true,
      26,
    ],
    ['is_string(a) && ends_with(a, "b") && a != "b"', ['is_string(a) && a != "b" && ends_with(a, "b")'], true, 19],
    ['is_string(a) && (ends_with(a, "b") || a < "b")', ['is_string(a) && ends_with(a, "b")', 'a <= "b"'], true, 38],
    [
      'is_string(a) && ends_with(a, "b") && a < "m" || is_string(a) && a < "b"',
      ['a <= "m" && ends_with(a, "b")', 'a <= "b"'],
      true,
      43,
    ],
    ['a contains "x"', ['is_array(a) && contains(a, "x") || is_string(a) && contains(a, "x")'], true, 20],
    [
      'a contains "x" || a contains 1',
      ['is_array(a) && contains(a, "x") || is_string(a) && contains(a, "x")', 'is_array(a) && contains(a, 1)'],
      true,
      39,
    ],
    [
      'is_array(a) && (a contains 1 || !(a contains 2))',
      ['a == [] || is_array(a) && contains(a, 1)', 'a == [] || is_array(a) && a != [] && !contains(a, 2)'],
      true,
      36,
    ],
    ['a == [1] || a == {"k": 1} || b == [1]', ['a == [1] || a == {"k":1}', 'b == [1]'], true, 35],
    ['exists(a) && a == null || b == {}', ['exists(a) && a == null', 'b == {}'], true, 30],
    [
      '!exists(a.k) && a',
      [
        'a == true || is_array(a) && a != [] || is_number(a) && a != 0 || is_string(a) && a != ""',
        '!exists(a.k) && (a == true || is_array(a) && a != [] || is_object(a) && a != {})',
      ],
      true,
      51,
    ],
    ['a.k != 1', ['a.k != 1'], true, 22],
    ['a.k != 1 && a != 3', ['!(is_object(a) && a != {}) && a != 3', 'a.k != 1 && !is_number(a)'], true, 56],
    ['a.k == null && a != 3', ['!(is_object(a) && a != {}) && a != 3', 'a.k == null && !is_number(a)'], true, 48],
    ['a < b', ['is_number(a) && is_number(b) && a < b', 'is_string(a) && is_string(b) && a < b'], true, 14],
    ['a <= b', ['is_number(a) && is_number(b) && a <= b', 'is_string(a) && is_string(b) && a <= b'], true, 14],
    ['is_number(a) && is_number(b) && a == b', ['is_number(a) && is_number(b) && a == b'], true, 8],
    ['is_number(a) && is_number(b) && a != b && a > 1 && b < 4', ['a > 1 && b < 4 && a != b'], true, 21],
    ['is_number(a) && is_number(b) && a >= b && a < 5', ['a < 5 && is_number(b) && a >= b'], true, 9],
    ['is_string(a) && is_string(b) && a > b', ['is_string(a) && is_string(b) && a > b'], true, 8],
    [
      'is_string(a) || is_number(a) && is_number(b) && a < b',
      ['is_string(a)', 'is_number(a) && is_number(b) && a < b'],
      true,
      23,
    ],
    [
      'is_number(a) && is_number(b) && (a < b || a == b && c == 1)',
      ['is_number(a) && is_number(b) && a < b', 'is_number(a) && is_number(b) && c == 1 && a <= b'],
      true,
      26,
    ],
    [
      'is_number(a) && is_number(b) && (a <= b || c == 1)',
      ['is_number(a) && is_number(b) && a <= b', 'is_number(a) && is_number(b) && c == 1'],
      true,
      44,
    ],
    [
      'is_number(a) && is_number(b) && (a < b || a > 3 && b > 3)',
      ['is_number(a) && is_number(b) && a < b', 'a > 3 && b > 3'],
      true,
      36,
    ],
    [
      'is_number(a) && is_number(b) && (a < b && a > 3 || a >= b && a > 5)',
      ['a > 3 && is_number(b) && a < b', 'a > 5 && is_number(b)'],
      true,
      36,
    ],
    ['is_number(a) && is_number(b) && (a < b && a > 3 || a >= b && a > 3)', ['a > 3 && is_number(b)'], true, 29],
    [
      'is_number(a) && is_number(b) && (a < b && a > 3 || a > b && a > 3)',
      ['a > 3 && is_number(b) && a != b'],
      true,
      17,
    ],
    [
      'is_number(a) && is_number(b) && is_number(c) && a < b && b < c',
      ['is_number(a) && is_number(b) && is_number(c) && a < b && b < c'],
      true,
      10,
    ],
    ['a == b && is_array(a)', ['a == [] && b == []'], false, 50],
    [
      'a != b',
      [
        'a != false && b == false',
        'a != null && b == null',
        'a != true && b == true',
        '!is_number(a) && is_number(b)',
        'is_number(a) && is_number(b) && a < b',
        '!is_string(a) && is_string(b)',
        'is_string(a) && is_string(b) && a < b',
        'a != [] && b == []',
        '!(is_array(a) && a != []) && is_array(b) && b != []',
      ],
      false,
      233,
    ],
    ['is_number(a) && is_number(b) && a > 3 && b > 3 && a + b < 5', [], true, 2],
    [
      'is_number(a) && is_number(b) && a > 3 && a < 9 && b > 3 && b < 9 && a + b > 5',
      ['a > 3 && a < 9 && b > 3 && b < 9'],
      true,
      36,
    ],
    ['is_number(a) && is_number(b) && a + b > 5', ['(a + b) > 5'], true, 12],
    ['is_number(a) && is_number(b) && (a + b > 5 || a < 3)', ['(a + b) > 5', 'a < 3 && is_number((a + b))'], true, 34],
    [
      'is_number(a) && is_number(b) && (a + b > 5 || a * b > 7)',
      ['(a + b) > 5', 'is_number((a + b)) && (a * b) > 7'],
      true,
      27,
    ],
    ['is_number(a) && (a * 2 > 5 && a < 9 || a == 1)', ['a == 1 || a > 2.5 && a < 9'], true, 28],
    [
      'is_number(a) && a * 2 > 5',
      ['a > 2.5 && a <= 8.988465674311579e+307', 'a > 2.5 && a < 8.98846567431158e+307 && is_number((a * 2))'],
      true,
      49,
    ],
    ['is_string(a) && len(a) > 1 || a == 1', ['a == 1', 'is_string(a) && len(a) > 1'], true, 36],
    ['is_string(upper(a)) && upper(a) > "M" || b == 1', ['upper(a) > "M"', 'is_string(a) && b == 1'], true, 38],
    ['coalesce(a, b) == 1', ['coalesce(a, b) == 1'], true, 10],
    ['coalesce(a, 1) == 1 || is_null(b)', ['a == null || a == 1', 'b == null'], true, 34],
    ['(if a then b else c) == 1', ['a && b == 1', '!a && c == 1'], true, 72],
    ['type(a) == "number" || type(a) == "string" && a > "b"', ['is_number(a) || a > "b"'], true, 19],
    ['false', [], true, 2],
    ['a > 1 || true', ['a == null || is_number(a)'], true, 18],
    [
      'is_number(a) && a < 3 && b in [2, 3] || a == "x" || is_number(a) && a < 2 || b != 1 && a == "x" || is_number(c) && c < 3 && is_number(a) && is_number(b) && a < b || b == "x" && a == "x" && is_number(c) && c < 2',
      ['is_number(a) && a < 2 || a == "x"', 'a < 3 && b in [2, 3]', 'is_number(a) && is_number(b) && c < 3 && a < b'],
      true,
      110,
    ],
    [
      'c in [3, 4] && is_number(b) || is_number(c) && c < 2 && b == 2 && is_number(a) || a != 3 && is_number(c) && c < 3 && b != 2',
      ['c in [3, 4] && is_number(b)', 'c < 3 && b != 2 && a != 3', 'c < 2 && b == 2 && is_number(a)'],
      true,
      149,
    ],
    [
      'a in [3, 4] && b != 3 && is_number(c) && c < 3 && is_number(a) && is_number(b) && a < b || c != 2 && a != 3 || b != 1 && c == "x" && a == 1',
      [
        'a == 4 && is_number(b) && b != 3 && a < b',
        'a != 3 && c != 2',
        'a == 3 && is_number(b) && b != 3 && c < 3 && a < b',
      ],
      true,
      74,
    ],
    [
      'is_number(a) && is_number(b) && (a > 3 && a < b || a < 1 && a < b)',
      ['(a < 1 || a > 3) && is_number(b) && a < b'],
      true,
      17,
    ],
    [
      'is_number(a) && is_number(b) && (a == b && c == 1 || a < b && c == 1 || a == b && c == 2 || a < b && c == 2)',
      ['is_number(a) && is_number(b) && c in [1, 2] && a <= b'],
      true,
      25,
    ],
    ['is_number(a) && (a > 1 && a < 5 || a > 3 && a < 9)', ['a > 1 && a < 9'], true, 23],
    [
      'is_number(a) && (a >= 1 && a <= 5 && b == 1 || a > 3 && a < 9 && b == 1 || a == 7)',
      ['a == 7', 'a >= 1 && a < 9 && b == 1'],
      true,
      53,
    ],
    ['is_number(a) && (a > 1 && a < 5 || a > 3 && a < 9 || a > 8 && a < 12)', ['a > 1 && a < 12'], true, 24],
    [
      'is_number(a) && a != 1 && is_number(b) && b != 2 && is_number(c) && c != 3',
      ['is_number(a) && a != 1 && is_number(b) && b != 2 && is_number(c) && c != 3'],
      true,
      42,
    ],
    [
      'is_number(a) && (a > 1 || a < 1) && is_number(b) && (b > 2 || b < 2) && is_number(c) && (c > 3 || c < 3)',
      ['is_number(a) && a != 1 && is_number(b) && b != 2 && is_number(c) && c != 3'],
      true,
      42,
    ],
    [
      'is_number(a) && is_number(b) && is_number(c) && a < b && (b < c || b == c)',
      ['is_number(a) && is_number(b) && is_number(c) && a < b && b <= c'],
      true,
      10,
    ],
    [
      '!(is_number(a) && is_number(b) && a < b)',
      ['!is_number(a)', '!is_number(b)', 'is_number(a) && is_number(b) && a >= b'],
      true,
      38,
    ],
    ['(a == 1) == true', ['(a == 1) == true'], true, 8],
    [
      'is_number(a) && is_number(b) && is_number(c) && (a < b && b < c && a == 1 || b < c && a < b && a == 2 || a < b && b < c && a == 4)',
      ['a in [1, 2, 4] && is_number(b) && is_number(c) && a < b && b < c'],
      true,
      34,
    ],
  ])('%s', (condition, sets, complete, mostQuestions) => {
    const { texts, isComplete, questions } = coverOf(condition)
    expect({ texts, isComplete }).toEqual({ texts: sets, isComplete: complete })
    expect(questions).toBeLessThanOrEqual(mostQuestions)
    const found = sets.map(inputsOf)
    const inputs = new Set(found.flat())
    const wanted = new Set(inputsOf(condition))
    expect(wanted.isSupersetOf(inputs)).toBe(true)
    if (isComplete) expect(inputs.isSupersetOf(wanted)).toBe(true)
  })
})

describe('limits', () => {
  const sets = (count: number) =>
    Array.from({ length: count }, (_, index) => `a == ${index} && b == ${index}`).join(' || ')

  test.each<
    [sets: number, isExpressible: (index: number) => boolean, found: number, asked: number, isComplete: boolean]
  >([
    [64, () => true, 64, 64, true],
    [65, () => true, 64, 64, false],
    [12, () => false, 0, 8, false],
    [7, () => false, 0, 7, false],
    [12, (index) => index !== 2, 7, 8, false],
    [12, (index) => index < 10, 10, 11, false],
  ])('of %d sets', (count, isExpressible, found, asked, complete) => {
    let index = 0
    const { cubes, isComplete } = coverOf(sets(count), { isExpressible: () => isExpressible(index++) })
    expect([cubes.length, index, isComplete]).toEqual([found, asked, complete])
  })

  test('of the budget: the sets up to its end are right, and never complete', () => {
    const condition = 'a in [1, 2] || b == "x"'
    const wanted = new Set(inputsOf(condition))
    const complete = coverOf(condition)
    expect(complete.isComplete).toBe(true)
    const counts = new Set<number>()
    for (let budget = 0; budget < 600; budget += 50) {
      const { texts, isComplete } = coverOf(condition, { budget })
      counts.add(texts.length)
      for (const text of texts) expect(wanted.isSupersetOf(new Set(inputsOf(text)))).toBe(true)
      if (isComplete) expect(texts).toEqual(complete.texts)
    }
    expect(counts).toEqual(new Set([0, 1, 2]))
    expect(coverOf(condition, { budget: 0 })).toMatchObject({ texts: [], isComplete: false })
  })
})

test('arithmetic begins anew with each question', () => {
  const solver = new Solver()
  const encoder = new Encoder(solver)
  const model = new Model(encoder, furtherSearch)
  let calls = ''
  const arithmetic = {
    begin: () => {
      calls += 'b'
      model.begin()
    },
    check: () => {
      calls += 'c'
      return model.check()
    },
  }
  const { holds } = encoder.truth(parsed('is_number(a) && is_number(b) && a + b > 5 || c'), LENIENT)
  expect(new Covers(encoder, arithmetic, () => true).of(holds, 1_000_000).isComplete).toBe(true)
  expect(calls).toMatch(/^(bc*)+$/)
})
