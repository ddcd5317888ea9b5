import { quote } from '@engine/expression'
import { type Feel, FeelFault, type FeelTest, type FunctionName } from './ast.ts'
import { temporalMember } from './natives.ts'
import { baseShape, commonShape, type FeelShape, shapeAt } from './shape.ts'

/** A function of a model. Its body replaces each call, with the arguments instead of the parameters. */
export interface ModelFunction {
  readonly parameters: readonly string[]
  /** The body for as many arguments as there are parameters. Throws `FeelFault`. */
  expand(args: readonly Feel[]): Feel
}

/** Maximum number of nodes of an expanded expression, including repetitions; 8 characters count as one node. */
const MAX_SIZE = 5000
const MAX_DEPTH = 200
/** Maximum number of nodes of all expansions of a document. */
const MAX_TOTAL = 200_000

interface Extent {
  readonly size: number
  readonly depth: number
}

/**
 * Limits the growth of expressions by expansion, since nested function calls can double the size with each level.
 * Shared parts are measured once.
 */
export class ExpansionBudget {
  readonly #extents = new WeakMap<Feel, Extent>()
  #left = MAX_TOTAL

  /** The expression itself. Throws `FeelFault` when it is too large. */
  charge(feel: Feel): Feel {
    this.#left -= this.#extentOf(feel).size
    if (this.#left < 0) throw tooLarge()
    return this.checked(feel)
  }

  /** An expression that is not charged to the document. Throws `FeelFault` if it is too large itself. */
  checked(feel: Feel): Feel {
    const { size, depth } = this.#extentOf(feel)
    if (size > MAX_SIZE || depth > MAX_DEPTH) throw tooLarge()
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

const tooLarge = () => new FeelFault('the expression becomes too large when its functions are expanded')

function lengthOf(feel: Feel): number {
  switch (feel.kind) {
    case 'literal':
      return String(feel.value).length
    case 'number':
    case 'time':
      return feel.text.length
    case 'path':
      return feel.name.length + feel.members.join('.').length
    case 'item':
      return feel.members.join('.').length
    case 'context':
      return feel.entries.reduce((sum, [key]) => sum + key.length, 0)
    default:
      return 0
  }
}

/** The direct sub-expressions of an expression. */
export function partsOf(feel: Feel): readonly Feel[] {
  switch (feel.kind) {
    case 'literal':
    case 'number':
    case 'time':
    case 'tested':
    case 'path':
    case 'item':
      return []
    case 'each':
      return [feel.list, feel.body]
    case 'filter':
    case 'quantified':
      return [feel.list, feel.test]
    case 'indexed':
      return [feel.list]
    case 'sorted':
      return [feel.list, feel.key]
    case 'rounded':
    case 'text':
      return [feel.value]
    case 'rules':
      return [...feel.rules.flatMap(({ condition, value }) => [condition, value]), feel.otherwise]
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
    case 'native':
      return feel.args
    case 'span':
      return []
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

/**
 * A member of a value by path; for a list, the members of its items. Throws `FeelFault` for a computed value, since our
 * paths begin with a name.
 */
export function memberOf(value: Feel, members: readonly string[], shapeOfPath: ShapeOfPath): Feel {
  const [first, ...rest] = members
  if (first === undefined) return value
  const further = (found: Feel) => memberOf(found, rest, shapeOfPath)
  const inner = (part: Feel) => memberOf(part, [first], shapeOfPath)
  const shape = shapeOfFeel(value, shapeOfPath)
  const ofTime = temporalMember(value, first, shape)
  if (ofTime !== undefined) return further(ofTime)
  if (members.length > MAX_DEPTH) throw new FeelFault(`a path of more than ${MAX_DEPTH} members`)
  if (value.kind === 'path' && shape === undefined) return { ...value, members: [...value.members, ...members] }
  if (shape?.kind === 'list') {
    const parameter = Symbol(first)
    const item: Feel = { kind: 'item', parameter, members: [], shape: shape.items() }
    return further({ kind: 'each', parameter, list: value, body: inner(item) })
  }
  switch (value.kind) {
    case 'path':
    case 'item':
      return further({ ...value, members: [...value.members, first] })
    case 'context':
      return further(value.entries.find(([key]) => key === first)?.[1] ?? NULL)
    case 'if':
      return further({ ...value, consequent: inner(value.consequent), alternate: inner(value.alternate) })
    case 'rules': {
      const rules = value.rules.map((rule) => ({ ...rule, value: inner(rule.value) }))
      return further({ ...value, rules, otherwise: inner(value.otherwise) })
    }
    case 'indexed':
      return further({ ...value, list: inner(value.list) })
    default:
      if (value.kind === 'literal' && value.value === null) return value
      throw new FeelFault(`the member ${quote(first)} of a computed value`)
  }
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

/** The shape of a path. */
export type ShapeOfPath = (name: string, members: readonly string[]) => FeelShape | undefined

/** The shape of the values of an expression, apart from null; undefined: unknown. Linear in its size. */
export function shapeOfFeel(feel: Feel, shapeOfPath: ShapeOfPath): FeelShape | undefined {
  const shape = (part: Feel) => shapeOfFeel(part, shapeOfPath)
  const common = (parts: readonly Feel[]) =>
    commonShape(parts.filter((part) => part.kind !== 'literal' || part.value !== null).map(shape))
  switch (feel.kind) {
    case 'literal':
      return feel.value === null ? undefined : baseShape(typeof feel.value)
    case 'number':
    case 'negation':
      return NUMBER
    case 'path':
      return shapeOfPath(feel.name, feel.members)
    case 'item':
      return shapeAt(feel.shape, feel.members)
    case 'arithmetic':
      return feel.operator === '+' ? common([feel.left, feel.right]) : NUMBER
    case 'comparison':
    case 'logic':
    case 'not':
    case 'membership':
    case 'quantified':
      return baseShape('boolean')
    case 'if':
      return common([feel.consequent, feel.alternate])
    case 'call': {
      const type = RESULT_TYPES[feel.name]
      return type === undefined ? undefined : baseShape(type)
    }
    case 'list':
      return { kind: 'list', items: () => common(feel.items) }
    case 'context': {
      const entries = new Map(feel.entries)
      const member = (name: string) => shape(entries.get(name) ?? NULL)
      return { kind: 'context', names: [...entries.keys()], member }
    }
    case 'each':
      return feel.isFlat === true ? shape(feel.body) : { kind: 'list', items: () => shape(feel.body) }
    case 'filter':
    case 'sorted':
      return shape(feel.list)
    case 'rounded':
      return NUMBER
    case 'text':
      return baseShape('string')
    case 'indexed': {
      const list = shape(feel.list)
      return list?.kind === 'list' ? list.items() : undefined
    }
    case 'rules': {
      const values = feel.rules.map(({ value }) => value)
      if (feel.policy === 'list') return { kind: 'list', items: () => common(values) }
      const isSingle = feel.policy === 'first' || feel.policy === 'unique' || feel.policy === 'any'
      return isSingle ? common([...values, feel.otherwise]) : NUMBER
    }
    case 'native':
      return feel.function.shape
    case 'span':
      return baseShape(feel.unit)
    case 'time':
      return baseShape(feel.text.includes('T') ? 'dateTime' : feel.text.includes('-') ? 'date' : 'time')
    case 'tested':
      return undefined
  }
}

const NUMBER = baseShape('number')
