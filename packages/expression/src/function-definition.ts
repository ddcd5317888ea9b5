import type { Call } from './ast.ts'
import type { Budget } from './budget.ts'
import type { Numbers, Runtime } from './runtime.ts'
import type { Type } from './types.ts'
import type { Value } from './value.ts'

/** A lambda argument at run time: called for each item with its index. */
export type Callback = (item: Value, index: number) => Value

/** An argument of an implementation: a value, a callback, or undefined for an absent optional argument. */
export type Argument = Value | Callback | undefined

export interface Parameter {
  readonly name: string
  /** The types a value may have; for a lambda, the type of its result. */
  readonly type: Type
  readonly optional?: true
  /** For a list: the types that its elements may have. */
  readonly elements?: Type
  /** Only on the last parameter: zero or more values. */
  readonly variadic?: true
  /** A lambda such as `x => …` is expected, not a value. */
  readonly lambda?: true
  /**
   * The reason why a literal is invalid here for every input (such as a malformed pattern); undefined if it is valid.
   * Charges the check.
   */
  readonly refuses?: (literal: string, budget: Budget) => string | undefined
  /**
   * The `refuses` of an earlier version, which accepted more. Stored rulesets are checked by this one, and in tolerated
   * calls the implementation gives such arguments their former meaning. Undefined if no more was accepted.
   */
  readonly refusedBefore?: (literal: string) => string | undefined
}

/**
 * A built-in function: the single source for the checker, both ways of execution and the editors. `functions/descriptions.ts`
 * describes it to people.
 */
export interface FunctionDefinition {
  readonly name: string
  readonly parameters: readonly Parameter[]
  readonly returns: Type
  /** Lower-case names in other languages, for suggestions. */
  readonly aliases?: readonly string[]
  /**
   * The function's own JSON form, as an alternative to `Call`: the path alone for `argument: 'path'`, else the list of
   * arguments.
   */
  readonly form?: string
  /** A path argument that is missing arrives as null and never raises the strict error. */
  readonly guarded?: true
  /** Takes one path argument, also as quoted text, and returns whether the path exists. */
  readonly argument?: 'path'
  /** Returns the first argument that is not null, else null; later arguments are not evaluated. */
  readonly lazy?: true
  /** Returns whether its one argument has this type; never fails. */
  readonly tests?: Type
  /**
   * Returns a list of elements of its first argument (`same`), one of them or null (`one`), or the list of its lambda's
   * results (`given`).
   */
  readonly elements?: 'same' | 'one' | 'given'
  /** Several arguments must be all numbers or all strings. */
  readonly alike?: true
  /** The value depends on the time of the execution: never folded. */
  readonly volatile?: true
  /**
   * Units of work (`Budget`) of one call independent of its arguments, charged by the interpreter and generated code.
   * The implementation charges work that depends on the size of the arguments.
   */
  readonly cost: number
  /** `cost` covers all work, regardless of the size of the arguments. */
  readonly bounded?: true
  /** Only rulesets with this value of `config.numbers` have the function. */
  readonly numbers?: Numbers
  /** `node` provides error messages with the position and paths of the arguments. Throws `EvaluationError`. */
  readonly implementation: (runtime: Runtime, node: Call, ...args: Argument[]) => Value
  /** The implementation for decimals, if it differs. */
  readonly decimal?: (runtime: Runtime, node: Call, ...args: Argument[]) => Value
  /** For decimals with a quotient as first argument: takes dividend and divisor, then the other arguments. */
  readonly ofQuotient?: (runtime: Runtime, node: Call, dividend: Value, divisor: Value, ...rest: Argument[]) => Value
}
