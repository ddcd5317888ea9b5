import type { Field, Type, Value } from '@engine/expression'

/** The fields that a contract declares, for the expressions that read its input. Paths have the index 0 for any item. */
export interface DeclaredFields {
  /** Canonical paths, for suggestions. */
  readonly names: ReadonlySet<string>
  /** What fields are where an input has none, by canonical path. */
  readonly defaults: ReadonlyMap<string, Value>
  /** The types by which expressions are checked; undefined: any. */
  typeAt(path: Field['path']): Type | undefined
  /** Whether a path is declared, leads into a declared field, or holds one. */
  declares(path: Field['path']): boolean
  /** What the field at a path may be; undefined: anything of its type, or of any. */
  valuesAt(path: Field['path']): DeclaredValues | undefined
}

export interface DeclaredValues {
  /** For messages: `one of "a", "b"`, `a number from 0`. */
  readonly words: string
  readonly minimum?: number
  readonly maximum?: number
  has(value: Value): boolean
}
