import { TYPE } from '../types.ts'
import { charge, type Value } from '../value.ts'
import { object as objectOf, optional, parameter, text, variadic } from './arguments.ts'
import type { FunctionDefinition } from './definition.ts'

const { any, array, boolean, object, string } = TYPE

/** Objects. Their keys keep their order; only own keys count, whatever their name. */
export const OBJECT: readonly FunctionDefinition[] = [
  {
    name: 'keys',
    parameters: [parameter('object', object)],
    returns: array,
    summary: 'The keys of an object, in order.',
    example: { expression: 'keys({"a": 1, "b": 2})', value: ['a', 'b'] },
    implementation: (runtime, node, value) => {
      const found = Object.keys(objectOf(node, 0, value))
      charge(runtime, node, found.length)
      return found
    },
  },
  {
    name: 'values',
    parameters: [parameter('object', object)],
    returns: array,
    summary: 'The values of an object, in the order of its keys.',
    example: { expression: 'values({"a": 1, "b": 2})', value: [1, 2] },
    implementation: (runtime, node, value) => {
      const found = Object.values(objectOf(node, 0, value))
      charge(runtime, node, found.length)
      return found
    },
  },
  {
    name: 'has_key',
    parameters: [parameter('object', object), parameter('key', string)],
    returns: boolean,
    summary: 'Whether an object has a key, its value may be null; false when an argument is null.',
    example: { expression: 'has_key({"a": null}, "a")', value: true },
    implementation: (_runtime, node, value, key) =>
      value !== null && key !== null && Object.hasOwn(objectOf(node, 0, value), text(node, 1, key)),
  },
  {
    name: 'object_get',
    parameters: [parameter('object', object), parameter('key', string), optional('default', any)],
    returns: any,
    summary: 'The value under a key, a null that is there included; else the default, else null.',
    example: { expression: 'object_get({"a": 1}, "b", 0)', value: 0 },
    implementation: (_runtime, node, value, key, instead) => {
      const owner = objectOf(node, 0, value)
      const name = text(node, 1, key)
      return Object.hasOwn(owner, name) ? (owner[name] as Value) : ((instead ?? null) as Value)
    },
  },
  {
    name: 'merge',
    parameters: [parameter('first', object), variadic('more', object)],
    returns: object,
    summary: 'One object of all keys; where a key occurs again the later value counts.',
    example: { expression: 'merge({"a": 1, "b": 1}, {"b": 2})', value: { a: 1, b: 2 } },
    implementation: (runtime, node, ...objects) => {
      const entries = objects.flatMap((value, index) => Object.entries(objectOf(node, index, value)))
      charge(runtime, node, entries.length)
      return Object.fromEntries(entries)
    },
  },
]
