import { FUNCTIONS } from './functions/index.ts'
import { parseAs, type Parsed } from './grammar.ts'
import type { NumberReading } from './runtime.ts'

export type { Parsed }

/**
 * Parse the text of an expression (docs/semantics.md).
 *
 * @param locals lambda parameters in scope, for text inside a lambda of the JSON form
 */
export function parse(text: string, locals: readonly string[] = [], numbers: NumberReading = 'double'): Parsed {
  return parseAs('expression', text, { functions: FUNCTIONS, locals, numbers })
}

/** Parse a single path, as in `config.defaults`: a field or variable, `order.items[0].price`. */
export function parsePath(text: string, locals: readonly string[] = []): Parsed {
  return parseAs('path', text, { functions: FUNCTIONS, locals, numbers: 'double' })
}
