import { TYPE } from '../types.ts'
import type { Call } from '../ast.ts'
import { failures } from '../failures.ts'
import { LIMITS } from '../runtime.ts'
import { createList, createObject } from '../creation.ts'
import { defined } from '../defined.ts'
import { keysOf, setMember } from '../members.ts'
import { valuesOf } from '../path.ts'
import type { Value } from '../value.ts'
import { list, object as objectOf, optional, parameter, text, texts, value as valueOf, variadic } from './arguments.ts'
import type { Argument, FunctionDefinition } from '../function-definition.ts'

const { any, array, boolean, object, string } = TYPE

function requireMembers(node: Call, members: number): void {
  if (members > LIMITS.members) throw failures.valueTooLarge(node.span, 'object')
}

/** Objects. Key order is kept; only own keys count, regardless of their name. */
export const OBJECT: readonly FunctionDefinition[] = [
  {
    name: 'keys',
    parameters: [parameter('object', object)],
    returns: array,
    cost: 6,
    implementation: (runtime, node, value) => {
      const found = keysOf(objectOf(node, 0, value), runtime.budget)
      createList(runtime, node, found.length)
      return found
    },
  },
  {
    name: 'values',
    parameters: [parameter('object', object)],
    returns: array,
    cost: 6,
    implementation: (runtime, node, value) => valuesOf(runtime, node, objectOf(node, 0, value)),
  },
  {
    name: 'has_key',
    parameters: [parameter('object', object), parameter('key', string)],
    returns: boolean,
    cost: 6,
    implementation: (_runtime, node, value, key) =>
      value !== null && key !== null && Object.hasOwn(objectOf(node, 0, value), text(node, 1, key)),
  },
  {
    name: 'object_get',
    parameters: [parameter('object', object), parameter('key', string), optional('default', any)],
    returns: any,
    cost: 6,
    implementation: (_runtime, node, value, key, instead) => {
      const owner = objectOf(node, 0, value)
      const name = text(node, 1, key)
      return Object.hasOwn(owner, name) ? defined(owner[name]) : valueOf(instead)
    },
  },
  {
    name: 'merge',
    parameters: [parameter('first', object), variadic('more', object)],
    returns: object,
    cost: 6,
    implementation: (runtime, node, ...objects) => {
      const given = objects.map((value, index) => objectOf(node, index, value))
      const merged: { [key: string]: Value } = {}
      let members = 0
      for (const each of given) {
        const keys = keysOf(each, runtime.budget)
        createObject(runtime, node, keys.length)
        for (const key of keys) {
          runtime.budget.spend(8)
          if (!Object.hasOwn(merged, key)) requireMembers(node, ++members)
          setMember(merged, key, defined(each[key]))
        }
      }
      return merged
    },
  },
  {
    name: 'graph_reachable',
    parameters: [parameter('graph', object), parameter('sources', array)],
    returns: array,
    cost: 6,
    implementation: (runtime, node, value, sources) => {
      const graph = objectOf(node, 0, value)
      const found = new Set<string>()
      const add = (index: number, nodes: Argument) => {
        for (const each of texts(runtime, node, index, list(node, index, nodes))) {
          runtime.budget.spend(8 + (each.length >> 3))
          if (found.has(each)) continue
          runtime.budget.create(64)
          found.add(each)
        }
      }
      add(1, sources)
      // Iterating a set also visits members added during the iteration.
      for (const each of found) if (Object.hasOwn(graph, each)) add(0, graph[each])
      createList(runtime, node, found.size)
      return [...found]
    },
  },
]
