import {
  type Expression,
  type Field,
  NO_SPAN,
  parse,
  parsePath,
  print,
  printPath,
  rewrite,
  type Variable,
  walk,
} from '@engine/expression'

/** What an expression reads of the input or of the variables. */
export type Reading = Field | Variable

/** What stands in the place of a reading; the same object: nothing changes. */
export type Replace = (reading: Reading) => Reading

export const fieldAt = (path: Field['path']): Field => ({ kind: 'field', path, span: NO_SPAN })
export const fieldNamed = (name: string): Field => fieldAt([{ kind: 'name', name }])
export const variableNamed = (name: string): Variable => ({ kind: 'variable', name, path: [], span: NO_SPAN })

export function isReading(node: Expression): node is Reading {
  return node.kind === 'field' || node.kind === 'variable'
}

/** The reading that a text is, such as `order.total` or `$rate`; undefined: it is none. */
export function readingOf(text: string): Reading | undefined {
  const parsed = parsePath(text)
  return parsed.kind === 'parsed' && isReading(parsed.expression) ? parsed.expression : undefined
}

/** A path with its readings replaced; a text that is no path stays. */
export function replacedInPath(text: string, replace: Replace): string {
  const reading = readingOf(text)
  if (reading === undefined) return text
  const replaced = replace(reading)
  return replaced === reading ? text : printPath(replaced)
}

/**
 * The text of an expression as it is written, but for what is replaced; in the canonical print where a name of a lambda could
 * be meant by one. A text that is no expression stays. Costs its length.
 */
export function replacedInText(text: string, replace: Replace): string {
  const parsed = parse(text)
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
