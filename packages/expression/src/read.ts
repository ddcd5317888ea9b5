import type { Expression } from './ast.ts'
import { check, type CheckOptions, tolerated } from './checker.ts'
import { parse } from './parser.ts'
import type { Problem } from './source.ts'

/** An expression ready for evaluation, or at least one problem. */
export type Read = { readonly expression: Expression } | { readonly problems: readonly Problem[] }

/** Parse and check the text of an expression, which makes it ready for evaluation. Throws as `check` does. */
export function read(text: string, options: CheckOptions = {}): Read {
  const parsed = parse(text, [], options.numbers)
  return parsed.kind === 'failed' ? { problems: parsed.problems } : readTree(parsed.expression, options)
}

/** The same for a parsed expression. */
export function readTree(expression: Expression, options: CheckOptions = {}): Read {
  const { tolerate } = options
  let isTolerated = false
  const told =
    tolerate &&
    ((problem: Problem) => {
      isTolerated = true
      tolerate(problem)
    })
  const problems = check(expression, told === undefined ? options : { ...options, tolerate: told })
  if (problems.length > 0) return { problems }
  return { expression: isTolerated ? tolerated(expression) : expression }
}
