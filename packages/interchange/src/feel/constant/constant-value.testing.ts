import { FeelFault } from '../ast.ts'
import { builtin, builtinNames } from './builtins.ts'
import { constantText } from './constant-text.ts'
import { Evaluator } from './evaluator.ts'
import { KnownNames, parseConstant } from './parser.ts'
import { NotConstant } from './value.ts'

/** The constant that an expression becomes in a ruleset. Throws `NotConstant` and `FeelFault`. */
export function constantOf(text: string): string {
  const evaluator = new Evaluator(() => undefined, builtin)
  return constantText(evaluator.evaluate(parseConstant(text, new KnownNames(builtinNames())), () => undefined))
}

/** The constant, or `refused` where the value is not certain. */
export function constantOrRefused(text: string): string {
  try {
    return constantOf(text)
  } catch (error) {
    if (error instanceof NotConstant || error instanceof FeelFault) return 'refused'
    throw error
  }
}
