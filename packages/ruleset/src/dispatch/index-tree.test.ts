import { defined, LENIENT, parse, stringifyJson, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { inRange, pick, type Random, seededRandom } from '../random.testing.ts'
import { createIndexTree } from './index-tree.ts'
import { type Conjuncts, holds, indexableConjuncts } from './indexable-conjuncts.ts'

function conjunctsOf(text: string): Conjuncts {
  return indexableConjuncts(expressionOf(text), LENIENT)
}

function expressionOf(text: string) {
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new Error(`${text}: ${JSON.stringify(parsed.problems)}`)
  return parsed.expression
}

const LIMIT = 2 ** 53
/** The same as a double: a whole number of that size would be a bigint, and has no place in an index. */
const DOUBLE = `${LIMIT}.0`

test.each<[condition: string, tests: readonly string[], isComplete: boolean]>([
  ['a == 1', ['a set'], true],
  ['1 == a', ['a set'], true],
  ['a in [1, "x", true, null]', ['a set'], true],
  ['a < 5', ['a <'], true],
  ['5 < a', ['a >'], true],
  ['a >= "m"', ['a >='], true],
  ['$v == "x" && a.b > 2', ['$v set', 'a.b >'], true],
  // A bigint can equal such a number, and a `Map` would not find it.
  [`a == ${DOUBLE}`, [], false],
  [`a == ${LIMIT}`, [], false],
  [`a < ${LIMIT}`, [], false],
  [`a < ${DOUBLE}`, ['a <'], true],
  ['a == 1e300', [], false],
  [`a in [1, ${DOUBLE}]`, [], false],
  ['a == 0.5', ['a set'], true],
  [`a == ${LIMIT - 1}`, ['a set'], true],
  // Equality of lists and objects is deep.
  ['a == [1]', [], false],
  ['a in [[1]]', [], false],
  // Later conjuncts are not evaluated before one that may fail.
  ['a == 1 && b / c > 1 && d == 2', ['a set'], false],
  ['a < true', [], false],
  ['a != 1', [], false],
  ['1 in a', [], false],
  ['a.* == 1', [], false],
  ['a == b', [], false],
  ['a == 1 || b == 2', [], false],
])('the tests of %s', (condition, tests, isComplete) => {
  const found = conjunctsOf(condition)
  expect(found.tests.map(({ key, operator }) => `${key} ${operator}`)).toEqual(tests)
  expect(found.isComplete).toBe(isComplete)
})

test('a strict ruleset has no index: an absent field is an error there', () => {
  expect(indexableConjuncts(expressionOf('a == 1'), { ...LENIENT, mode: 'strict' })).toEqual({
    tests: [],
    isComplete: false,
  })
})

const candidatesOf = (conditions: readonly string[], ...values: readonly Value[]) =>
  createIndexTree(conditions.map(conjunctsOf), ['a', 'b'])
    .candidates(values)
    .map(({ branch, isCertain }) => `${branch}${isCertain ? '!' : ''}`)

const BOUNDS = ['<', '<=', '>', '>='].map((operator) => `a ${operator} ${DOUBLE}`)

test.each<[conditions: readonly string[], a: Value, candidates: readonly string[]]>([
  [['a < 5', 'a < 10', 'a < 20'], 7, ['1!']],
  [['a < 5', 'a < 10', 'a < 20'], 5, ['1!']],
  [['a < 5', 'a < 10', 'a < 20'], 20, []],
  [['a < 5', 'a < 10', 'a < 20'], null, []],
  [BOUNDS, BigInt(LIMIT) - 1n, ['0!']],
  [BOUNDS, BigInt(LIMIT), ['1!']],
  [BOUNDS, BigInt(LIMIT) + 1n, ['2!']],
  [BOUNDS, LIMIT, ['1!']],
  [['a == "x"', 'a == "y"', 'a in ["x", "z"]'], 'x', ['0!']],
  [['a == "x"', 'a == "y"', 'a in ["x", "z"]'], 'z', ['2!']],
  [['a == "x"', 'a == "y"', 'a in ["x", "z"]'], 'other', []],
  // A condition with a rest is tried, and ends nothing.
  [['a == 1 && length(t) > 2', 'a == 1', 'a == 1 && length(t) > 3'], 1, ['0', '1!']],
  [['length(t) > 2', 'a == 1', 'a == 2', 'a == 3'], 2, ['0', '2!']],
])('of %s for a = %s these are tried', (conditions, a, candidates) => {
  expect(candidatesOf(conditions, a, null)).toEqual(candidates)
})

test('a value that was looked up before has its own candidates again', () => {
  const tree = createIndexTree(['a == 1', 'a == 2', 'a > 2', 'a > 5'].map(conjunctsOf), ['a'])
  const found = (a: Value) => tree.candidates([a]).map(({ branch }) => branch)
  for (let round = 0; round < 2; round++)
    expect([1, 2, 3, 6, 2, 0].map((a) => found(a))).toEqual([[0], [1], [2], [2], [1], []])
})

/** Values of each key: those of the type of its bounds, and null. A dispatch looks up no others. */
const VALUES = {
  a: [
    -1,
    0,
    0.5,
    1,
    2,
    3,
    LIMIT - 1,
    LIMIT,
    2 ** 63,
    BigInt(LIMIT),
    BigInt(LIMIT) + 1n,
    2n ** 63n,
    2n ** 63n + 1n,
    null,
  ],
  b: ['', 'a', 'ab', 'b', 'c', null],
} as const satisfies Record<string, readonly Value[]>
const BOUND_TEXTS = {
  a: ['-1', '0', '0.5', '2', `${LIMIT - 1}`, DOUBLE, `${2n ** 63n}.0`],
  b: ['""', '"a"', '"ab"', '"b"'],
} as const
type Key = keyof typeof VALUES

function anyTest(random: Random, key: Key): string {
  const text = pick(random, BOUND_TEXTS[key])
  switch (inRange(random, 0, 3)) {
    case 0:
      return `${key} == ${text}`
    case 1:
      return `${key} in [${text}, ${pick(random, BOUND_TEXTS[key])}]`
    default:
      return `${key} ${pick(random, ['<', '<=', '>', '>='])} ${text}`
  }
}

const TABLES = casesOf(3000)

test(`the index finds what a search in order finds, in ${TABLES} tables`, () => {
  printSeed(TABLES)
  const random = seededRandom(SEED)
  for (let count = 0; count < TABLES; count++) {
    const conditions = Array.from({ length: inRange(random, 3, 12) }, () => {
      const parts = (['a', 'b'] as const).filter(() => random() < 0.7).map((key) => anyTest(random, key))
      if (parts.length === 0 || random() < 0.2) parts.push('length(t) > 2')
      return parts.join(' && ')
    })
    const known = conditions.map(conjunctsOf)
    const tree = createIndexTree(known, ['a', 'b'])
    for (let round = 0; round < 20; round++) {
      const values = { a: pick<Value>(random, VALUES.a), b: pick<Value>(random, VALUES.b) }
      const mayBeTrue = ({ tests }: Conjuncts) => tests.every((one) => holds(one, values[one.key === 'a' ? 'a' : 'b']))
      const tried = tree.candidates([values.a, values.b])
      const last = known.findIndex((one) => one.isComplete && mayBeTrue(one))
      const expected = known.flatMap((one, branch) => ((last < 0 || branch <= last) && mayBeTrue(one) ? [branch] : []))
      // Short lists are not forked, and are tried in order: others of them may be there as well.
      const found = tried.map(({ branch }) => branch).filter((branch) => mayBeTrue(defined(known[branch])))
      const about = `${conditions.join(', ')} for ${stringifyJson([values.a, values.b])}`
      expect(found.slice(0, expected.length), about).toEqual(expected)
      const decided = tried.filter(({ isCertain }) => isCertain).map(({ branch }) => defined(known[branch]))
      expect(
        decided.every((one) => one.isComplete && mayBeTrue(one)),
        about,
      ).toBe(true)
    }
  }
})
