import { parse, type Parsed } from '@engine/expression'

/**
 * The expression of a text of a draft, whose numbers print with all their digits again: the draft may compute with doubles
 * or with decimals.
 */
export function parseText(text: string): Parsed {
  return parse(text, [], 'exact')
}
