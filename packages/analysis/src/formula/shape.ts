import {
  isList,
  type Binary,
  type Call,
  constantOf,
  type Expression,
  isBinaryOf,
  isNumber,
  type Value,
  walk,
} from '@engine/expression'
import type { NumberPoint } from '../terms/order.ts'

/** How an operand of a condition is looked at. */
export interface Test {
  /** The value on which the condition depends. */
  readonly operand: Expression
  readonly numbers: readonly NumberPoint[]
  readonly texts: readonly string[]
  readonly features: readonly { readonly kind: 'suffix' | 'part' | 'element' | 'constant'; readonly constant: Value }[]
}

const TYPE_TESTS: ReadonlySet<string> = new Set([
  'is_null',
  'exists',
  'is_number',
  'is_string',
  'is_bool',
  'is_array',
  'is_object',
])

/**
 * The comparison of a condition with a single value, if its truth only depends on the value's kind and its order among
 * these constants; undefined otherwise.
 */
export function testOf(node: Expression): Test | undefined {
  if (node.kind === 'binary') return binaryTest(node)
  if (node.kind === 'call') return callTest(node)
  return undefined
}

/** A value as a condition: zero and the empty text are false. */
export function truthTest(operand: Expression): Test {
  return { operand, numbers: [0], texts: [''], features: [] }
}

function binaryTest(node: Binary): Test | undefined {
  const left = constantOf(node.left)
  const right = constantOf(node.right)
  const constant = left === undefined ? right : left
  if (constant === undefined || (left === undefined) === (right === undefined)) return undefined
  const operand = left === undefined ? node.left : node.right
  if (isBinaryOf('equality', node)) return comparison(operand, [constant], true)
  if (isBinaryOf('order', node)) return comparison(operand, [constant], false)
  if (!isBinaryOf('membership', node)) return undefined
  const isItem = node.operator === 'contains' ? left !== undefined : left === undefined
  if (!isItem) return holding(operand, constant)
  if (isList(constant)) return comparison(operand, constant, true)
  return typeof constant === 'object' || typeof constant === 'string' ? undefined : comparison(operand, [], true)
}

function comparison(operand: Expression, constants: readonly Value[], isEquality: boolean): Test | undefined {
  const numbers: NumberPoint[] = []
  const texts: string[] = []
  const features: Test['features'][number][] = []
  for (const constant of constants) {
    if (isNumber(constant)) numbers.push(constant)
    else if (typeof constant === 'string') texts.push(constant)
    else if (typeof constant === 'object' && constant !== null && sizeOf(constant) > 0) {
      if (!isEquality) continue
      features.push({ kind: 'constant', constant })
    }
  }
  return { operand, numbers, texts, features }
}

function sizeOf(value: object): number {
  return Object.keys(value).length
}

function holding(operand: Expression, item: Value): Test | undefined {
  if (typeof item === 'object' && item !== null) return undefined
  const features: Test['features'][number][] = [{ kind: 'element', constant: item }]
  if (typeof item === 'string') features.push({ kind: 'part', constant: item })
  return { operand, numbers: [], texts: [], features }
}

function callTest(node: Call): Test | undefined {
  const [operand, argument] = node.args
  if (operand === undefined || constantOf(operand) !== undefined) return undefined
  if (TYPE_TESTS.has(node.name) && argument === undefined) return { operand, numbers: [], texts: [], features: [] }
  const constant = argument === undefined ? undefined : constantOf(argument)
  if (node.args.length !== 2 || constant === undefined) return undefined
  switch (node.name) {
    case 'contains':
      return holding(operand, constant)
    case 'contains_str':
      return typeof constant === 'string'
        ? { operand, numbers: [], texts: [], features: [{ kind: 'part', constant }] }
        : undefined
    case 'ends_with':
      return typeof constant === 'string'
        ? { operand, numbers: [], texts: [], features: [{ kind: 'suffix', constant }] }
        : undefined
    case 'starts_with':
      return typeof constant === 'string'
        ? { operand, numbers: [], texts: [constant, ...afterPrefix(constant)], features: [] }
        : undefined
    default:
      return undefined
  }
}

/** The first text behind all that begin with a prefix; none when there is no such text. */
export function afterPrefix(prefix: string): readonly string[] {
  for (let length = prefix.length; length > 0; length--) {
    const unit = prefix.charCodeAt(length - 1)
    if (unit < 0xffff) return [prefix.slice(0, length - 1) + String.fromCharCode(unit + 1)]
  }
  return []
}

/** Whether an expression reads nothing that can differ between two executions. */
export function isFixed(expression: Expression): boolean {
  let fixed = true
  walk(expression, (node) => {
    if (node.kind === 'field' || (node.kind === 'call' && (node.name === 'now' || node.name === 'now_millis')))
      fixed = false
    if (node.kind === 'variable' && node.name.startsWith(FREE)) fixed = false
  })
  return fixed
}

/** Begins the names of variables that stand for an unknown value; no variable of a ruleset begins so. */
export const FREE = '?'
