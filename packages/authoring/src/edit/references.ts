import {
  type Expression,
  type Field,
  NO_SPAN,
  parsePath,
  print,
  printPath,
  rewrite,
  type Variable,
  walk,
} from '@engine/expression'
import { parseText } from '../expression-text.ts'

/** A read of the input or of a variable in an expression. */
export type Reading = Field | Variable

/** Replaces a read; returning the same object changes nothing. */
export type Replace = (reading: Reading) => Reading

export const fieldAt = (path: Field['path']): Field => ({ kind: 'field', path, span: NO_SPAN })
export const fieldNamed = (name: string): Field => fieldAt([{ kind: 'name', name }])
export const variableNamed = (name: string): Variable => ({ kind: 'variable', name, path: [], span: NO_SPAN })

export function isReading(node: Expression): node is Reading {
  return node.kind === 'field' || node.kind === 'variable'
}

/** The read in a text such as `order.total` or `$rate`; undefined when it is not a single read. */
export function readingOf(text: string): Reading | undefined {
  const parsed = parsePath(text)
  return parsed.kind === 'parsed' && isReading(parsed.expression) ? parsed.expression : undefined
}

/** A path with its reads replaced; an invalid path is kept. */
export function replacedInPath(text: string, replace: Replace): string {
  const reading = readingOf(text)
  if (reading === undefined) return text
  const replaced = replace(reading)
  return replaced === reading ? text : printPath(replaced)
}

/**
 * The text of an expression with its reads replaced and everything else as written; in canonical form when a lambda
 * parameter could shadow a new name. An invalid expression is kept. Linear in its length.
 */
export function replacedInText(text: string, replace: Replace): string {
  const parsed = parseText(text)
  if (parsed.kind === 'failed') return text
  const found: { readonly span: Reading['span']; readonly written: string }[] = []
  let hasLocals = false
  walk(parsed.expression, (node) => {
    if (node.kind === 'local' || node.kind === 'lambda') hasLocals = true
    if (!isReading(node)) return
    const replaced = replace(node)
    if (replaced !== node) found.push({ span: node.span, written: printPath(replaced) })
  })
  if (found.length === 0) return text
  if (hasLocals) return print(rewrite(parsed.expression, (node) => (isReading(node) ? replace(node) : node)))
  const parts: string[] = []
  let end = 0
  for (const { span, written } of found.toSorted((left, right) => left.span.start - right.span.start)) {
    parts.push(text.slice(end, span.start), written)
    end = span.end
  }
  return parts.join('') + text.slice(end)
}
