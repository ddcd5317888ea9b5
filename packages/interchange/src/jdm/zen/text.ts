import { KEYWORDS } from '@engine/expression'

/** Static knowledge about the values of an expression. */
export type ValueType =
  | 'boolean'
  | 'number'
  | 'text'
  | 'date'
  | 'null'
  /** Null, boolean, number, text or date. */
  | 'scalar'
  | 'list'
  | 'object'
  | 'unknown'

/** An expression in our language, with the precedence of its outermost operator. */
export interface Text {
  readonly text: string
  readonly level: number
  readonly type: ValueType
  /** The elements of a list that is written out. */
  readonly items?: readonly Text[]
}

/** Precedence levels, loosest first. */
export const LEVEL = { choice: 0, or: 1, and: 2, comparison: 3, membership: 4, sum: 5, product: 6, sign: 7, atom: 8 }

export const atom = (text: string, type: ValueType = 'unknown'): Text => ({ text, level: LEVEL.atom, type })

export const NULL = atom('null', 'null')
export const TRUE = atom('true', 'boolean')
export const FALSE = atom('false', 'boolean')

/** A literal. */
export function literal(value: number | string | boolean | null): Text {
  if (value === null) return NULL
  if (typeof value === 'string') return atom(JSON.stringify(value), 'text')
  if (typeof value === 'boolean') return value ? TRUE : FALSE
  return { text: String(value), level: value < 0 ? LEVEL.sign : LEVEL.atom, type: 'number' }
}

/** Whether a value is a text that is written out. */
export const isConstantText = ({ text }: Text) => /^"(?:[^"\\]|\\.)*"$/.test(text)

/** The text, in parentheses when it binds looser than a level. */
export function within(level: number, { text, level: own }: Text): string {
  return own < level ? `(${text})` : text
}

/** Two operands of a left-associative operator. */
export function infix(operator: string, level: number, type: ValueType, left: Text, right: Text): Text {
  return { text: `${within(level, left)} ${operator} ${within(level + 1, right)}`, level, type }
}

/** A comparison; comparisons are not chained without parentheses. */
export function comparison(operator: string, left: Text, right: Text): Text {
  const level = operator.endsWith('in') ? LEVEL.membership : LEVEL.comparison
  return { text: `${within(level + 1, left)} ${operator} ${within(level + 1, right)}`, level, type: 'boolean' }
}

/** The conjunction of conditions, without constant true ones. */
export function allOf(...conditions: readonly Text[]): Text {
  return joined('&&', LEVEL.and, FALSE, TRUE, conditions)
}

/** The disjunction of conditions, without constant false ones. */
export function oneOf(...conditions: readonly Text[]): Text {
  return joined('||', LEVEL.or, TRUE, FALSE, conditions)
}

function joined(operator: string, level: number, decides: Text, neutral: Text, conditions: readonly Text[]): Text {
  const kept: Text[] = []
  for (const condition of conditions) {
    if (condition.text === decides.text) return decides
    if (condition.text !== neutral.text && kept.every(({ text }) => text !== condition.text)) kept.push(condition)
  }
  const [only = neutral] = kept
  if (kept.length < 2) return only
  return { text: kept.map((one) => within(level, one)).join(` ${operator} `), level, type: 'boolean' }
}

const SCALARS: ReadonlySet<ValueType> = new Set(['boolean', 'number', 'text', 'date', 'null', 'scalar'])

/** The type of a value that is one of two. */
export function eitherType(one: ValueType, other: ValueType): ValueType {
  if (one === other) return one
  return SCALARS.has(one) && SCALARS.has(other) ? 'scalar' : 'unknown'
}

export function choice(condition: Text, consequent: Text, alternate: Text): Text {
  const type = eitherType(consequent.type, alternate.type)
  const parts = [condition, consequent, alternate].map((part) => within(LEVEL.or, part))
  return { text: `${parts[0]} ? ${parts[1]} : ${parts[2]}`, level: LEVEL.choice, type }
}

export function call(name: string, type: ValueType, ...args: readonly Text[]): Text {
  return atom(`${name}(${args.map(({ text }) => text).join(', ')})`, type)
}

/** The condition that a value is of a type. */
export const isOf = (type: 'array' | 'bool' | 'null' | 'number' | 'object' | 'string', value: Text): Text =>
  call(`is_${type}`, 'boolean', value)

/** The condition that a path has a value or null. */
export const exists = (path: Text): Text => call('exists', 'boolean', path)

/** The whole input. */
export const INPUT = atom('$', 'object')

/** A member of a value by its name; members of the input are its fields. */
export function memberOf(object: Text, key: string | number): Text {
  const base = within(LEVEL.atom, object)
  if (typeof key === 'number') return atom(`${base}[${key}]`)
  if (base === INPUT.text && isPlain(key) && !KEYWORDS.has(key)) return atom(key)
  return atom(isPlain(key) ? `${base}.${key}` : `${base}[${JSON.stringify(key)}]`)
}

const isPlain = (name: string) => /^[A-Za-z_]\w*$/.test(name)
