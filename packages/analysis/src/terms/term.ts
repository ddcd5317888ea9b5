import { type Expression, type Field, isList, isNumber, isObject, stringifyJson, type Value } from '@engine/expression'
import { FALSE, type Literal, negated, type Solver } from '../search/solver.ts'
import { Line } from './line.ts'
import { isPlain } from './path.ts'
import { type NumberPoint, NUMBERS, type Order, TEXTS } from './order.ts'

/** The kinds of values that conditions can distinguish without examining the content. */
export const KINDS = [
  'missing',
  'null',
  'false',
  'true',
  'number',
  'text',
  'empty list',
  'list',
  'empty object',
  'object',
  'error',
] as const

export type Kind = (typeof KINDS)[number]

/** A value of each kind; missing and error have none. */
export const EXAMPLES: Readonly<Record<Exclude<Kind, 'missing' | 'error'>, Value>> = {
  null: null,
  false: false,
  true: true,
  number: 1,
  text: 'text',
  'empty list': [],
  list: ['other'],
  'empty object': {},
  object: { other: 1 },
}

export function kindOf(value: Value | undefined): Kind {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  switch (typeof value) {
    case 'boolean':
      return value ? 'true' : 'false'
    case 'string':
      return 'text'
    default:
      if (isNumber(value)) return 'number'
      if (Array.isArray(value)) return value.length === 0 ? 'empty list' : 'list'
      return Object.keys(value).length === 0 ? 'empty object' : 'object'
  }
}

/** A property of texts or lists that no order expresses: one literal, with how to look at a value for it. */
export interface Feature {
  readonly kinds: readonly Kind[]
  readonly literal: Literal
  readonly holds: (value: Value) => boolean
  readonly kind: 'suffix' | 'part' | 'element' | 'constant'
  readonly constant: Value
}

/**
 * A part of conditions whose value the search chooses: a field of the input, or an expression that is computed from
 * such. Its kind is one of several literals, numbers and texts have a position on a line, and features cover the rest.
 */
export class Term {
  readonly expression: Expression
  /** Undefined: computed. */
  readonly field: Field | undefined
  readonly kinds: ReadonlyMap<Kind, Literal>
  readonly numbers: Line<NumberPoint>
  readonly texts: Line<string>
  readonly features = new Map<string, Feature>()
  readonly #solver: Solver
  readonly #textPoints = new Set<string>()

  constructor(solver: Solver, expression: Expression, kinds: readonly Kind[], numbers: Order<NumberPoint> = NUMBERS) {
    this.#solver = solver
    this.expression = expression
    this.field = expression.kind === 'field' && isPlain(expression.path) ? expression : undefined
    this.kinds = new Map(kinds.map((kind) => [kind, solver.createVariable()]))
    this.numbers = new Line(solver, numbers)
    this.texts = new Line(solver, TEXTS)
    const literals = [...this.kinds.values()]
    solver.addClause(literals)
    for (const [index, left] of literals.entries())
      for (const right of literals.slice(index + 1)) solver.addClause([negated(left), negated(right)])
  }

  /** The literal of a kind; a kind that the term cannot have is never true. */
  is(kind: Kind): Literal {
    return this.kinds.get(kind) ?? FALSE
  }

  isAny(...kinds: readonly Kind[]): Literal {
    return this.#solver.or(kinds.map((kind) => this.is(kind)))
  }

  /** A text that conditions compare with: features of it are known. */
  noteText(text: string): void {
    if (this.#textPoints.has(text)) return
    this.#textPoints.add(text)
    for (const feature of this.features.values()) this.#relate(text, feature)
  }

  /** The feature with a constant; made when it is first needed. */
  feature(kind: Feature['kind'], constant: Value, key: string): Feature {
    const known = this.features.get(key)
    if (known !== undefined) return known
    const literal = this.#solver.createVariable()
    const feature: Feature = { kind, constant, literal, ...FEATURES[kind](constant) }
    for (const other of this.features.values()) this.#order(feature, other)
    this.features.set(key, feature)
    for (const text of this.#textPoints) this.#relate(text, feature)
    return feature
  }

  #relate(text: string, feature: Feature): void {
    if (!feature.kinds.includes('text')) return
    const point = this.texts.equals(text)
    const known = feature.holds(text) ? feature.literal : negated(feature.literal)
    this.#solver.addClause([negated(this.is('text')), negated(point), known])
  }

  /** A text that ends with "abc" contains "b", and one cannot end with two ends of which neither ends the other. */
  #order(one: Feature, other: Feature): void {
    for (const [strong, weak] of [
      [one, other],
      [other, one],
    ] as const) {
      if (strong.kind === 'suffix' || strong.kind === 'part') {
        const follows =
          weak.kind === 'part' || (weak.kind === 'suffix' && strong.kind === 'suffix')
            ? weak.holds(strong.constant)
            : false
        if (follows) this.#solver.addClause([negated(this.is('text')), negated(strong.literal), weak.literal])
      }
    }
    const isApart =
      one.kind === 'suffix' && other.kind === 'suffix' && !one.holds(other.constant) && !other.holds(one.constant)
    const areTwoConstants = one.kind === 'constant' && other.kind === 'constant'
    if (isApart || areTwoConstants)
      this.#solver.addClause([
        ...(isApart ? [negated(this.is('text'))] : []),
        negated(one.literal),
        negated(other.literal),
      ])
  }
}

const FEATURES: Readonly<Record<Feature['kind'], (constant: Value) => Pick<Feature, 'kinds' | 'holds'>>> = {
  suffix: (constant) => ({
    kinds: ['text'],
    holds: (value) => typeof value === 'string' && value.endsWith(textIn(constant)),
  }),
  part: (constant) => ({
    kinds: ['text'],
    holds: (value) => typeof value === 'string' && value.includes(textIn(constant)),
  }),
  element: (constant) => ({
    kinds: ['list'],
    holds: (value) => Array.isArray(value) && value.includes(constant),
  }),
  constant: (constant) => ({
    kinds: [kindOf(constant)],
    holds: (value) => sortedText(value) === sortedText(constant),
  }),
}

/** A constant that is known to be a text. */
export function textIn(constant: Value): string {
  return typeof constant === 'string' ? constant : ''
}

/** One text for all forms of a value that are equal. Not recursive: rules can nest lists thousands of times. Linear in the value. */
export function sortedText(value: Value): string {
  const pending: (string | { readonly value: Value })[] = [{ value }]
  let text = ''
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') {
      text += next
      continue
    }
    const inner = next.value
    if (isList(inner)) {
      text += '['
      pending.push(']')
      for (const [index, item] of [...inner.entries()].toReversed()) {
        pending.push({ value: item })
        if (index > 0) pending.push(',')
      }
    } else if (isObject(inner)) {
      text += '{'
      pending.push('}')
      const entries = Object.entries(inner).toSorted(([left], [right]) => (left < right ? 1 : -1))
      for (const [index, [key, member]] of entries.entries()) {
        pending.push({ value: member }, `${stringifyJson(key)}:`)
        if (index < entries.length - 1) pending.push(',')
      }
    } else text += stringifyJson(inner)
  }
  return text
}
