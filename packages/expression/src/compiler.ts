import type { Expression } from './ast.ts'
import type { Budget } from './budget.ts'
import { Constants } from './constants.ts'
import { emitValue } from './emit/emit.ts'
import { fold } from './fold.ts'
import type { EvaluationPolicy, Runtime } from './runtime.ts'
import type { Value } from './value.ts'

/** Makes a function of parameter names and the text of its body, as `new Function` and `vm.compileFunction` do. */
export type MakeFunction = (parameters: readonly string[], body: string) => Function

/** The platform's own. The content security policy of a page may forbid it: then `interpret`. */
// oxlint-disable-next-line typescript/no-implied-eval -- the text is generated and holds nothing of a user (docs/decisions/0001)
export const makeFunction: MakeFunction = (parameters, body) => new Function(...parameters, body)

/** An expression made ready to run. Throws `EvaluationError`; never gives undefined. */
export type CompiledExpression = (
  input: Value,
  variables: { get(name: string): Value | undefined },
  runtime: Runtime,
) => Value

/** How to compile. */
export interface CompileOptions {
  readonly policy: EvaluationPolicy
  /** Default: the platform's own. */
  readonly makeFunction?: MakeFunction
  /** What computing constant parts ahead of time may take; default: as for any one expression. */
  readonly folding?: Budget
}

/**
 * Compile one expression to JavaScript. Agrees with `interpret` on every input: value, or code, message and place of
 * the error.
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
    temporary: () => `t${temporaries.push('') - 1}`,
  })
  const declarations = temporaries.length === 0 ? '' : `let ${temporaries.map((_, index) => `t${index}`).join(', ')}\n`
  const text = `${constants.declarations('constants')}return (input, variables, runtime) => {\n${declarations}return ${body}\n}`
  return (options.makeFunction ?? makeFunction)(['constants'], text)(constants.values) as CompiledExpression
}
