import type { Constants } from '../constants.ts'
import type { Expression } from '../ast.ts'
import type { EvaluationPolicy } from '../runtime.ts'

/** The environment of generated code: the identifiers it may read, and where its constants and temporaries go. */
export interface EmitScope {
  readonly constants: Constants
  /** The JavaScript identifier that holds the input. */
  readonly input: string
  /** The input is a plain object (not null, not an array), so field reads need no guard. Default false. */
  readonly inputIsObject?: boolean
  /** The JavaScript identifier that holds the `Runtime`. */
  readonly runtime: string
  readonly policy: EvaluationPolicy
  /** JavaScript that reads a variable and yields undefined when it is unset; evaluated once per reference. */
  variable(name: string): string
  /**
   * The coefficient of a variable that may have one; `variable` can read such a variable too. If absent, decimals are
   * computed one operator at a time.
   */
  coefficient?(name: string): Coefficient | undefined
  /** A fresh identifier that the caller declares with `let` around the emitted code. */
  temporary(): string
}

/** A variable as a scaled integer (`scaled.ts`): a JavaScript identifier, NaN if the variable has another value. */
export interface Coefficient {
  readonly name: string
  readonly scale: number
}

/**
 * The state of code generation. Every text is a single JavaScript operand (an identifier, a number, a call, or
 * parenthesised), so it can be placed anywhere regardless of precedence.
 */
export interface Emission {
  readonly scope: EmitScope
  /** JavaScript identifiers of the lambda parameters in scope. */
  readonly locals: ReadonlyMap<string, string>
  /** Yields the value, never undefined. */
  value(expression: Expression): string
  /** Yields the value, or undefined instead of null: for uses that do not distinguish them. */
  nullish(expression: Expression): string
  /** Yields true or false: the truth of the value. */
  truth(expression: Expression): string
  /** A temporary during `use`: nothing emitted within `use` gets the same one. */
  withTemporary(use: (name: string) => string): string
}
