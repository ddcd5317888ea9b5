import { quote } from '../quote.ts'
import type { Call } from '../ast.ts'
import { pathReader } from './path-text.ts'
import { TYPE } from '../types.ts'
import { createList, createObject } from '../creation.ts'
import { defined } from '../defined.ts'
import { equal } from '../equality.ts'
import { type Ordered, orderOf } from '../operators.ts'
import type { Runtime } from '../runtime.ts'
import { isTrue } from '../truth.ts'
import { isList, isNumber, type Value } from '../value.ts'
import {
  callback,
  double,
  lambda,
  list,
  optional,
  parameter,
  text,
  value as valueOf,
  variadic,
  whole,
  wrongItem,
} from './arguments.ts'
import type { Argument, FunctionDefinition } from '../function-definition.ts'
import { failures } from './failures.ts'
import { Identities } from './identities.ts'
import { mapped } from './list-items.ts'
import { printed } from './value-text.ts'

const { any, array, boolean, number, object, string } = TYPE
const items = parameter('list', array)
const nullable = any

function withinSafe(value: number): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value))
}

/** Order for `sort`: numbers before strings would be arbitrary, so a mixed list is an error. Charges the comparison. */
function order({ budget }: Runtime): (left: Ordered, right: Ordered) => number {
  return (left, right) => {
    const areTexts = typeof left === 'string' && typeof right === 'string'
    budget.spend(areTexts ? 4 + (Math.min(left.length, right.length) >> 2) : 4)
    return orderOf(left, right) || 0
  }
}

/** The keys by which a list is sorted, all numbers or all texts; an error otherwise. */
function sortKeys({ budget }: Runtime, node: Call, index: number, keys: readonly Value[]): readonly Ordered[] {
  budget.spend(keys.length)
  const areTexts = typeof keys[0] === 'string'
  const isAccepted = (key: Value): key is Ordered => (areTexts ? typeof key === 'string' : isNumber(key))
  if (keys.every(isAccepted)) return keys
  throw wrongItem(node, index, keys, 'only numbers or only strings', isAccepted)
}

const DISTINCT: FunctionDefinition['implementation'] = (runtime, node, value) => {
  const found = list(node, 0, value)
  createList(runtime, node, found.length)
  const known = new Identities(runtime, node)
  return found.filter((item) => known.add(item))
}

/** A test over all elements: `any`, `all`, `none`. */
function quantifier(name: string, ends: { when: boolean; with: boolean }): FunctionDefinition {
  return {
    name,
    parameters: [items, lambda('test', any)],
    returns: boolean,
    cost: 4,
    implementation: ({ budget }, node, value, test) => {
      const apply = callback(test)
      const isFound = list(node, 0, value).some((item, index) => isTrue(apply(item, index), budget) === ends.when)
      return isFound ? ends.with : !ends.with
    },
  }
}

/** The value at a textual path such as `a.b` in a list element: null when it is missing. Charges the read. */
function at(runtime: Runtime, node: Call, index: number, path: Argument): (item: Value) => Value {
  const { budget } = runtime
  const subject = text(node, index, path)
  const reader = pathReader(budget, subject)
  if (reader === undefined) throw failures.badArgument(node, index, `${quote(subject)} is not a path such as \`a.b\``)
  return (item) => {
    budget.spend(reader.cost)
    return reader.read(item)
  }
}

/**
 * Allocates a list for its caller to fill: `Array.from` and `flat` take seven times as long and never read the clock.
 */
// oxlint-disable-next-line unicorn/no-new-array
const unfilled = (length: number): Value[] => new Array<Value>(length)

/** Flattens a list of lists by one level. */
function flattened(outer: readonly Value[], size: number): Value[] {
  const all = unfilled(size)
  let next = 0
  for (const item of outer) {
    if (!isList(item)) all[next++] = item
    else for (const inner of item) all[next++] = inner
  }
  return all
}

