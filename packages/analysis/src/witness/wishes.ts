import {
  type Call,
  constantOf,
  defined,
  type Expression,
  type Field,
  isList,
  isNumber,
  LENIENT,
  NO_SPAN,
  print,
  printPath,
  rewrite,
  type Value,
  walk,
} from '@engine/expression'
import type { Encoder } from '../formula/encoder.ts'
import { type Building, evaluate, put } from '../formula/evaluate.ts'
import type { NumberPoint } from '../terms/order.ts'
import { isPlain } from '../terms/path.ts'
import { type Kind, kindOf, KINDS, type Term } from '../terms/term.ts'
import { matchingText } from './matching-text.ts'
import type { Candidate } from './model.ts'
import type { Chosen } from './steering.ts'

/** A value that the search wants of a function of a field. */
interface Demand {
  readonly call: Call
  readonly value: Value
}

/** Values of a model. */
export interface ModelValues {
  /** A value of a term that the assignment allows. */
  readonly of: (term: Term, kind: Kind, variation: number) => Value
  readonly allowsText: (term: Term, text: string) => boolean
  /** Inputs for which a condition holds by itself, with all fields that it reads. */
  readonly inputs: (condition: Expression) => readonly Candidate['input'][]
}

/** The field that stands for an item of a list. */
const ITEM = 'item'
/** Lambdas of one list that are looked at. */
const MAX_LAMBDAS = 12
/** Items or characters. */
const MAX_LENGTH = 10_000
/** Items with members. */
const MAX_SHAPED = 50
/** Texts of a pattern that are tried for one input. */
const MAX_TEXTS = 8

/** Values of fields for which functions return the wanted results; only an execution shows that they do. */
export class Wishes {
  readonly #encoder: Encoder
  readonly #values: ModelValues
  readonly #items = new Map<string, readonly Value[]>()

  constructor(encoder: Encoder, values: ModelValues) {
    this.#encoder = encoder
    this.#values = values
  }

  of(variation: number): ReadonlyMap<Term, Value> {
    const { solver } = this.#encoder
    const wishes = new Map<Term, Value>()
    for (const [field, demands] of this.#demands(variation)) {
      const wish = this.#wish(field, demands, variation)
      if (wish !== undefined && solver.valueOf(field.is(kindOf(wish))) !== false) wishes.set(field, wish)
    }
    return wishes
  }

