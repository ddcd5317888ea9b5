import type { Text } from './text.ts'

/** A path after a name: member names and indexes. */
export type Path = readonly (string | number)[]

/** The meaning of names in an expression. Undefined: no equivalent. */
export interface Names {
  /** `a.b`, and `$root.a.b`. The empty path is the whole input. */
  readonly root: (path: Path) => Text | undefined
  /** `$.a.b`: the value of a table's column, or the values computed so far by the same node. */
  readonly self: (path: Path) => Text | undefined
  /** `$nodes.name.a.b`: the output of another node. */
  readonly node: (name: string, path: Path) => Text | undefined
  /** A parameter name that is not a field read here. */
  readonly parameter: (depth: number) => string
}