export const LIST: readonly FunctionDefinition[] = [
  {
    name: 'count',
    parameters: [items, { ...lambda('test', any), optional: true }],
    returns: number,
    cost: 4,
    implementation: (runtime, node, value, test) => {
      if (test === undefined) return list(node, 0, value).length
      return mapped(runtime, node, value, test).reduce<number>(
        (sum, truth) => sum + (isTrue(truth, runtime.budget) ? 1 : 0),
        0,
      )
    },
  },
  {
    ...quantifier('any', { when: true, with: true }),
    aliases: ['some'],
  },
  {
    ...quantifier('all', { when: false, with: false }),
    aliases: ['every'],
  },
  quantifier('none', { when: true, with: false }),
  {
    name: 'filter',
    aliases: ['where'],
    parameters: [items, lambda('test', any)],
    elements: 'same',
    returns: array,
    cost: 4,
    implementation: (runtime, node, value, test) => {
      const found = list(node, 0, value)
      const apply = callback(test)
      createList(runtime, node, found.length)
      return found.filter((item, index) => isTrue(apply(item, index), runtime.budget))
    },
  },
  {
    name: 'map',
    aliases: ['select'],
    parameters: [items, lambda('f', any)],
    elements: 'given',
    returns: array,
    cost: 4,
    implementation: (runtime, node, value, f) => mapped(runtime, node, value, f),
  },
  {
    name: 'find',
    parameters: [items, lambda('test', any)],
    elements: 'one',
    returns: nullable,
    cost: 4,
    implementation: ({ budget }, node, value, test) => {
      const apply = callback(test)
      return list(node, 0, value).find((item, index) => isTrue(apply(item, index), budget)) ?? null
    },
  },
  {
    name: 'first',
    aliases: ['head'],
    parameters: [items],
    elements: 'one',
    returns: nullable,
    cost: 4,
    implementation: (_runtime, node, value) => list(node, 0, value)[0] ?? null,
  },
  {
    name: 'last',
    parameters: [items],
    elements: 'one',
    returns: nullable,
    cost: 4,
    implementation: (_runtime, node, value) => list(node, 0, value).at(-1) ?? null,
  },
  {
    name: 'distinct',
    parameters: [items],
    elements: 'same',
    returns: array,
    cost: 4,
    implementation: DISTINCT,
  },
  {
    name: 'unique',
    aliases: ['uniq'],
    parameters: [items],
    elements: 'same',
    returns: array,
    cost: 4,
    implementation: DISTINCT,
  },
  {
    name: 'sort',
    aliases: ['order_by', 'sorted'],
    parameters: [items, { ...lambda('key', any), optional: true }],
    elements: 'same',
    returns: array,
    cost: 4,
    implementation: (runtime, node, value, key) => {
      const found = list(node, 0, value)
      const keys = sortKeys(runtime, node, key === undefined ? 0 : 1, mapped(runtime, node, value, key))
      // The sort order, and the list built from it.
      createList(runtime, node, found.length)
      createList(runtime, node, found.length)
      const compare = order(runtime)
      const positions = found.map((_, index) => index).sort((a, b) => compare(defined(keys[a]), defined(keys[b])))
      return positions.map((index) => defined(found[index]))
    },
  },
  {
    name: 'reverse',
    parameters: [items],
    elements: 'same',
    returns: array,
    cost: 4,
    implementation: (runtime, node, value) => {
      const found = list(node, 0, value)
      createList(runtime, node, found.length)
      return found.toReversed()
    },
  },
  {
    name: 'slice',
    parameters: [items, parameter('start', number), optional('end', number)],
    elements: 'same',
    returns: array,
    cost: 4,
    implementation: (runtime, node, value, start, end) => {
      const found = list(node, 0, value)
      const [first, last] = [whole(node, 1, start), end === undefined ? undefined : whole(node, 2, end)]
      createList(runtime, node, found.length)
      return found.slice(first, last)
    },
  },
  {
    name: 'flatten',
    parameters: [items],
    returns: array,
    cost: 4,
    implementation: (runtime, node, value) => {
      const found = list(node, 0, value)
      runtime.budget.spend(found.length)
      const size = found.reduce<number>((sum, item) => sum + (isList(item) ? item.length : 1), 0)
      createList(runtime, node, size)
      return flattened(found, size)
    },
  },
  {
    name: 'array_concat',
    aliases: ['concat'],
    parameters: [items, variadic('more', array)],
    returns: array,
    cost: 4,
    implementation: (runtime, node, ...lists) => {
      const parts = lists.map((part, index) => list(node, index, part))
      const size = parts.reduce((sum, part) => sum + part.length, 0)
      createList(runtime, node, size)
      return flattened(parts, size)
    },
  },
  {
    name: 'range',
    parameters: [parameter('start', number), parameter('end', number), optional('step', number)],
    returns: array,
    cost: 4,
    implementation: (runtime, node, start, end, step) => {
      const by = step === undefined ? 1 : withinSafe(double(node, 2, step))
      if (by === 0 || !Number.isInteger(by))
        throw failures.badArgument(node, 2, 'the step must be a whole number other than 0')
      const [first, last] = [withinSafe(double(node, 0, start)), withinSafe(double(node, 1, end))]
      const from = by > 0 ? Math.ceil(first) : Math.floor(first)
      const length = Math.max(0, Math.ceil((last - from) / by))
      createList(runtime, node, length)
      const numbers = unfilled(length)
      for (let index = 0; index < length; index++) numbers[index] = from + index * by
      return numbers
    },
  },
  {
    name: 'map_extract',
    parameters: [items, parameter('path', string)],
    returns: array,
    cost: 4,
    implementation: (runtime, node, value, path) => {
      const found = list(node, 0, value)
      createList(runtime, node, found.length)
      return found.map(at(runtime, node, 1, path))
    },
  },
  {
    name: 'filter_by',
    parameters: [items, parameter('path', string), parameter('value', any)],
    elements: 'same',
    returns: array,
    cost: 4,
    implementation: (runtime, node, value, path, wanted) => {
      const found = list(node, 0, value)
      const read = at(runtime, node, 1, path)
      createList(runtime, node, found.length)
      return found.filter((item) => equal(runtime.budget, read(item), valueOf(wanted), node))
    },
  },
  {
    name: 'group_by',
    parameters: [items, parameter('path', string)],
    returns: object,
    cost: 4,
    implementation: (runtime, node, value, path) => {
      const found = list(node, 0, value)
      const read = at(runtime, node, 1, path)
      createList(runtime, node, found.length)
      const groups = new Map<string, Value[]>()
      for (const item of found) {
        const key = printed(runtime, node, read(item))
        runtime.budget.spend(8 + (key.length >> 3))
        const group = groups.get(key)
        if (group !== undefined) group.push(item)
        else {
          createObject(runtime, node, groups.size + 1)
          groups.set(key, [item])
        }
      }
      return Object.fromEntries(groups)
    },
  },
]
