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
    summary: 'The keys of an object: integer keys first, ascending, then the others in insertion order.',
    example: { expression: 'keys({"a": 1, "b": 2})', value: ['a', 'b'] },
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
    summary: 'The values of an object, in the order of its keys.',
    example: { expression: 'values({"a": 1, "b": 2})', value: [1, 2] },
    cost: 6,
    implementation: (runtime, node, value) => valuesOf(runtime, node, objectOf(node, 0, value)),
  },
  {
    name: 'has_key',
    parameters: [parameter('object', object), parameter('key', string)],
    returns: boolean,
    summary: 'Whether an object has a key, even with the value null; false when an argument is null.',
    example: { expression: 'has_key({"a": null}, "a")', value: true },
    cost: 6,
    implementation: (_runtime, node, value, key) =>
      value !== null && key !== null && Object.hasOwn(objectOf(node, 0, value), text(node, 1, key)),
  },
  {
    name: 'object_get',
    parameters: [parameter('object', object), parameter('key', string), optional('default', any)],
    returns: any,
    summary: 'The value under a key, including null; else the default, else null.',
    example: { expression: 'object_get({"a": 1}, "b", 0)', value: 0 },
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
    summary: 'The objects merged into one; for a repeated key the last value wins.',
    example: { expression: 'merge({"a": 1, "b": 1}, {"b": 2})', value: { a: 1, b: 2 } },
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
    summary:
      'The nodes reachable from the sources, including the sources, in breadth-first order; the graph lists the neighbours of each node.',
    example: { expression: 'graph_reachable({"a": ["b"], "b": ["c"], "d": []}, ["a"])', value: ['a', 'b', 'c'] },
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
