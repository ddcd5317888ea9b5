import { isList, isObject, type Value } from '@engine/expression'
import { OPERATOR_LEVELS, UNARY_LEVELS, type ZenOperator } from '../zen/ast.ts'
import type { ValueType } from '../zen/text.ts'

/** Why a part cannot be expressed in ZEN. */
export class NoZen extends Error {}

/** A ZEN expression, the precedence of its outermost operator, and static knowledge about its value. */
export interface ZenText {
  readonly text: string
  readonly level: number
  readonly type: ValueType
}

const ATOM = 1000
const CHOICE = 0

/** Characters of one text: parts may be repeated in it. */
const MAX_LENGTH = 20_000

export const atom = (text: string, type: ValueType = 'unknown'): ZenText => limited({ text, level: ATOM, type })

export const TRUE = atom('true', 'boolean')
export const FALSE = atom('false', 'boolean')
export const NULL = atom('null', 'null')

function limited(text: ZenText): ZenText {
  if (text.text.length > MAX_LENGTH) throw new NoZen('it is too long')
  return text
}

/** The text, in parentheses when it binds looser than a level. */
function within(level: number, { text, level: own }: ZenText): string {
  return own < level ? `(${text})` : text
}

/** Two operands of a left-associative operator. */
export function infix(operator: ZenOperator, type: ValueType, left: ZenText, right: ZenText): ZenText {
  const level = OPERATOR_LEVELS[operator]
  return limited({ text: `${within(level, left)} ${operator} ${within(level + 1, right)}`, level, type })
}

/** A comparison; comparisons are not chained without parentheses. */
export function comparison(operator: ZenOperator, left: ZenText, right: ZenText): ZenText {
  const level = OPERATOR_LEVELS[operator]
  return limited({ text: `${within(level + 1, left)} ${operator} ${within(level + 1, right)}`, level, type: 'boolean' })
}

/** The conjunction of conditions, without constant true ones. */
export const allOf = (...conditions: readonly ZenText[]) => joined('and', FALSE, TRUE, conditions)

/** The disjunction of conditions, without constant false ones. */
export const oneOf = (...conditions: readonly ZenText[]) => joined('or', TRUE, FALSE, conditions)

function joined(operator: 'and' | 'or', decides: ZenText, neutral: ZenText, conditions: readonly ZenText[]): ZenText {
  const kept: ZenText[] = []
  for (const condition of conditions) {
    if (condition.text !== neutral.text) kept.push(condition)
    // Later operands are not evaluated, in ZEN as here.
    if (condition.text === decides.text) break
  }
  const [first = neutral, ...rest] = kept
  return rest.reduce((left, right) => infix(operator, 'boolean', left, right), first)
}

export function not(operand: ZenText): ZenText {
  const text = `not ${operand.level === ATOM ? operand.text : `(${operand.text})`}`
  return limited({ text, level: UNARY_LEVELS.not, type: 'boolean' })
}

export function negative(operand: ZenText): ZenText {
  return limited({ text: `-${within(ATOM, operand)}`, level: UNARY_LEVELS['-'], type: 'number' })
}

export function choice(condition: ZenText, consequent: ZenText, alternate: ZenText): ZenText {
  const type = commonType(consequent.type, alternate.type)
  const [test, yes, no] = [condition, consequent, alternate].map((part) => within(CHOICE + 1, part))
  return limited({ text: `${test} ? ${yes} : ${no}`, level: CHOICE, type })
}

export function call(name: string, type: ValueType, ...args: readonly ZenText[]): ZenText {
  return atom(`${name}(${args.map(({ text }) => text).join(', ')})`, type)
}

/** Static knowledge about a value that is one of two. */
export function commonType(one: ValueType, other: ValueType): ValueType {
  if (one === other) return one
  return SCALARS.has(one) && SCALARS.has(other) ? 'scalar' : 'unknown'
}

const SCALARS: ReadonlySet<ValueType> = new Set(['null', 'boolean', 'number', 'text', 'scalar'])

export const isScalar = ({ type }: ZenText) => SCALARS.has(type)

/** Whether a value may be null. */
export const isNullable = ({ type }: ZenText) => type === 'unknown' || type === 'scalar' || type === 'null'

/** Reserved words of ZEN. */
const WORDS: ReadonlySet<string> = new Set(['and', 'or', 'not', 'in', 'true', 'false', 'null'])

export const isZenName = (name: string) => /^[A-Za-z_]\w*$/.test(name) && !WORDS.has(name)

/** A member of a value by its name. */
export function memberOf(owner: ZenText, name: string): ZenText {
  const base = within(ATOM, owner)
  return atom(isZenName(name) ? `${base}.${name}` : `${base}[${quoted(name)}]`)
}

/** An item of a list. */
export const itemOf = (items: ZenText, index: number) => atom(`${within(ATOM, items)}[${index}]`)

/** A text in quotes. ZEN has no escapes, so a text with both quotes cannot be quoted. Throws `NoZen`. */
function quoted(text: string): string {
  const quote = text.includes("'") ? '"' : "'"
  if (text.includes(quote)) throw new NoZen('a name contains both kinds of quotes')
  return `${quote}${text}${quote}`
}

/** A constant. Throws `NoZen` for a number that ZEN's decimals cannot represent. */
export function literal(value: Value): ZenText {
  if (value === null) return NULL
  if (typeof value === 'string') return textLiteral(value)
  if (typeof value === 'boolean') return value ? TRUE : FALSE
  if (typeof value !== 'number' || Math.abs(value) > 1e15 || /e/.test(String(value)))
    throw new NoZen('one of its numbers has too many digits')
  const text = String(Math.abs(value))
  return value < 0 ? negative(atom(text, 'number')) : atom(text, 'number')
}

/** A constant, which may be a list or an object. Throws `NoZen`. */
export function constant(value: Value): ZenText {
  if (isList(value)) return list(value.map((item) => constant(item)))
  if (!isObject(value)) return literal(value)
  return object(Object.entries(value).map(([key, inner]) => [key, constant(inner)]))
}

/** A text; one with both quotes is concatenated from parts with one each. */
function textLiteral(text: string): ZenText {
  const parts = text.includes("'") && text.includes('"') ? (text.match(/[^']+|'+/g) ?? []) : [text]
  const [first = atom("''", 'text'), ...rest] = parts.map((part) => atom(quoted(part), 'text'))
  return rest.reduce((left, right) => infix('+', 'text', left, right), first)
}

/** A list of values. */
export const list = (items: readonly ZenText[]) => atom(`[${items.map(({ text }) => text).join(', ')}]`, 'list')

/** An object; keys that are not names are quoted. */
export function object(entries: readonly (readonly [string, ZenText])[]): ZenText {
  const written = entries.map(([key, { text }]) => `${isZenName(key) ? key : quoted(key)}: ${text}`)
  return atom(`{${written.join(', ')}}`, 'object')
}
