import type { ArrayLiteral, ObjectLiteral } from '../ast.ts'
import type { Emission } from './emission.ts'
import type { Value } from '../value.ts'
import { freeze } from '../constants.ts'
import { constantOf } from '../constant.ts'
import { createList, createObject } from '../creation.ts'

/** JavaScript for a constant value: literals for simple scalars, a name for everything else. */
export function emitConstant(value: Value, emission: Emission): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') {
    const negative = value < 0 || Object.is(value, -0)
    return negative ? `(-${String(-value)})` : String(value)
  }
  return emission.scope.constants.add(freeze(value))
}

/** JavaScript for `[…]`: a shared frozen constant when nothing in it is computed, else a new array each time. */
export function emitArray(node: ArrayLiteral, emission: Emission): string {
  const constant = constantOf(node)
  if (constant !== undefined) return emitConstant(constant, emission)
  const items = node.items.map((item) => emission.value(item))
  return `(${emitCreation(createList, node, node.items.length, emission)}, [${items.join(', ')}])`
}

/**
 * JavaScript for `{…}`. Keys are computed (`[k0]: …`), which defines an own property regardless of its name; a plain
 * `__proto__:` would set the prototype.
 */
export function emitObject(node: ObjectLiteral, emission: Emission): string {
  const constant = constantOf(node)
  if (constant !== undefined) return emitConstant(constant, emission)
  const { constants } = emission.scope
  const entries = node.entries.map(({ key, value }) => `[${constants.add(key)}]: ${emission.value(value)}`)
  return `(${emitCreation(createObject, node, node.entries.length, emission)}, { ${entries.join(', ')} })`
}

function emitCreation(
  create: typeof createList,
  node: ArrayLiteral | ObjectLiteral,
  size: number,
  emission: Emission,
): string {
  const { constants, runtime } = emission.scope
  return `${constants.add(create)}(${runtime}, ${constants.add(node)}, ${size})`
}
