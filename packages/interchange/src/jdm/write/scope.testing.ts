import type { ValueType } from '../zen/text.ts'
import type { Deviation, ZenScope } from './zen-scope.ts'
import { atom } from './zen-text.ts'

/** Variables by the first letter of their type. */
const TYPES: { readonly [name: string]: ValueType } = {
  b: 'boolean',
  n: 'number',
  t: 'text',
  l: 'list',
  o: 'object',
  s: 'scalar',
  z: 'null',
}

/** Fields that stand for themselves, of which `d.x` and `d.o` have defaults, and variables of each type. */
export function scopeWith(noted: Set<Deviation> = new Set()): ZenScope {
  return {
    field: (name) => atom(name),
    variable: (name) => atom(name.toUpperCase(), TYPES[name] ?? 'unknown'),
    byDefault: (path) => (path === 'd.x' ? 5 : path === 'd.o' ? { a: [1, 'b'] } : undefined),
    deviates: (deviation) => noted.add(deviation),
  }
}
