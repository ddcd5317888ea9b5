import { type Binary, type Expression, parse, type Segment, type Value, quote } from '@engine/expression'
import { FUNCTIONS, TWO_ARGUMENTS } from '../../feel/ast.ts'
import type { Deviation } from '../../feel/write.ts'

/** Why a text has no form in FEEL. */
export class NoFeel extends Error {}

/** What names stand for where an expression is written. */
export interface FeelTarget {
  /** The name of an input, or of a decision and its members. Throws `NoFeel`. */
  readonly reference: (kind: 'field' | 'variable', name: string, members: readonly string[]) => string
  /** Where FEEL decides otherwise for some inputs. */
  readonly deviates: (deviation: Deviation) => void
}

const NAME = /^[\p{L}_][\p{L}\p{N}_]*(?:[ -][\p{L}\p{N}_]+)*$/u
const RESERVED =
  /^(?:and|or|not|in|if|then|else|for|some|every|return|satisfies|between|function|null|true|false|instance|of|date|time|duration|external)$/

/** Reserved words that nothing follows a name with: `Type of Order`, `Order date`. */
const WITHIN = /^(?:of|date|time|duration)$/

/** Whether a text can be a name in FEEL, as this program reads them. */
export function isFeelName(name: string): boolean {
  const isReserved = (word: string, index: number) => RESERVED.test(word) && (index === 0 || !WITHIN.test(word))
  return NAME.test(name) && !name.split(/[ -]/).some(isReserved)
}

/** An expression of this program in FEEL. Throws `NoFeel`. Costs its size. */
export function feelOf(text: string, target: FeelTarget): string {
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new NoFeel('it is no expression')
  return valueOf(parsed.expression, target)
}

/** The same where only what is true counts. */
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
      if (!isBoolean(condition)) throw new NoFeel('a condition may be no boolean')
      return `if ${conditionOf(condition, target)} then ${operand(consequent, target)} else ${operand(alternate, target)}`
    }
    case 'call':
      return callText(expression.name, expression.args, target)
    case 'local':
    case 'member':
    case 'lambda':
      throw new NoFeel('it has parts that FEEL does not have')
  }
}

function namesIn(path: readonly Segment[]): readonly string[] {
  return path.map((segment) => {
    if (segment.kind !== 'name' || !isFeelName(segment.name)) throw new NoFeel('a path of it is none of names')
    return segment.name
  })
}

const WHOLE: ReadonlySet<Expression['kind']> = new Set(['literal', 'field', 'variable', 'array', 'object', 'call'])

function operand(expression: Expression, target: FeelTarget): string {
  const text = valueOf(expression, target)
  return WHOLE.has(expression.kind) ? text : `(${text})`
}

function signed(expression: Expression, target: FeelTarget): string {
  if (expression.kind !== 'literal') target.deviates('arithmetic')
  return `-${operand(expression, target)}`
}

/** Only what is never null can be negated: `not(null)` is null. */
function negated(expression: Expression, target: FeelTarget): string {
  const isSafe = expression.kind === 'binary' && ['==', '!=', 'in', 'not in'].includes(expression.operator)
  if (!isSafe) throw new NoFeel('a negation of what may be null')
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
    if (!isBoolean(left) || !isBoolean(right)) throw new NoFeel('a condition may be no boolean')
    target.deviates('comparison')
    return `${operand(left, target)} ${operator === '&&' ? 'and' : 'or'} ${operand(right, target)}`
  }
  if (operator === 'in' || operator === 'not in') return membership(expression, target)
  if (operator === '%' || operator === 'contains') throw new NoFeel(`${quote(operator)} means something else there`)
  target.deviates('arithmetic')
  return `${operand(left, target)} ${operator} ${operand(right, target)}`
}

function membership({ operator, left, right }: Binary, target: FeelTarget): string {
  if (right.kind !== 'array' || right.items.length === 0) throw new NoFeel('`in` needs a list of values')
  const items = right.items.map((item) => {
    if (item.kind !== 'literal' && item.kind !== 'unary') throw new NoFeel('`in` needs a list of literals')
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
    throw new NoFeel(`the function ${quote(name)} has no equal there`)
  return `${feel}(${args.map((one) => valueOf(one, target)).join(', ')})`
}

/** Whether an expression is true or false, and never anything else. */
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
  if (typeof value !== 'number' || /[en]/i.test(String(value))) throw new NoFeel('a number of it needs an exponent')
  return String(value)
}

/** A text with the escapes that FEEL has. */
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
