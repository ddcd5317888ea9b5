import type { Call } from '../ast.ts'
import type { Budget } from '../budget.ts'
import type { Runtime } from '../runtime.ts'
import type { Type } from '../types.ts'
import type { Value } from '../value.ts'

/** A lambda argument at run time: called for each item with its index. */
export type Callback = (item: Value, index: number) => Value

/** What an implementation is given: a value, a callback, or undefined for an optional argument that is not there. */
export type Argument = Value | Callback | undefined

export interface Parameter {
  readonly name: string
  /** The types a value may have; for a lambda, the type of its result. */
  readonly type: Type
  readonly optional?: true
  /** Of a list: the types that its elements may have. */
  readonly elements?: Type
  /** Only on the last parameter: none or more values. */
  readonly variadic?: true
  /** A lambda such as `x => …` is expected, not a value. */
  readonly lambda?: true
  /** Why a literal cannot work here, whatever the input (a pattern that is none); undefined: it can. Charges the search. */
  readonly refuses?: (literal: string, budget: Budget) => string | undefined
}

/** A built-in function: everything the checker, both ways to run, the documentation and the editors know of it. */
export interface FunctionDefinition {
  readonly name: string
  readonly parameters: readonly Parameter[]
  readonly returns: Type
  /** One sentence for the reference page. */
  readonly summary: string
  /** An example whose value is tested; `input` is the input that it reads. */
  readonly example: { readonly expression: string; readonly input?: Value; readonly value: Value }
  /** What other languages call it, in lower case: for suggestions. */
  readonly aliases?: readonly string[]
  /** The JSON form of its own, beside `Call`: the path alone for `argument: 'path'`, else the list of arguments. */
  readonly form?: string
  /** A path argument that is missing arrives as null and never raises the strict error. */
  readonly guarded?: true
  /** Its one argument is a path, also as quoted text, and its value whether the path leads to something. */
  readonly argument?: 'path'
  /** Its value is the first argument that is not null, else null; arguments behind that one are not evaluated. */
  readonly lazy?: true
  /** Its value is whether its one argument is of this type; it never fails. */
  readonly tests?: Type
  /**
   * Its value is a list of elements of its first argument (`same`), one of them or null (`one`), or the list of what its lambda
   * gives for them (`given`).
   */
  readonly elements?: 'same' | 'one' | 'given'
  /** Several arguments are all numbers or all strings. */
  readonly alike?: true
  /** Its value depends on the time of the execution: never folded. */
  readonly volatile?: true
  /**
   * Units of work (`Budget`) of one call whatever its arguments; the interpreter and generated code charge them. The
   * implementation charges the work that depends on the size of the arguments.
   */
  readonly cost: number
  /** `cost` is all of it, whatever the size of the arguments. */
  readonly bounded?: true
  /** `node` gives error messages their place and the paths of the arguments. Throws `EvaluationError`. */
  readonly implementation: (runtime: Runtime, node: Call, ...args: Argument[]) => Value
}
