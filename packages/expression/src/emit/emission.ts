import type { Constants } from '../constants.ts'
import type { Expression } from '../ast.ts'
import type { EvaluationPolicy } from '../runtime.ts'

/** What generated code finds around it: the identifiers it may read and where its constants and temporaries go. */
export interface EmitScope {
  readonly constants: Constants
  /** The JavaScript identifier that holds the input. */
  readonly input: string
  /** The input is a plain object (not null, not an array): reads of its fields need no guard. Default false. */
  readonly inputIsObject?: boolean
  /** The JavaScript identifier that holds the `Runtime`. */
  readonly runtime: string
  readonly policy: EvaluationPolicy
  /** JavaScript that reads a variable and gives undefined when it is unset; read once a reference. */
  variable(name: string): string
  /** A fresh identifier that the caller declares with `let` around the emitted code. */
  temporary(): string
}

/**
 * Code generation under way. All texts are single operands in JavaScript: an identifier, a number, a call, or
 * parenthesised, so that they can be put anywhere without thought about precedence.
 */
export interface Emission {
  readonly scope: EmitScope
  /** JavaScript identifiers of the lambda parameters in scope. */
  readonly locals: ReadonlyMap<string, string>
  /** Gives the value, never undefined. */
  value(expression: Expression): string
  /** Gives the value, or undefined in the place of null: for uses that do not tell the two apart. */
  nullish(expression: Expression): string
  /** Gives true or false: the truth of the value. */
  truth(expression: Expression): string
  /** A temporary for the time of `use`: nothing emitted within `use` gets the same one. */
  withTemporary(use: (name: string) => string): string
}
