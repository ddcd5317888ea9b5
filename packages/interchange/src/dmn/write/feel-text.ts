import { type Binary, type Expression, parse, printPath, type Segment, type Value, quote } from '@engine/expression'
import { FUNCTIONS, TWO_ARGUMENTS } from '../../feel/ast.ts'
import type { Deviation } from '../../feel/write.ts'
import { hasManyOperators } from '../../operator-count.ts'

/** Why a text cannot be expressed in FEEL. */
export class NoFeel extends Error {}

/** The target of names in a written expression. */
export interface FeelTarget {
  /** The name of an input, or of a decision with its members. Throws `NoFeel`. */
  readonly reference: (kind: 'field' | 'variable', name: string, members: readonly string[]) => string
  /** Reports where FEEL decides differently for some inputs. */
  readonly deviates: (deviation: Deviation) => void
}

type Conditional = Expression & { readonly kind: 'conditional' }

const NAME = /^[\p{L}_][\p{L}\p{N}_]*(?:[ -][\p{L}\p{N}_]+)*$/u
const RESERVED =
  /^(?:and|or|not|in|if|then|else|for|some|every|return|satisfies|between|function|null|true|false|instance|of|date|time|duration|external)$/

/** Reserved words that may occur inside a name: `Type of Order`, `Order date`. */
const WITHIN = /^(?:of|date|time|duration)$/

/** Whether a text is a valid FEEL name according to our parser. */
export function isFeelName(name: string): boolean {
  const isReserved = (word: string, index: number) => RESERVED.test(word) && (index === 0 || !WITHIN.test(word))
  return NAME.test(name) && !name.split(/[ -]/).some(isReserved)
}

/** Translates an expression to FEEL. Throws `NoFeel`. Linear in its size. */
export function feelOf(text: string, target: FeelTarget): string {
  return valueOf(parsedFor(text, 'it is not a valid expression'), target)
}

/** An expression that can be written. Throws `NoFeel`. @param reason when it is none */
export function parsedFor(text: string, reason: string): Expression {
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new NoFeel(reason)
  if (hasManyOperators(parsed.expression)) throw new NoFeel('it is too long')
  return parsed.expression
}

/** Like `feelOf`, for contexts in which only the truth matters. */
export function conditionOf(expression: Expression, target: FeelTarget): string {
  return valueOf(expression, { reference: target.reference, deviates() {} })
}

function valueOf(expression: Expression, target: FeelTarget): string {
  const inner = (part: Expression) => valueOf(part, target)
  switch (expression.kind) {
    case 'literal':
      return literalText(expression.value)
    case 'field': {
      const [name = '', ...members] = namesIn(expression.path)
      return target.reference('field', name, members)
    }
    case 'variable':
      return target.reference('variable', expression.name, namesIn(expression.path))
    case 'array':
      return `[${expression.items.map(inner).join(', ')}]`
    case 'object':
      return `{${expression.entries.map(({ key, value }) => `${textLiteral(key)}: ${inner(value)}`).join(', ')}}`
    case 'unary':
      return expression.operator === '!' ? negated(expression.operand, target) : signed(expression.operand, target)
    case 'binary':
      return binaryText(expression, target)
    case 'conditional': {
      const { condition, consequent, alternate } = expression
      if (isGuarded(expression)) return conditionOf(consequent, target)
      if (!isBoolean(condition)) throw new NoFeel('a condition may not be a boolean')
      return `if ${conditionOf(condition, target)} then ${operand(consequent, target)} else ${operand(alternate, target)}`
    }
    case 'call':
      return callText(expression.name, expression.args, target)
    default:
      throw new NoFeel('it uses features that FEEL does not have')
  }
}

function namesIn(path: readonly Segment[]): readonly string[] {
  return path.map((segment) => {
    if (segment.kind !== 'name' || !isFeelName(segment.name))
      throw new NoFeel('one of its paths does not consist of names only')
    return segment.name
  })
}

const WHOLE: ReadonlySet<Expression['kind']> = new Set(['literal', 'field', 'variable', 'array', 'object', 'call'])

function operand(expression: Expression, target: FeelTarget): string {
  const text = valueOf(expression, target)
  return WHOLE.has(expression.kind) ? text : `(${text})`
}

function signed(expression: Expression, target: FeelTarget): string {
  target.deviates('arithmetic')
  return `-${operand(expression, target)}`
}

/** Only expressions that are never null can be negated: `not(null)` is null. */
function negated(expression: Expression, target: FeelTarget): string {
  const isSafe = expression.kind === 'binary' && ['==', '!=', 'in', 'not in'].includes(expression.operator)
  if (!isSafe) throw new NoFeel('it negates an expression that may be null')
  return `not(${valueOf(expression, target)})`
}

const COMPARISONS: ReadonlyMap<string, string> = new Map([
  ['==', '='],
  ['!=', '!='],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
])

