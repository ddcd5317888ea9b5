import type { Field, Type, Value } from '@engine/expression'

/** The declared fields of a contract, for checking expressions. Paths use index 0 for any list item. */
export interface DeclaredFields {
  /** Canonical paths, for suggestions. */
  readonly names: ReadonlySet<string>
  /** Default values of fields, by canonical path. */
  readonly defaults: ReadonlyMap<string, Value>
  /** Static types for checking; undefined: any. */
  typeAt(path: Field['path']): Type | undefined
  /** Whether a path is declared, inside a declared field, or contains one. */
  declares(path: Field['path']): boolean
  /** The allowed values of the field at a path; undefined when unrestricted. */
  valuesAt(path: Field['path']): DeclaredValues | undefined
}

export interface DeclaredValues {
  /** For messages: `one of "a", "b"`, `a number from 0`. */
  readonly words: string
  readonly minimum?: number
  readonly maximum?: number
  has(value: Value): boolean
}
