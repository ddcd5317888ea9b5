import type { Expression } from './ast.ts'
import { check, type CheckOptions } from './checker.ts'
import { parse } from './parser.ts'
import type { Problem } from './source.ts'

/** An expression ready for evaluation, or at least one problem. */
export type Read = { readonly expression: Expression } | { readonly problems: readonly Problem[] }

/** Parse and check the text of an expression, which makes it ready for evaluation. Throws as `check` does. */
export function read(text: string, options: CheckOptions = {}): Read {
  const parsed = parse(text)
  if (parsed.kind === 'failed') return { problems: parsed.problems }
  const { expression } = parsed
  const problems = check(expression, options)
  return problems.length > 0 ? { problems } : { expression }
}
