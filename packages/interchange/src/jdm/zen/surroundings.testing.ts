import type { Difference } from './functions.ts'
import { atom, INPUT, memberOf } from './text.ts'
import type { Surroundings } from './value.ts'

/** The differences that translating notes, each once. */
export type Notes = Set<Parameters<Surroundings['note']>[0] | Difference>

/** Names that stand for themselves: `$` is the value `c` of a column, and of the nodes only `a` has an output. */
export function surroundings(notes: Notes = new Set()): Surroundings {
  return {
    names: {
      root: (path) => (path.length === 0 ? undefined : path.reduce(memberOf, INPUT)),
      self: (path) => path.reduce(memberOf, atom('c')),
      node: (name, path) => (name === 'a' ? path.reduce(memberOf, atom('$a')) : undefined),
      parameter: (depth) => (depth === 0 ? 'item' : `item_${depth + 1}`),
    },
    note: (difference) => notes.add(difference),
    parameters: [],
  }
}
