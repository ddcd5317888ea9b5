import type { Value } from '@engine/expression'
import { chance, inRange, pick, some } from './random.testing.ts'
import type { Random } from './random.testing.ts'

/** Generators of random expression texts that pass the checker; evaluating them may still fail. */
export interface ExpressionTexts {
  readonly fields: readonly string[]
  readonly variables: readonly string[]
  readonly condition: () => string
  readonly any: () => string
  /** An expression in the JSON form. */
  readonly form: () => Value
  readonly value: () => Value
  /**
   * Conditions that test the same one to four fields for equality, membership and ranges, some with additional tests.
   */
  readonly table: (branches: number) => string[]
}

const FIELDS = ['a', 'b', 'age', 'country', 'user.name', 'user.score', 'order.total', 'items', '["weird key"]', 'größe']
const NUMBERS = [0, 1, 2, 3, 10, 18, 65, 100, -1, 0.5, 2.5, 1e21, -0.25]
const LITERAL_NUMBERS = [...NUMBERS.map(String), '9007199254740993', '1e3', '123456789012345678901234567890']
const TEXTS = ['DE', 'FR', 'US', '', 'x', 'größe', '😀', '～', '__proto__', '10', 'a"b\\c', '\u2028']
const TEXT_LITERALS = TEXTS.map((text) => JSON.stringify(text))
const SCALARS = [...LITERAL_NUMBERS, ...TEXT_LITERALS, 'true', 'false', 'null']

/** Expression texts over a fixed set of fields and the given variables. */
export function randomExpressions(random: Random, variables: readonly string[]): ExpressionTexts {
  const value = (depth = 0): Value => {
    const kinds: (() => Value)[] = [
      () => pick(random, NUMBERS),
      () => inRange(random, 0, 100),
      () => pick(random, TEXTS),
      () => pick(random, TEXTS),
      () => chance(random, 0.5),
      () => null,
    ]
    if (depth < 2) {
      kinds.push(
        () => Array.from({ length: inRange(random, 0, 3) }, () => value(depth + 1)),
        () => Object.fromEntries(some(random, ['p', 'price', '__proto__'], 0, 2).map((key) => [key, value(depth + 1)])),
      )
    }
    return pick(random, kinds)()
  }
  const path = () => {
    if (variables.length > 0 && chance(random, 0.25)) return `$${pick(random, variables)}`
    const field = pick(random, FIELDS)
    return field.startsWith('[') ? `$${field}` : field
  }
  const scalar = () => pick(random, SCALARS)

  const number = (depth: number): string => {
    if (depth <= 0) return pick(random, [path, path, () => pick(random, LITERAL_NUMBERS)])()
    return pick(random, [
      path,
      () => `(${number(depth - 1)} ${pick(random, ['+', '-', '*', '/', '%'])} ${path()})`,
      () => `abs(${path()})`,
      () => `len(${path()})`,
      () => `coalesce(${path()}, ${inRange(random, 0, 9)})`,
      () => `(if ${condition(depth - 1)} then ${number(depth - 1)} else ${number(depth - 1)})`,
    ])()
  }
  const condition = (depth: number): string => {
    if (depth <= 0) return simple()
    return pick(random, [
      simple,
      () => `(${condition(depth - 1)} ${pick(random, ['&&', '||', 'and', 'or'])} ${condition(depth - 1)})`,
      () => `!(${condition(depth - 1)})`,
      () => `${number(depth - 1)} ${pick(random, ['<', '<=', '>', '>='])} ${path()}`,
      () => `any(items, item => item.price == ${path()})`,
    ])()
  }
  const simple = (): string =>
    pick(random, [
      path,
      () => `${path()} ${pick(random, ['==', '!='])} ${scalar()}`,
      () => `${path()} == ${path()}`,
      () => `${path()} ${pick(random, ['<', '<=', '>', '>='])} ${pick(random, LITERAL_NUMBERS)}`,
      () => `${path()} ${pick(random, ['in', 'not in'])} [${some(random, SCALARS, 0, 5).join(', ')}]`,
      () => `is_null(${path()})`,
      () => `exists(${field()})`,
      () => `contains(${path()}, ${pick(random, TEXT_LITERALS)})`,
      () => pick(random, ['true', 'false']),
    ])()
  const field = () =>
    pick(
      random,
      FIELDS.filter((name) => !name.startsWith('[')),
    )
  const any = (): string =>
    pick(random, [
      path,
      scalar,
      () => number(2),
      () => condition(1),
      () => `[${path()}, ${scalar()}]`,
      () => `{"k": ${path()}}`,
    ])()
  const form = (): Value =>
    pick<() => Value>(random, [
      () => ({ Field: field() }),
      () => ({ Literal: value() }),
      () => ({
        Object: [
          ['k', { Field: field() }],
          ['__proto__', { Literal: 1 }],
        ],
      }),
      () => ({ Array: [{ Field: field() }, { Literal: value() }] }),
      () => ({ Binary: { op: 'Add', left: { Field: field() }, right: { Literal: 1 } } }),
      () => ({ Coalesce: [{ Field: field() }, { Literal: 0 }] }),
    ])()
  const table = (branches: number) => {
    const columns = some(random, FIELDS, 1, 4).map((name) => column(random, name.startsWith('[') ? `$${name}` : name))
    return Array.from({ length: branches }, () => {
      const tests = columns.filter(() => chance(random, 0.8)).map((test) => test())
      if (tests.length === 0 || chance(random, 0.15)) tests.push(condition(1))
      return tests.map((test) => (tests.length > 1 ? `(${test})` : test)).join(' && ')
    })
  }
  return { fields: FIELDS, variables, condition: () => condition(2), any, form, value: () => value(), table }
}

/** A generator of tests on one field. Most columns compare with one kind of literal, some with any. */
function column(random: Random, path: string): () => string {
  const whole = () => String(inRange(random, -5, 105))
  const literal = pick<() => string>(random, [
    whole,
    whole,
    () => pick(random, LITERAL_NUMBERS),
    () => pick(random, TEXT_LITERALS),
    () => pick(random, [...LITERAL_NUMBERS, ...TEXT_LITERALS, 'true', 'false', 'null', whole()]),
  ])
  const range = () => {
    const low = inRange(random, -5, 100)
    const high = low + inRange(random, 0, 20)
    const from = pick(random, [`${path} >= ${low}`, `${path} > ${low}`, `${low} <= ${path}`, `${low} < ${path}`])
    const to = pick(random, [`${path} < ${high}`, `${path} <= ${high}`, `${high} > ${path}`, `${high} >= ${path}`])
    return pick(random, [`${from} && ${to}`, from, to])
  }
  const textRange = () => `${path} ${pick(random, ['<', '<=', '>', '>='])} ${pick(random, TEXT_LITERALS)}`
  const equality = () => (chance(random, 0.8) ? `${path} == ${literal()}` : `${literal()} == ${path}`)
  const list = () => Array.from({ length: inRange(random, 0, 6) }, literal).join(', ')
  const mixed = [
    equality,
    equality,
    equality,
    () => `${path} in [${list()}]`,
    range,
    range,
    textRange,
    () => `${equality()} || ${equality()}`,
    () => `${path} != ${literal()}`,
    () => `${path} not in [${list()}]`,
  ]
  return pick<() => string>(random, [
    equality,
    range,
    () => pick(random, [equality, () => `${path} in [${list()}]`])(),
    () => pick(random, mixed)(),
  ])
}
