import type { Expression } from './ast.ts'
import type { Budget } from './budget.ts'
import { Constants } from './constants.ts'
import { emitValue } from './emit/emit.ts'
import { fold } from './fold.ts'
import type { EvaluationPolicy, Runtime } from './runtime.ts'
import type { Value } from './value.ts'

/** Creates a function from parameter names and a body text, like `new Function` and `vm.compileFunction`. */
export type MakeFunction = (parameters: readonly string[], body: string) => Function

/** The platform's own `Function`. A page's content security policy may forbid it: use `interpret` then. */
// oxlint-disable-next-line typescript/no-implied-eval -- the text is generated and holds nothing of a user (docs/decisions/0001)
export const makeFunction: MakeFunction = (parameters, body) => new Function(...parameters, body)

/** A compiled expression. Throws `EvaluationError`; never gives undefined. */
export type CompiledExpression = (
  input: Value,
  variables: { get(name: string): Value | undefined },
  runtime: Runtime,
) => Value

/** Compilation options. */
export interface CompileOptions {
  readonly policy: EvaluationPolicy
  /** Default: the platform's `Function`. */
  readonly makeFunction?: MakeFunction
  /** Budget for computing constant parts ahead of time; default: that of a single expression. */
  readonly folding?: Budget
}

/**
 * Compile one expression to JavaScript. Agrees with `interpret` on every input: the same value, or an error with the
 * same code, message and position.
 */
export function compile(expression: Expression, options: CompileOptions): CompiledExpression {
  const constants = new Constants()
  const temporaries: string[] = []
  const body = emitValue(fold(expression, options.policy, options.folding), {
    constants,
    input: 'input',
    runtime: 'runtime',
    policy: options.policy,
    variable: (name) => `variables.get(${constants.add(name)})`,
    coefficient: () => undefined,
    temporary: () => `t${temporaries.push('') - 1}`,
  })
  const declarations = temporaries.length === 0 ? '' : `let ${temporaries.map((_, index) => `t${index}`).join(', ')}\n`
  const text = `${constants.declarations('constants')}return (input, variables, runtime) => {\n${declarations}return ${body}\n}`
  return (options.makeFunction ?? makeFunction)(['constants'], text)(constants.values) as CompiledExpression
}
