import { type Awaitable, inTurns, isLarge } from '@engine/process'
import type { RulesetDocument } from '@engine/ruleset'
import { canonicalJson, canonicalWriting } from '@engine/signing'

/**
 * The canonical JSON of a document, serialized in pieces between other requests if it is large. Throws or rejects with
 * `UnsignableRuleset` if the document has no canonical form.
 */
export function canonicalText(document: RulesetDocument): Awaitable<string> {
  return isLarge(document) ? inTurns(canonicalWriting(document)) : canonicalJson(document)
}
