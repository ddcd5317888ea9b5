import type { Call } from '../ast.ts'
import { pathReader } from './path-text.ts'
import { TYPE } from '../types.ts'
import { charge, equal, isNumber, isTrue, typeName, type Value } from '../value.ts'
import { callback, lambda, list, optional, parameter, text, variadic, whole } from './arguments.ts'
import type { Argument, FunctionDefinition } from './definition.ts'
import { failures } from './failures.ts'
import { mapped, visited } from './mapped.ts'
import { printed } from './printed.ts'

const { any, array, boolean, number, object, string } = TYPE
const items = parameter('list', array)
const nullable = any

/** Order for `sort`: numbers before strings would be arbitrary, so a list of both is an error. */
function compare(left: Value, right: Value): number {
  return (left as number) < (right as number) ? -1 : (left as number) > (right as number) ? 1 : 0
}

function sortable(node: Call, index: number, keys: readonly Value[]): void {
  const [first] = keys
  const wrong = keys.findIndex(
    (key) => !(isNumber(key) || typeof key === 'string') || (typeof key === 'string') !== (typeof first === 'string'),
  )
  if (wrong >= 0)
    throw failures.itemType(node, index, wrong, 'only numbers or only strings', typeName(keys[wrong] as Value))
}

/** The first of each group of equal elements. Scalars are found by a set, so that long lists stay fast. */
function distinct(node: Call, values: readonly Value[]): Value[] {
  const scalars = new Set<Value>()
  const others: Value[] = []
  return values.filter((value) => {
    const isScalar =
      typeof value !== 'object' &&
      typeof value !== 'bigint' &&
      !(typeof value === 'number' && !Number.isSafeInteger(value))
    if (isScalar || value === null) return scalars.has(value) ? false : scalars.add(value) !== undefined
    return others.some((other) => equal(other, value, node)) ? false : others.push(value) > 0
  })
}

const DISTINCT: FunctionDefinition['implementation'] = (runtime, node, value) => {
  const found = visited(runtime, node, value)
  const objects = found.filter((item) => typeof item === 'object').length
  // Objects are compared with each other: the work is their number squared, and is charged as such.
  charge(runtime, node, Math.min(objects * objects, 1024 * 1024))
  return distinct(node, found)
}

/** A test over all elements: `any`, `all`, `none`. */
function quantifier(
  name: string,
  summary: string,
  example: { expression: string; value: Value },
  ends: { when: boolean; with: boolean },
): FunctionDefinition {
  return {
    name,
    parameters: [items, lambda('test', any)],
    returns: boolean,
    summary,
    example,
    implementation: (runtime, node, value, test) => {
      const apply = callback(test)
      const found = visited(runtime, node, value).some((item, index) => isTrue(apply(item, index)) === ends.when)
      return found ? ends.with : !ends.with
    },
  }
}

/** The value at a path given as text, such as `a.b`, in an element of a list: null when it is missing. */
function at(node: Call, index: number, path: Argument): (item: Value) => Value {
  const reader = pathReader(text(node, index, path))
  if (reader === undefined)
    throw failures.badArgument(node, index, `\`${text(node, index, path)}\` is not a path such as \`a.b\``)
  return reader
}