function binaryText(expression: Binary, target: FeelTarget): string {
  const { operator, left, right } = expression
  const comparison = COMPARISONS.get(operator)
  if (comparison !== undefined) {
    target.deviates('comparison')
    return `${operand(left, target)} ${comparison} ${operand(right, target)}`
  }
  if (operator === '&&' || operator === '||') {
    if (!isBoolean(left) || !isBoolean(right)) throw new NoFeel('a condition may not be a boolean')
    target.deviates('comparison')
    return `${operand(left, target)} ${operator === '&&' ? 'and' : 'or'} ${operand(right, target)}`
  }
  if (operator === 'in' || operator === 'not in') return membership(expression, target)
  if (operator === '%' || operator === 'contains')
    throw new NoFeel(`${quote(operator)} has a different meaning in FEEL`)
  target.deviates('arithmetic')
  return `${operand(left, target)} ${operator} ${operand(right, target)}`
}

function membership({ operator, left, right }: Binary, target: FeelTarget): string {
  if (right.kind !== 'array' || right.items.length === 0) throw new NoFeel('`in` needs a list of values')
  const items = right.items.map((item) => {
    if (item.kind !== 'literal') throw new NoFeel('`in` needs a list of literals')
    return valueOf(item, target)
  })
  const text = `${operand(left, target)} in (${items.join(', ')})`
  return operator === 'in' ? text : `not(${text})`
}

const OWN_FUNCTIONS: ReadonlyMap<string, string> = new Map(Object.entries(FUNCTIONS).map(([feel, own]) => [own, feel]))
const PREDICATES: ReadonlySet<string> = new Set(['starts_with', 'ends_with', 'contains_str'])

function callText(name: string, args: readonly Expression[], target: FeelTarget): string {
  const [first, second] = args
  if (name === 'is_null' && first !== undefined) return `(${operand(first, target)} = null)`
  target.deviates(PREDICATES.has(name) ? 'comparison' : 'arithmetic')
  if (name === 'pow' && first !== undefined && second !== undefined)
    return `(${operand(first, target)} ** ${operand(second, target)})`
  const feel = OWN_FUNCTIONS.get(name)
  if (feel === 'sum') target.deviates('sum')
  if (feel === undefined || args.length !== (TWO_ARGUMENTS.has(feel) ? 2 : 1))
    throw new NoFeel(`the function ${quote(name)} has no equivalent in FEEL`)
  return `${feel}(${args.map((one) => valueOf(one, target)).join(', ')})`
}

/**
 * Whether an expression is a concatenation with a text, guarded by the types of its paths: FEEL has the guard by itself.
 * `FeelWriter` writes such expressions.
 */
function isGuarded({ condition, consequent, alternate }: Conditional): boolean {
  if (alternate.kind !== 'literal' || alternate.value !== null) return false
  const parts = operandsOf(consequent, '+')
  const tested = operandsOf(condition, '&&').map((test) =>
    test.kind === 'call' && test.name === 'is_string' ? pathText(test.args[0]) : undefined,
  )
  const isText = (part: Expression) => part.kind === 'literal' && typeof part.value === 'string'
  const isTested = (part: Expression) =>
    isText(part) || (pathText(part) !== undefined && tested.includes(pathText(part)))
  return parts.some(isText) && parts.every(isTested) && !tested.includes(undefined)
}

const pathText = (expression: Expression | undefined) =>
  expression?.kind === 'field' || expression?.kind === 'variable' ? printPath(expression) : undefined

/** The operands of a chain of one operator. */
function operandsOf(expression: Expression, operator: Binary['operator']): readonly Expression[] {
  const found: Expression[] = []
  const open = [expression]
  for (let part = open.pop(); part !== undefined; part = open.pop())
    if (part.kind === 'binary' && part.operator === operator) open.push(part.left, part.right)
    else found.push(part)
  return found
}

/** Whether an expression is always true or false. */
function isBoolean(expression: Expression): boolean {
  switch (expression.kind) {
    case 'binary':
      return COMPARISONS.has(expression.operator) || ['&&', '||', 'in', 'not in'].includes(expression.operator)
    case 'unary':
      return expression.operator === '!'
    case 'literal':
      return typeof expression.value === 'boolean'
    case 'call':
      return PREDICATES.has(expression.name) || expression.name === 'is_null'
    default:
      return false
  }
}

/** A scalar in FEEL. Throws `NoFeel` for a number that needs an exponent. */
export function literalText(value: Value): string {
  if (typeof value === 'string') return textLiteral(value)
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value !== 'number' || /[en]/i.test(String(value))) throw new NoFeel('one of its numbers needs an exponent')
  return String(value)
}

/** A text with FEEL escapes. */
function textLiteral(value: string): string {
  const escaped = value.replace(/["\\]|\p{Cc}/gu, (character) => {
    const short = ESCAPES.get(character)
    return short ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
  return `"${escaped}"`
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])
