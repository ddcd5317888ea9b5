import { Budget, type Environment, interpret, isTrue, LENIENT, parse, type Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { casesOf } from '../../../../tests/cases.testing.ts'
import {
  addRow,
  changeJoiner,
  changeRow,
  type Comparison,
  type Condition,
  readCondition,
  type Row,
  writeCondition,
} from './condition.ts'

const rowsOf = (text: string) =>
  readCondition(text)?.rows.map((row) =>
    row.kind === 'comparison'
      ? `${row.subject.kind} ${row.subject.text} ${row.operator} ${row.operands.map((one) => one.text).join(' ')}`.trim()
      : row.kind === 'group'
        ? `${row.joiner} of ${row.rows.length}`
        : row.text,
  )

describe('a condition as rows', () => {
  test.each([
    ['!promotion_active', ['field promotion_active is false']],
    ['member', ['field member is true']],
    ['cart_amount < 30', ['field cart_amount less 30']],
    ['30 > cart_amount', ['field cart_amount less 30']],
    ['count(coupons_used_30d) >= 4', ['count coupons_used_30d at-least 4']],
    ['tier == "gold" && years > 5', ['field tier is "gold"', 'field years more 5']],
    ['age >= 18 && age <= 65', ['field age between 18 65']],
    ['18 <= age && age <= 65 && member', ['field age between 18 65', 'field member is true']],
    ['country in ["DE", "AT"]', ['field country one-of "DE" "AT"']],
    ['country not in ["DE"]', ['field country none-of "DE"']],
    ['is_null(tier)', ['field tier unknown']],
    ['!is_null(order.tier)', ['field order.tier known']],
    ['contains(name, "x") || name contains "y"', ['field name contains "x"', 'field name contains "y"']],
    ['starts_with(name, "x")', ['field name starts "x"']],
    ['$limit > spent', ['field $limit more spent']],
    ['price * 2 > 10', ['code price * 2 more 10']],
    ['a == 1 && (b == 2 || c == 3)', ['field a is 1', 'or of 2']],
    ['a == 1 && (b == 2 || (c == 3 && d == 4))', ['field a is 1', '(b == 2 || (c == 3 && d == 4))']],
    ['any(items, x => x.price > 3) && a', ['any(items, x => x.price > 3)', 'field a is true']],
    ['if a then b else c', ['(if a then b else c)']],
    ['true', []],
    ['a <', undefined],
  ])('%s', (text, rows) => expect(rowsOf(text)).toEqual(rows))
})

describe('an edit', () => {
  const at30: Comparison = {
    kind: 'comparison',
    subject: { kind: 'field', text: 'cart' },
    operator: 'at-least',
    operands: [{ kind: 'number', text: '30' }],
  }
  test('replaces the characters of its row only', () =>
    expect(changeRow("a   &&  ( cart<10 ) and b == 'x'", [1], at30)).toBe("a   &&  ( cart >= 30 ) and b == 'x'"))
  test('removes a row with the operator before it', () =>
    expect(changeRow('a &&  b  && c', [1], undefined)).toBe('a  && c'))
  test('removes the first row with the operator behind it', () =>
    expect(changeRow('a &&  b', [0], undefined)).toBe('b'))
  test('of the last row leaves a condition that always holds', () =>
    expect(changeRow('a', [0], undefined)).toBe('true'))
  test('inside a group', () => expect(changeRow('a && (b || c)', [1, 0], at30)).toBe('a && (cart >= 30 || c)'))
  test('puts what binds less tightly into brackets', () =>
    expect(changeRow('a && b', [0], { kind: 'code', text: '(x || y)' })).toBe('(x || y) && b'))
  test('writes the condition anew where brackets would be cut', () =>
    expect(changeRow('a && (b && c)', [1], undefined)).toBe('a && c'))
  test('that changes nothing leaves the text', () => {
    const row = readCondition("'x' == a")?.rows[0]
    expect(changeRow("'x' == a", [0], row)).toBe("'x' == a")
  })
  test('adds a row behind an expression that needs brackets', () =>
    expect(addRow('if a then b else c', at30, 'and')).toBe('(if a then b else c) && cart >= 30'))
  test('replaces the word of a branch that always holds', () => expect(addRow('true', at30, 'and')).toBe('cart >= 30'))
  test('changes the joining word', () => expect(changeJoiner('a && b && (c || d)', 'or')).toBe('a || b || c || d'))
})

/** A seeded generator: the same seed gives the same conditions. */
function seeded(seed: number) {
  let state = seed >>> 0
  const below = (limit: number) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0
    return (state >>> 3) % limit
  }
  return { below, pick: <T>(from: readonly T[]): T => from[below(from.length)] as T }
}
type Random = ReturnType<typeof seeded>

const FIELDS = ['a', 'b', 'n.x', '$v']
const value = ({ pick, below }: Random) => pick(['1', '-2', '3.5', '"x"', "'y z'", 'true', 'b', String(below(9))])
const literal = (random: Random) => random.pick(['1', '-2', '"x"', "'y'"])

