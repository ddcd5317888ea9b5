import { quote } from '@engine/expression'
import { type Feel, FeelFault, type FeelTest, type FunctionName } from './ast.ts'

/** A function of a model. Its body replaces each call, with the arguments instead of the parameters. */
export interface ModelFunction {
  readonly parameters: readonly string[]
  /** The body for as many arguments as there are parameters. Throws `FeelFault`. */
  expand(args: readonly Feel[], offset: number): Feel
}

/** Nodes of an expanded expression, counted where they occur; 8 characters count as one. */
const MAX_SIZE = 5000
const MAX_DEPTH = 200
/** Nodes of all expansions of a document. */
const MAX_TOTAL = 200_000

interface Extent {
  readonly size: number
  readonly depth: number
}

/**
 * Bounds the expressions that grow by expansion: functions that call functions double with each level. Shared parts are
 * measured once.
 */
export class ExpansionBudget {
  readonly #extents = new WeakMap<Feel, Extent>()
  #left = MAX_TOTAL

  /** The expression itself. Throws `FeelFault` when it is too large. */
  charge(feel: Feel, offset: number): Feel {
    const { size, depth } = this.#extentOf(feel)
    this.#left -= size
    if (size > MAX_SIZE || depth > MAX_DEPTH || this.#left < 0)
      throw new FeelFault('the expression becomes too large when its functions are expanded', offset)
    return feel
  }

  #extentOf(feel: Feel): Extent {
    const known = this.#extents.get(feel)
    if (known !== undefined) return known
    let size = 1 + lengthOf(feel) / 8
    let depth = 0
    for (const part of partsOf(feel)) {
      const extent = this.#extentOf(part)
      size += extent.size
      depth = Math.max(depth, extent.depth)
    }
    const extent = { size, depth: depth + 1 }
    this.#extents.set(feel, extent)
    return extent
  }
}

function lengthOf(feel: Feel): number {
  switch (feel.kind) {
    case 'literal':
      return String(feel.value).length
    case 'number':
    case 'time':
      return feel.text.length
    case 'path':
      return feel.name.length + feel.members.join('.').length
    case 'context':
      return feel.entries.reduce((sum, [key]) => sum + key.length, 0)
    default:
      return 0
  }
}

/** The expressions that an expression directly consists of. */
export function partsOf(feel: Feel): readonly Feel[] {
  switch (feel.kind) {
    case 'literal':
    case 'number':
    case 'time':
    case 'tested':
    case 'path':
      return []
    case 'negation':
    case 'not':
      return [feel.operand]
    case 'arithmetic':
    case 'comparison':
    case 'logic':
      return [feel.left, feel.right]
    case 'membership':
      return [feel.value, ...feel.tests.flatMap(partsOfTest)]
    case 'if':
      return [feel.condition, feel.consequent, feel.alternate]
    case 'list':
      return feel.items
    case 'context':
      return feel.entries.map(([, value]) => value)
    case 'call':
      return feel.args
  }
}

function partsOfTest(test: FeelTest): readonly Feel[] {
  switch (test.kind) {
    case 'comparison':
      return [test.value]
    case 'interval':
      return [test.low.value, test.high.value]
    case 'item':
      return [test.list]
    case 'condition':
      return [test.condition]
  }
}

/** A member of a value, by its path. Throws `FeelFault` where the value is computed: our paths begin with a name. */
export function memberOf(value: Feel, members: readonly string[], offset: number): Feel {
  const [first, ...rest] = members
  if (first === undefined) return value
  if (value.kind === 'path') return { ...value, members: [...value.members, ...members] }
  if (value.kind === 'literal' && value.value === null) return value
  if (value.kind !== 'context') throw new FeelFault(`the member ${quote(first)} of a computed value`, offset)
  const [, found = NULL] = value.entries.find(([key]) => key === first) ?? []
  return memberOf(found, rest, offset)
}

const NULL: Feel = { kind: 'literal', value: null }

const RESULT_TYPES: { readonly [Name in FunctionName]: string | undefined } = {
  abs: 'number',
  floor: 'number',
  ceiling: 'number',
  sqrt: 'number',
  'upper case': 'string',
  'lower case': 'string',
  'starts with': 'boolean',
  'ends with': 'boolean',
  contains: 'boolean',
  count: 'number',
  min: undefined,
  max: undefined,
  mean: 'number',
  sum: 'number',
}

/** The type of the values of an expression, apart from null; undefined: unknown, a list or a context. */
export function typeOfFeel(
  feel: Feel,
  typeOfPath: (name: string, members: readonly string[]) => string | undefined,
): string | undefined {
  switch (feel.kind) {
    case 'literal':
      return feel.value === null ? undefined : typeof feel.value
    case 'number':
    case 'negation':
      return 'number'
    case 'path':
      return typeOfPath(feel.name, feel.members)
    case 'arithmetic':
      return feel.operator === '+' ? commonType([feel.left, feel.right], typeOfPath) : 'number'
    case 'comparison':
    case 'logic':
    case 'not':
    case 'membership':
      return 'boolean'
    case 'if':
      return commonType([feel.consequent, feel.alternate], typeOfPath)
    case 'call':
      return RESULT_TYPES[feel.name]
    case 'time':
    case 'tested':
    case 'list':
    case 'context':
      return undefined
  }
}

function commonType(
  parts: readonly Feel[],
  typeOfPath: (name: string, members: readonly string[]) => string | undefined,
): string | undefined {
  const types = new Set(parts.map((part) => typeOfFeel(part, typeOfPath)))
  const [only] = types
  return types.size === 1 ? only : undefined
}
