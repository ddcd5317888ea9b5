import { quote } from '@engine/expression'
import { type Feel, FeelFault } from './ast.ts'
import { shapeOfFeel } from './expansion.ts'
import type { FeelName, FeelScope } from './scope.ts'
import { type FeelShape, shapeAt, typeOfShape } from './shape.ts'

/** The item of a list within an iteration, and the names in its scope. */
interface Iteration {
  readonly parameter: symbol
  readonly scope: FeelScope
}

/** The scope of the body of `for`, `some` and `every`. Throws `FeelFault` unless the value is certainly a list. */
export function iterationOver(list: Feel, variable: string, scope: FeelScope): Iteration {
  const parameter = Symbol(variable)
  const shape = itemsOf(list, scope)
  return { parameter, scope: scope.with([itemName(variable, { kind: 'item', parameter, members: [], shape })]) }
}

/** The scope of the test of a filter: `item`, and the members of the items. Throws `FeelFault`. */
export function filterOver(list: Feel, scope: FeelScope): Iteration {
  const parameter = Symbol()
  const shape = itemsOf(list, scope)
  if (shape === undefined || shape.kind === 'list')
    throw new FeelFault('a filter of a list whose items have no declared type')
  const item = { kind: 'item', parameter, members: [], shape } as const
  const members = shape.kind === 'context' ? shape.names : []
  const names = members.map((name) => itemName(name, { ...item, members: [name] }))
  return { parameter, scope: scope.with([itemName('item', item), ...names]) }
}

function itemsOf(list: Feel, scope: FeelScope): FeelShape | undefined {
  const shape = shapeOfFeel(list, scope.shapeOf)
  if (shape?.kind !== 'list')
    throw new FeelFault('whether this value is a list is not known at import: declare its type')
  if (!ITERATED.has(list.kind)) throw new FeelFault('an iteration over a computed list')
  return shape.items()
}

/** Lists whose text is written only once in an iteration. */
const ITERATED: ReadonlySet<Feel['kind']> = new Set(['path', 'item', 'list', 'each', 'filter'])

function itemName(name: string, value: Feel & { readonly kind: 'item' }): FeelName {
  const shapeOf = (members: readonly string[]) => shapeAt(value.shape, [...value.members, ...members])
  return {
    name,
    target: { kind: 'bound', value },
    shapeOf,
    typeOf: (members) => typeOfShape(shapeOf(members)),
    items: undefined,
  }
}

/** The test of a quantifier. Throws `FeelFault` if it may not be boolean, which yields null in FEEL. */
export function requireCondition(test: Feel, scope: FeelScope): void {
  if (typeOfShape(shapeOfFeel(test, scope.shapeOf)) !== 'boolean')
    throw new FeelFault('whether this test is a condition is not known at import')
}

/** The key by which a function of two items orders them. Throws `FeelFault` for any other function. */
export function sortedBy(list: Feel, order: Feel, [first, second]: readonly [symbol, symbol]): Feel {
  const { left, right } = order.kind === 'comparison' ? order : { left: order, right: order }
  if (
    order.kind !== 'comparison' ||
    (order.operator !== '<' && order.operator !== '>') ||
    left.kind !== 'item' ||
    right.kind !== 'item' ||
    new Set([left.parameter, right.parameter, first, second]).size !== 2 ||
    left.parameter === right.parameter ||
    left.members.join('.') !== right.members.join('.')
  )
    throw new FeelFault('an order that is not `<` or `>` of the same member of both items')
  const isDescending = (order.operator === '<') !== (left.parameter === first)
  return { kind: 'sorted', parameter: left.parameter, list, key: left, isDescending }
}

/** Maximum number of integers of one range. */
const MAX_NUMBERS = 1000

/** The list of integers from one to another, ascending or descending. Throws `FeelFault`. */
export function numbersOf(from: Feel, to: Feel): Feel {
  const [first, last] = [from, to].map((one) => (one.kind === 'number' ? Number(one.text) : Number.NaN))
  if (first === undefined || last === undefined || !Number.isSafeInteger(first) || !Number.isSafeInteger(last))
    throw new FeelFault('a range of an iteration must have whole numbers at both ends')
  const length = Math.abs(last - first) + 1
  if (length > MAX_NUMBERS)
    throw new FeelFault(`a range of an iteration may have at most ${quote(String(MAX_NUMBERS))} numbers`)
  const items = Array.from({ length }, (_, index): Feel => {
    return { kind: 'number', text: String(last >= first ? first + index : first - index) }
  })
  return { kind: 'list', items }
}