export const LIST: readonly FunctionDefinition[] = [
  {
    name: 'count',
    parameters: [items, { ...lambda('test', any), optional: true }],
    returns: number,
    summary: 'The number of elements, or of those for which a test is true.',
    example: { expression: 'count([1, 5, 9], x => x > 3)', value: 2 },
    implementation: (runtime, node, value, test) => {
      if (test === undefined) return list(node, 0, value).length
      return mapped(runtime, node, value, test).reduce<number>((sum, truth) => sum + (isTrue(truth) ? 1 : 0), 0)
    },
  },
  quantifier(
    'any',
    'Whether a test is true for an element; false of an empty list.',
    { expression: 'any([1, 5], x => x > 3)', value: true },
    { when: true, with: true },
  ),
  quantifier(
    'all',
    'Whether a test is true for every element; true of an empty list.',
    { expression: 'all([1, 5], x => x > 3)', value: false },
    { when: false, with: false },
  ),
  quantifier(
    'none',
    'Whether a test is true for no element; true of an empty list.',
    { expression: 'none([1, 2], x => x > 3)', value: true },
    { when: true, with: false },
  ),
  {
    name: 'filter',
    parameters: [items, lambda('test', any)],
    returns: array,
    summary: 'The elements for which a test is true.',
    example: { expression: 'filter([1, 5, 9], x => x > 3)', value: [5, 9] },
    implementation: (runtime, node, value, test) => {
      const apply = callback(test)
      return visited(runtime, node, value).filter((item, index) => isTrue(apply(item, index)))
    },
  },
  {
    name: 'map',
    parameters: [items, lambda('f', any)],
    returns: array,
    summary: 'What a function gives for each element.',
    example: { expression: 'map([1, 2], (x, i) => x * 10 + i)', value: [10, 21] },
    implementation: (runtime, node, value, f) => mapped(runtime, node, value, f),
  },
  {
    name: 'find',
    parameters: [items, lambda('test', any)],
    returns: nullable,
    summary: 'The first element for which a test is true, else null.',
    example: { expression: 'find([1, 5, 9], x => x > 3)', value: 5 },
    implementation: (runtime, node, value, test) => {
      const apply = callback(test)
      return visited(runtime, node, value).find((item, index) => isTrue(apply(item, index))) ?? null
    },
  },
  {
    name: 'first',
    parameters: [items],
    returns: nullable,
    summary: 'The first element; null of an empty list.',
    example: { expression: 'first([3, 4])', value: 3 },
    implementation: (_runtime, node, value) => list(node, 0, value)[0] ?? null,
  },
  {
    name: 'last',
    parameters: [items],
    returns: nullable,
    summary: 'The last element; null of an empty list.',
    example: { expression: 'last([3, 4])', value: 4 },
    implementation: (_runtime, node, value) => list(node, 0, value).at(-1) ?? null,
  },
  {
    name: 'distinct',
    parameters: [items],
    returns: array,
    summary: 'Without elements that are equal to an earlier one.',
    example: { expression: 'distinct([1, 2, 1])', value: [1, 2] },
    implementation: DISTINCT,
  },
  {
    name: 'unique',
    parameters: [items],
    returns: array,
    summary: 'The same as `distinct`.',
    example: { expression: 'unique(["a", "a"])', value: ['a'] },
    implementation: DISTINCT,
  },
  {
    name: 'sort',
    parameters: [items, { ...lambda('key', any), optional: true }],
    returns: array,
    summary: 'In ascending order, of the elements or of what a function gives for each; equal ones keep their order.',
    example: { expression: 'sort([3, 1, 2])', value: [1, 2, 3] },
    implementation: (runtime, node, value, key) => {
      const found = visited(runtime, node, value)
      const keys = mapped(runtime, node, value, key)
      sortable(node, key === undefined ? 0 : 1, keys)
      const order = found.map((_, index) => index).sort((a, b) => compare(keys[a] as Value, keys[b] as Value))
      return order.map((index) => found[index] as Value)
    },
  },
  {
    name: 'reverse',
    parameters: [items],
    returns: array,
    summary: 'In opposite order.',
    example: { expression: 'reverse([1, 2, 3])', value: [3, 2, 1] },
    implementation: (runtime, node, value) => visited(runtime, node, value).toReversed(),
  },
  {
    name: 'slice',
    parameters: [items, parameter('start', number), optional('end', number)],
    returns: array,
    summary: 'The elements from `start` up to, not including, `end`; negative positions count from the end.',
    example: { expression: 'slice([1, 2, 3, 4], 1, 3)', value: [2, 3] },
    implementation: (runtime, node, value, start, end) =>
      visited(runtime, node, value).slice(whole(node, 1, start), end === undefined ? undefined : whole(node, 2, end)),
  },
  {
    name: 'flatten',
    parameters: [items],
    returns: array,
    summary: 'With the elements of inner lists in their place, one level deep.',
    example: { expression: 'flatten([[1, 2], 3, [[4]]])', value: [1, 2, 3, [4]] },
    implementation: (runtime, node, value) => {
      const found = list(node, 0, value)
      const size = found.reduce<number>((sum, item) => sum + (Array.isArray(item) ? item.length : 1), 0)
      charge(runtime, node, size)
      return found.flatMap((item) => item)
    },
  },
  {
    name: 'array_concat',
    parameters: [items, variadic('more', array)],
    returns: array,
    summary: 'Lists one behind the other.',
    example: { expression: 'array_concat([1], [2, 3])', value: [1, 2, 3] },
    implementation: (runtime, node, ...lists) => {
      const parts = lists.map((part, index) => list(node, index, part))
      charge(
        runtime,
        node,
        parts.reduce((sum, part) => sum + part.length, 0),
      )
      return parts.flat(1)
    },
  },
  {
    name: 'range',
    parameters: [parameter('start', number), parameter('end', number), optional('step', number)],
    returns: array,
    summary: 'Whole numbers from `start` up to, not including, `end`, by a step that may be negative.',
    example: { expression: 'range(0, 6, 2)', value: [0, 2, 4] },
    implementation: (runtime, node, start, end, step) => {
      const from = whole(node, 0, start)
      const by = step === undefined ? 1 : whole(node, 2, step)
      if (by === 0) throw failures.badArgument(node, 2, 'the step must not be 0')
      const length = Math.max(0, Math.ceil((whole(node, 1, end) - from) / by))
      charge(runtime, node, length)
      return Array.from({ length }, (_, index) => from + index * by)
    },
  },
  {
    name: 'map_extract',
    parameters: [items, parameter('path', string)],
    returns: array,
    summary: 'The values at a path in each element; null where it is missing.',
    example: { expression: 'map_extract([{"a": 1}, {}], "a")', value: [1, null] },
    implementation: (runtime, node, value, path) => visited(runtime, node, value).map(at(node, 1, path)),
  },
  {
    name: 'filter_by',
    parameters: [items, parameter('path', string), parameter('value', any)],
    returns: array,
    summary: 'The elements whose value at a path is equal to a value.',
    example: { expression: 'filter_by([{"a": 1}, {"a": 2}], "a", 2)', value: [{ a: 2 }] },
    implementation: (runtime, node, value, path, wanted) => {
      const read = at(node, 1, path)
      return visited(runtime, node, value).filter((item) => equal(read(item), wanted as Value, node))
    },
  },
  {
    name: 'group_by',
    parameters: [items, parameter('path', string)],
    returns: object,
    summary: 'An object of lists: the elements by the text of their value at a path.',
    example: {
      expression: 'group_by([{"k": "x"}, {"k": "y"}, {"k": "x"}], "k")',
      value: { x: [{ k: 'x' }, { k: 'x' }], y: [{ k: 'y' }] },
    },
    implementation: (runtime, node, value, path) => {
      const read = at(node, 1, path)
      const groups = new Map<string, Value[]>()
      for (const item of visited(runtime, node, value)) {
        const key = printed(runtime, node, read(item))
        const group = groups.get(key)
        if (group === undefined) groups.set(key, [item])
        else group.push(item)
      }
      return Object.fromEntries(groups)
    },
  },
]
