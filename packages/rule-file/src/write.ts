import { numbersOf, stringifyJson } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { encodeBinary, SIGNATURE_FIELD } from '@engine/signing'
import type { Document, ToStringOptions } from 'yaml'
import type { Ending } from './ending.ts'
import { ruleFileText } from './json-text.ts'
import { withDecimals } from './yaml-decimal.ts'
import { yamlLibrary } from './yaml-library.ts'

/**
 * The bytes of a rule file. Throws `MalformedSignature` or `BadBinary` when a document cannot be compiled.
 *
 * @param original the file that the document was read from, if only its `_signature` and its
 *   `config.numbers` may have changed since: a YAML file then keeps its comments and layout
 */
export function writeRuleFile(ending: Ending, document: RulesetDocument, original?: Uint8Array): Uint8Array {
  switch (ending) {
    case '.json':
      return Buffer.from(`${ruleFileText(stringifyJson(document))}\n`)
    case '.yaml':
    case '.yml':
      return Buffer.from(original === undefined ? yamlOf(document) : updated(document, original))
    case '.engine':
      return encodeBinary(document)
  }
}

/** Long lines are not folded: a folded condition is hard to read and harder to compare. */
const LAYOUT = { lineWidth: 0 } as const

/** A document as YAML 1.2. */
export function yamlOf(document: RulesetDocument, layout: ToStringOptions = LAYOUT): string {
  const { Document, isMap, isScalar } = yamlLibrary()
  const yaml = new Document(document, { version: '1.2', customTags: withDecimals })
  preserveScalars(yaml)
  // At the start of a file the character U+FEFF would be its byte order mark.
  const first = isMap(yaml.contents) ? yaml.contents.items[0]?.key : undefined
  if (isScalar(first) && String(first.value).startsWith('\uFEFF')) first.type = 'QUOTE_DOUBLE'
  return yaml.toString(layout)
}

/** A multi-line text that starts with a blank, or has a line of blanks. */
const HAS_BLANK_LINES = /^[ \t][^]*\n|\n[ \t]+(?:\n|$)/

/** Sets the style of values that the library would otherwise write as different ones. */
function preserveScalars(yaml: Document): void {
  yamlLibrary().visit(yaml, {
    Scalar: (_key, node) => {
      const { value } = node
      // A double without an exponent would be read as an exact integer.
      if (Number.isInteger(value) && !Number.isSafeInteger(value)) node.format = 'EXP'
      // A block scalar cannot preserve blanks before its first line.
      if (typeof value === 'string' && HAS_BLANK_LINES.test(value)) node.type = 'QUOTE_DOUBLE'
    },
  })
}

function updated(document: RulesetDocument, original: Uint8Array): string {
  const yaml = yamlLibrary().parseDocument(Buffer.from(original).toString('utf8'), {
    version: '1.2',
    intAsBigInt: true,
    uniqueKeys: false,
    customTags: withDecimals,
  })
  if (document[SIGNATURE_FIELD] === undefined) yaml.delete(SIGNATURE_FIELD)
  else yaml.set(SIGNATURE_FIELD, document[SIGNATURE_FIELD])
  if (numbersOf(document) === 'decimal') yaml.setIn(['config', 'numbers'], 'decimal')
  preserveScalars(yaml)
  return yaml.toString(LAYOUT)
}
