import { parse, type Parsed } from '@engine/expression'

/**
 * Parses a text of a draft so that its numbers keep all their digits when printed: the draft may compute with doubles
 * or with decimals.
 */
export function parseText(text: string): Parsed {
  return parse(text, [], 'exact')
}
