import { keysOfPointer } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { yamlLibrary } from './yaml-library.ts'
import { yamlToJson } from './yaml-text.ts'
import { yamlOf } from './write.ts'

/** YAML for packages without a YAML library. */
export const yamlForm = {
  /** The same value as JSON text, or why it cannot be converted. */
  toJson: yamlToJson,
  /** Positions of JSON pointers in a YAML text; for a missing member, its nearest existing ancestor. */
  positions(text: string) {
    const { isMap, isPair, isScalar, isSeq, LineCounter, parseDocument } = yamlLibrary()
    const lineCounter = new LineCounter()
    const { contents } = parseDocument(text, { version: '1.2', uniqueKeys: false, logLevel: 'error', lineCounter })
    const stepInto = (node: unknown, key: string): unknown => {
      if (isMap(node)) return node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key)
      return isSeq(node) ? node.items[Number(key)] : undefined
    }
    return (pointer: string) => {
      let node: unknown = contents
      let offset: number | undefined
      for (const key of keysOfPointer(pointer)) {
        const found = stepInto(node, key)
        const shown = isPair(found) ? found.key : found
        const [start] = (shown as { readonly range?: readonly number[] | null } | undefined)?.range ?? []
        if (start === undefined) break
        offset = start
        node = isPair(found) ? found.value : found
      }
      if (offset === undefined) return undefined
      const { line, col } = lineCounter.linePos(offset)
      return { line, column: col }
    }
  },
  /** Members in order, quoted like formatters do. */
  write: (document: RulesetDocument) => yamlOf(document, { lineWidth: 0, singleQuote: true }),
}
