import {
  type Binary,
  type Call,
  children,
  type Expression,
  FUNCTIONS,
  isDecimal,
  printPath,
  stringifyJson,
  TYPE,
  type Value,
} from '@engine/expression'
import type { FieldType } from '@engine/ruleset'
import type { PlacedExpression } from '../migrate/expressions.ts'

/** A part of an expression that computes a fraction with doubles. */
export interface DoublePlace {
  readonly node: Expression
  /** Why its value can have a fraction. */
  readonly why: string
}

/** The types of fields by their paths, as a contract declares them; a field that is missing may have a fraction. */
export type FieldTypes = ReadonlyMap<string, FieldType>

/**
 * The largest parts of an expression that compute a number which is not certainly whole. Linear in the expression times its
 * depth.
 */
export function doublePlaces({ expression }: PlacedExpression, types: FieldTypes): readonly DoublePlace[] {
  const found: DoublePlace[] = []
  const visit = (node: Expression): void => {
    const why = isComputed(node) ? fractionIn(node, types) : undefined
    if (why !== undefined) found.push({ node, why })
    else for (const child of children(node)) visit(child)
  }
  visit(expression)
  return found
}

const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%'])
/** Functions that compute a number from others. Those that choose one, such as `max`, compute nothing. */
const COMPUTING: ReadonlySet<string> = new Set(['sum', 'avg', 'pow', 'sqrt', 'round'])
/** Functions whose result is a number that can have a fraction; that of the others is whole. */
const FRACTIONAL: ReadonlySet<string> = new Set([...COMPUTING, 'abs', 'min', 'max', 'to_number', 'to_float'])
/** Functions that read numbers from texts. */
const READING: ReadonlySet<string> = new Set(['to_number', 'to_float', 'json_unmarshal', 'jwt_decode'])

function isComputed(node: Expression): node is Binary | Call {
  if (node.kind === 'binary') return ARITHMETIC.has(node.operator)
  return node.kind === 'call' && COMPUTING.has(node.name)
}

/** Why the value of an expression can be a number with a fraction; undefined: it cannot. */
function fractionIn(node: Expression, types: FieldTypes): string | undefined {
  switch (node.kind) {
    case 'literal':
      return hasFraction(node.value) ? `\`${stringifyJson(node.value)}\` has a fraction` : undefined
    case 'field': {
      const path = printPath(node)
      return isWhole(types.get(path.replace(/^\$\./, ''))) ? undefined : `\`${path}\` can have a fraction`
    }
    case 'variable':
      return `\`$${node.name}\` can have a fraction`
    case 'local':
      return `\`${node.name}\` can have a fraction`
    case 'member':
      return fractionIn(node.object, types) ?? 'a member can have a fraction'
    case 'array':
      return firstOf(node.items, types)
    case 'lambda':
      return fractionIn(node.body, types)
    case 'unary':
      return node.operator === '-' ? fractionIn(node.operand, types) : undefined
    case 'conditional':
      return firstOf([node.consequent, node.alternate], types)
    case 'binary':
      if (!ARITHMETIC.has(node.operator) || isText(node, types)) return undefined
      return node.operator === '/' ? 'a quotient can have a fraction' : firstOf([node.left, node.right], types)
    case 'call':
      return fractionInCall(node, types)
    case 'object':
      return undefined
  }
}

function fractionInCall({ name, args }: Call, types: FieldTypes): string | undefined {
  const returns = FUNCTIONS.get(name)?.returns ?? TYPE.null
  if ((returns & (TYPE.number | TYPE.array)) === 0) return undefined
  if (returns === TYPE.number && !FRACTIONAL.has(name)) return undefined
  if (READING.has(name)) return `\`${name}\` can give a fraction`
  if (name === 'avg') return 'a mean can have a fraction'
  if (name === 'sqrt') return 'a root can have a fraction'
  const [, second] = args
  if (name === 'round') {
    const isRoundedToWhole = second === undefined || (second.kind === 'literal' && Number(second.value) <= 0)
    return isRoundedToWhole ? undefined : firstOf(args.slice(0, 1), types)
  }
  if (name === 'pow' && second !== undefined && !(second.kind === 'literal' && Number(second.value) >= 0))
    return 'a power can have a fraction'
  // `sum(items, i => i.price)` adds the results of the lambda, not the items.
  return firstOf(args.at(-1)?.kind === 'lambda' && name !== 'filter' ? args.slice(1) : args, types)
}

const firstOf = (nodes: readonly Expression[], types: FieldTypes) => {
  for (const node of nodes) {
    const why = fractionIn(node, types)
    if (why !== undefined) return why
  }
  return undefined
}

/** Whether values of a declared type have no fraction: whole numbers, texts, and lists of them. */
function isWhole(type: FieldType | undefined): boolean {
  switch (type?.kind) {
    case 'integer':
    case 'string':
    case 'boolean':
      return true
    case 'array':
      return isWhole(type.item)
    default:
      return false
  }
}

/** Whether the value is certainly a text: `+` joins texts. */
function isText(node: Expression, types: FieldTypes): boolean {
  if (node.kind === 'literal') return typeof node.value === 'string'
  if (node.kind === 'field') return types.get(printPath(node))?.kind === 'string'
  if (node.kind === 'binary') return node.operator === '+' && (isText(node.left, types) || isText(node.right, types))
  return node.kind === 'call' && FUNCTIONS.get(node.name)?.returns === TYPE.string
}

function hasFraction(value: Value): boolean {
  return isDecimal(value) || (typeof value === 'number' && !Number.isInteger(value))
}