  /** Puts fields of an input into lists that are to contain them. */
  fillLists(input: Building): void {
    const { solver, opaque } = this.#encoder
    for (const term of opaque.keys()) {
      const { expression } = term
      if (expression.kind !== 'binary' || solver.valueOf(term.is('true')) !== true) continue
      const { operator, left, right } = expression
      const [item, list] = (operator === 'contains' ? [right, left] : [left, right]).map((side) => this.#fieldOf(side))
      if (item?.field === undefined || list?.field === undefined) continue
      const kind = KINDS.find((one) => one !== 'missing' && solver.valueOf(item.is(one)) !== false) ?? 'null'
      const value = this.#values.of(item, kind, 0)
      if (put(input, item.field.path, value)) put(input, list.field.path, [value])
    }
  }

  /** The fields from which a function that has no inverse here is computed, if they are numbers or absent; undefined: it is another term. */
  derivedFrom({ expression }: Term): readonly Term[] | undefined {
    if (expression.kind !== 'call' || SIZES.has(expression.name)) return undefined
    const fields: (Term | undefined)[] = []
    walk(expression, (node) => {
      if (node.kind === 'field') fields.push(this.#fieldOf(node))
      // Its value depends on more than fields.
      if (node.kind === 'lambda' || node.kind === 'variable') fields.push(undefined)
    })
    const { solver } = this.#encoder
    const isKnown = (field: Term | undefined): field is Term =>
      field !== undefined && DERIVING.some((kind) => solver.valueOf(field.is(kind)) === true)
    return fields.length > 0 && fields.every(isKnown) ? fields : undefined
  }

  /** The result of such a function for values of the fields. */
  derived(term: Term, chosen: Chosen): NumberPoint | undefined {
    const input: Building = {}
    for (const field of this.derivedFrom(term) ?? []) {
      const value = chosen.get(field)
      if (value !== undefined && field.field !== undefined) put(input, field.field.path, value)
    }
    const found = evaluate(term.expression, this.#encoder.opaque.get(term)?.policy ?? LENIENT, input)
    return 'value' in found && isNumber(found.value) ? found.value : undefined
  }

  #demands(variation: number): ReadonlyMap<Term, readonly Demand[]> {
    const { solver, opaque, computedBy } = this.#encoder
    const demands = new Map<Term, Demand[]>()
    for (const term of opaque.keys()) {
      const { expression } = term
      if (expression.kind !== 'call') continue
      // Chosen with the fields that it is computed from.
      const isNumeric = solver.valueOf(term.is('number')) === true
      if (isNumeric && (computedBy.has(term) || this.derivedFrom(term) !== undefined)) continue
      const field = this.#fieldOf(subjectOf(expression))
      const kind = KINDS.find((one) => solver.valueOf(term.is(one)) === true)
      if (field === undefined || kind === undefined || kind === 'missing') continue
      const demand = { call: expression, value: this.#values.of(term, kind, variation) }
      const known = demands.get(field)
      if (known === undefined) demands.set(field, [demand])
      else known.push(demand)
    }
    return demands
  }

  #fieldOf(expression: Expression | undefined): Term | undefined {
    return expression?.kind === 'field' && isPlain(expression.path)
      ? this.#encoder.terms.get(printPath(expression))
      : undefined
  }

  #wish(field: Term, demands: readonly Demand[], variation: number): Value | undefined {
    const lambdas = demands.flatMap(({ call }) => lambdasOf(call))
    if (lambdas.length > 0) return this.#list(demands, variation)
    let wish: Value | undefined
    const ranked = demands.toSorted((left, right) => rankOf(left) - rankOf(right))
    for (const demand of ranked) wish = this.#source(field, demand, wish, variation)
    return wish
  }

  /** A first argument for which a function returns a value, with the wishes of others before it. */
  #source(field: Term, { call, value }: Demand, before: Value | undefined, variation: number): Value | undefined {
    const { name } = call
    if (SAME.has(name)) return before ?? value
    const constant = constantOf(call.args[name === 'regex_match' ? 0 : 1] ?? call)
    if (PATTERNS.has(name)) {
      if (value !== true || typeof constant !== 'string') return before
      const texts = Array.from({ length: MAX_TEXTS }, (_, index) => matchingText(constant, variation + index))
      return texts.find((text) => text !== undefined && this.#values.allowsText(field, text)) ?? before
    }
    if (name === 'substring' && typeof value === 'string') {
      const start = Number(constant)
      if (!(start >= 0 && start <= MAX_LENGTH)) return before
      const text = typeof before === 'string' ? before : ''
      return text.slice(0, start).padEnd(start, 'x') + value + text.slice(start + value.length)
    }
    if (!SIZES.has(name)) return before
    const length = lengthOf(value)
    return variation % 2 === 0 && name === 'len' ? 'x'.repeat(length) : Array.from({ length }, () => 0)
  }

  /** A list for whose items lambdas have the wanted results. */
  #list(demands: readonly Demand[], variation: number): Value {
    const sizes = demands.flatMap(({ call, value }) => (SIZES.has(call.name) ? [lengthOf(value)] : []))
    const length = Math.min(MAX_SHAPED, Math.max(...sizes, sizes.length === 0 ? 1 : 0))
    return Array.from({ length }, (_, index) => {
      const conditions = new Map<string, Expression>()
      for (const { call, value } of demands) {
        const wanted = wantedOf(call.name, value, length, index)
        for (const [depth, lambda] of lambdasOf(call).entries()) {
          const result = depth === 0 ? wanted : wanted !== false
          const condition = conditionOf(lambda, variation % 2 === 0 ? result : undefined)
          conditions.set(print(condition), condition)
        }
      }
      const found = this.#itemsFor([...conditions.values()].slice(0, MAX_LAMBDAS))
      return found.length === 0 ? {} : defined(found[(variation >> 1) % found.length])
    })
  }