/** A text that rows show, or one that they do not. */
function atom(random: Random): string {
  const { pick } = random
  const field = pick(FIELDS)
  const blank = pick(['', ' ', '  '])
  switch (random.below(9)) {
    case 0:
      return pick([field, `!${field}`, `! ${field}`])
    case 1:
      return `${field} ${pick(['in', 'not in'])} [${literal(random)},${blank}${literal(random)}]`
    case 2:
      return pick([`is_null(${field})`, `!is_null( ${field} )`, `(${field} == 1)`])
    case 3:
      return `${pick(['contains', 'starts_with', 'ends_with'])}(${field}, "x")`
    case 4:
      return `count(${field})${blank}>= ${random.below(4)}`
    case 5:
      return `${field} >= 1 ${pick(['&&', 'and'])} ${field} <= 5`
    case 6:
      return pick([`(${field} + 1) * 2 > 3`, `${field} == null`, `if a then b == 1 else a`, `any([1, 2], i => i == a)`])
    case 7:
      return `${value(random)} ${pick(['<', '<=', '>', '>='])} ${field}`
    default:
      return `${field}${blank}${pick(['==', '!=', '<', '<=', '>', '>='])}${blank} ${value(random)}`
  }
}

function randomText(random: Random, depth: number): string {
  const sign = random.pick([' && ', ' and ', '||', '  or '])
  const count = 1 + random.below(4)
  const parts = Array.from({ length: count }, () =>
    depth > 0 && random.below(4) === 0 ? `(${randomText(random, depth - 1)})` : atom(random),
  )
  // An unbracketed conditional, or a range among alternatives, would swallow its neighbours.
  return parts
    .map((one) => (count > 1 && /^if|&&|\|\||\band\b|\bor\b/.test(one) && !one.startsWith('(') ? `(${one})` : one))
    .join(sign)
}

const INPUTS: readonly Value[] = [
  { a: 1, b: 2, n: { x: 3 } },
  { a: true, b: false, n: { x: true } },
  { a: 'x', b: 'y z', n: { x: 'x' } },
  { a: ['x'], b: null, n: {} },
  { a: 5, b: 5, n: { x: 0 } },
]

/** The result of a condition for each input; all errors are the same. */
function decided(condition: string): readonly string[] {
  const found = parse(condition, [], 'exact')
  if (found.kind === 'failed') throw new Error(`${condition}: ${found.problems[0]?.message ?? ''}`)
  return INPUTS.map((input) => {
    try {
      const environment: Environment = {
        input,
        variables: new Map([['v', 3]]),
        policy: LENIENT,
        runtime: { now: 0, budget: Budget.endless() },
      }
      return String(isTrue(interpret(found.expression, environment)))
    } catch {
      return 'error'
    }
  })
}

const COUNT = casesOf(10_000, 5)

describe('random conditions', () => {
  test('a row that is replaced by itself leaves the text as it is, or the same decision', () => {
    const random = seeded(37)
    for (let run = 0; run < COUNT; run++) {
      const given = randomText(random, 2)
      const condition = readCondition(given)
      if (condition === undefined) throw new Error(given)
      const index = random.below(Math.max(1, condition.rows.length))
      const row = condition.rows[index]
      if (row === undefined) continue
      const same = changeRow(given, [index], row)
      expect(decided(same), `${given} -> ${same}`).toEqual(decided(given))
      // A canonical text stays unchanged.
      const plain = writeCondition(condition)
      const again = readCondition(plain)
      const kept = again?.rows[Math.min(index, again.rows.length - 1)]
      if (again === undefined || kept === undefined) throw new Error(plain)
      expect(changeRow(plain, [Math.min(index, again.rows.length - 1)], kept)).toBe(plain)
    }
  })

  test('each edit has the rows that were meant, and decides as they do', () => {
    const random = seeded(73)
    for (let run = 0; run < COUNT; run++) {
      const given = randomText(random, 1)
      const condition = readCondition(given) as Condition
      const row = readCondition(atom(random))?.rows[0] as Row
      const index = random.below(Math.max(1, condition.rows.length))
      const kind = random.below(3)
      const rows =
        kind === 0
          ? [...condition.rows, row]
          : kind === 1
            ? condition.rows.with(index, row)
            : condition.rows.toSpliced(index, 1)
      if (condition.rows.length === 0) continue
      const edited =
        kind === 0 ? addRow(given, row, condition.joiner) : changeRow(given, [index], kind === 1 ? row : undefined)
      const meant =
        rows.length === 0
          ? 'true'
          : rows
              .map((one) => `(${writeCondition({ joiner: 'and', rows: [one] })})`)
              .join(condition.joiner === 'and' ? ' && ' : ' || ')
      expect(decided(edited), `${given} -> ${edited}, meant ${meant}`).toEqual(decided(meant))
    }
  })
})
