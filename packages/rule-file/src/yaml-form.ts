import { keysOfPointer } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { yamlLibrary } from './yaml-library.ts'
import { yamlToJson } from './yaml-text.ts'
import { yamlOf } from './write.ts'

/** YAML for packages that have no library for it. */
export const yamlForm = {
  /** The JSON text of the same value, or why there is none. */
  toJson: yamlToJson,
  /** Where in a YAML text the members stand that JSON pointers name; for one that is not there, the nearest around it. */
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
  /** Text with the members in their order, quoted as formatters do it. */
  write: (document: RulesetDocument) => yamlOf(document, { lineWidth: 0, singleQuote: true }),
}
