import { jsonPositions, type Piecewise, type Value } from '@engine/expression/core'
import { type DecodedRuleset, type DecodeOptions, documentDecoding } from './decode/document.ts'

export type { DecodedRuleset, DecodeOptions } from './decode/document.ts'

/**
 * Decodes the JSON of a ruleset (specification 2.1 and 2.2): applies every default, parses and checks every expression,
 * resolves every target. Unknown fields cause warnings and are otherwise ignored. `_signature` is not checked here.
 */
export function decodeRuleset(document: Value, options: DecodeOptions = {}): DecodedRuleset {
  return finished(rulesetDecoding(document, options))
}

/** `decodeRuleset` in pieces, for large documents. */
export function rulesetDecoding(document: Value, options: DecodeOptions = {}): Piecewise<DecodedRuleset> {
  const { text } = options
  return documentDecoding(document, options, text === undefined ? undefined : (paths) => jsonPositions(text, paths))
}

/** `decodeRuleset` without positions. Bundles omit the code for them. */
export function decodeWithoutText(document: Value): DecodedRuleset {
  return finished(documentDecoding(document, {}, undefined))
}

function finished(work: Piecewise<DecodedRuleset>): DecodedRuleset {
  for (;;) {
    const decoded = work.advance(Infinity)
    if (decoded !== undefined) return decoded
  }
}