  #itemsFor(conditions: readonly Expression[]): readonly Value[] {
    const all = conditions.reduce((left, right) => binary('&&', left, right))
    const text = print(all)
    const found = this.#items.get(text) ?? this.#values.inputs(all).map((input) => input[ITEM] ?? null)
    this.#items.set(text, found)
    return found
  }
}

const SAME: ReadonlySet<string> = new Set([
  'lower',
  'upper',
  'trim',
  'abs',
  'round',
  'to_number',
  'to_string',
  'coalesce',
  'min',
  'max',
])

/** Kinds of fields with which a function is evaluated. */
const DERIVING = ['number', 'missing'] as const

const PATTERNS: ReadonlySet<string> = new Set(['matches', 'regex_match'])
const SIZES: ReadonlySet<string> = new Set(['count', 'len'])
/** Functions of a list whose result has items of it. */
const THROUGH: ReadonlySet<string> = new Set(['coalesce', 'distinct', 'filter', 'reverse', 'sort', 'unique'])

/** Patterns make a text, and parts of it are changed afterwards. */
function rankOf({ call: { name } }: Demand): number {
  return PATTERNS.has(name) ? 0 : name === 'substring' ? 2 : 1
}

function lengthOf(value: Value): number {
  return Math.min(MAX_LENGTH, Math.max(0, Math.ceil(Number(value))))
}

/** The subject of a function: its first argument, or a field from which that is made. */
function subjectOf({ name, args }: Call): Expression | undefined {
  if (name === 'regex_match') return args[1]
  let [subject] = args
  while (subject?.kind === 'call' && THROUGH.has(subject.name)) [subject] = subject.args
  return subject
}

type Lambda = Extract<Expression, { readonly kind: 'lambda' }>

/** The lambdas of a function of a list, the outermost first. */
function lambdasOf(call: Call): readonly Lambda[] {
  const found: Lambda[] = []
  for (let at: Expression | undefined = call; at?.kind === 'call'; at = at.args[0])
    found.push(...at.args.filter((argument) => argument.kind === 'lambda'))
  return found
}

/** The wanted result of the outermost lambda for an item: true, false, or equal to a number. Undefined: anything but an error. */
function wantedOf(name: string, value: Value, length: number, index: number): Value | undefined {
  if (name === 'sum' && isNumber(value)) return length > 1 ? Number(value) / length : value
  if (name === 'avg') return isNumber(value) ? value : undefined
  if (name === 'none') return value !== true
  if (SIZES.has(name)) return index < lengthOf(value)
  if (isList(value)) return value.length > 0
  return value !== false && value !== null
}

/** The condition of an item, as a field, for which a lambda has a result. */
function conditionOf({ parameters: [parameter], body }: Lambda, wanted: Value | undefined): Expression {
  const ofItem = rewrite(body, (node): Expression => {
    if (node.kind !== 'local' || node.name !== parameter) return node
    return { kind: 'field', path: [{ kind: 'name', name: ITEM }, ...node.path], span: node.span } satisfies Field
  })
  const not: Expression = { kind: 'unary', operator: '!', operand: ofItem, span: NO_SPAN }
  if (wanted === undefined) return binary('||', ofItem, not)
  if (typeof wanted === 'boolean') return wanted ? ofItem : not
  return binary('==', ofItem, { kind: 'literal', value: wanted, span: NO_SPAN })
}

const binary = (operator: '&&' | '||' | '==', left: Expression, right: Expression): Expression => ({
  kind: 'binary',
  operator,
  left,
  right,
  span: NO_SPAN,
  operatorSpan: NO_SPAN,
})
