import type { Text } from './text.ts'

/** A path behind a name: names of members, and indexes. */
export type Path = readonly (string | number)[]

/** What the names of an expression mean where it stands. Undefined: they have no counterpart there. */
export interface Names {
  /** `a.b`, and `$root.a.b`. The empty path is all of it. */
  readonly root: (path: Path) => Text | undefined
  /** `$.a.b`: the value of a table's column, or what the same node has computed so far. */
  readonly self: (path: Path) => Text | undefined
  /** `$nodes.name.a.b`: the output of another node. */
  readonly node: (name: string, path: Path) => Text | undefined
  /** A name that no field has which is read here, for the parameter of a function. */
  readonly parameter: (depth: number) => string
}
