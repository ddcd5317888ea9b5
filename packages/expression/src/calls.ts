import type { Call } from './ast.ts'
import { failures } from './failures.ts'
import type { FunctionDefinition } from './function-definition.ts'
import { FUNCTIONS } from './functions/index.ts'
import type { EvaluationError, Numbers } from './runtime.ts'

/**
 * The function that a call refers to, or the error that prevents the call: the checker reports it earlier, and
 * evaluation in any case.
 */
export function resolveCall(node: Call, numbers: Numbers): FunctionDefinition | EvaluationError {
  const definition = functionOf(node.name, numbers)
  if (definition === undefined) return failures.unknownFunction(node.nameSpan, node.name)
  const { parameters } = definition
  const { least, most } = bounds(definition)
  if (node.args.length < least || node.args.length > most)
    return failures.wrongArity(node.span, node.name, arityText(definition))
  for (const [index, argument] of node.args.entries()) {
    const parameter = parameters[Math.min(index, parameters.length - 1)]
    if ((argument.kind === 'lambda') !== (parameter?.lambda === true))
      return failures.misplacedFunction(argument.span, node.name, parameter?.name ?? '', argument.kind === 'lambda')
  }
  return definition
}

/** The function with a name; undefined if rulesets with such numbers do not have it. */
export function functionOf(name: string, numbers: Numbers): FunctionDefinition | undefined {
  const definition = FUNCTIONS.get(name)
  return definition?.numbers === undefined || definition.numbers === numbers ? definition : undefined
}

/** The implementation of a function for such numbers. */
export function implementationOf(
  { implementation, decimal }: FunctionDefinition,
  numbers: Numbers,
): FunctionDefinition['implementation'] {
  return numbers === 'decimal' ? (decimal ?? implementation) : implementation
}

/** The minimum and maximum number of arguments of a function. */
export function bounds({ parameters }: FunctionDefinition): { least: number; most: number } {
  const least = parameters.filter(({ optional, variadic }) => optional !== true && variadic !== true).length
  return { least, most: parameters.at(-1)?.variadic === true ? Infinity : parameters.length }
}

/** For messages: `2 arguments (text, pattern)`, `1 to 2 arguments (list, f?)`. */
export function arityText(definition: FunctionDefinition): string {
  const { parameters } = definition
  const { least, most } = bounds(definition)
  const count = most === Infinity ? `at least ${least}` : least === most ? `${least}` : `${least} to ${most}`
  const names = parameters.map(
    ({ name, optional, variadic: more }) => `${name}${optional ? '?' : ''}${more ? '…' : ''}`,
  )
  const noun = count === '1' || count === 'at least 1' ? 'argument' : 'arguments'
  return parameters.length === 0 ? 'no arguments' : `${count} ${noun} (${names.join(', ')})`
}
