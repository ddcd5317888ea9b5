import type { RulesetDocument } from '@engine/ruleset'
import { yamlLocator } from './positions.ts'
import { yamlToJson } from './yaml-text.ts'
import { yamlOf } from './write.ts'

/** YAML for packages without a YAML library. */
export const yamlForm = {
  /** The same value as JSON text, or why it cannot be converted. */
  toJson: yamlToJson,
  /** Positions of JSON pointers in a YAML text; for a missing member, its nearest existing ancestor. */
  positions(text: string) {
    const positionOf = yamlLocator(text)
    return (path: string) => positionOf({ path })
  },
  /** Members in order, quoted like formatters do. */
  write: (document: RulesetDocument) => yamlOf(document, { lineWidth: 0, singleQuote: true }),
}
