import { defined } from '../defined.ts'
import type { Numbers } from '../runtime.ts'
import { isList, isObject, type ObjectValue, type Value } from '../value.ts'

/** The kind of numbers of a ruleset or draft: its `config.numbers`. */
export function numbersOf(document: Value): Numbers {
  const config = isObject(document) && Object.hasOwn(document, 'config') ? document['config'] : undefined
  if (config === undefined || !isObject(config) || !Object.hasOwn(config, 'numbers')) return 'double'
  return config['numbers'] === 'decimal' ? 'decimal' : 'double'
}

/** Whether a value is, or contains, a decimal document. Linear. */
export function hasDecimalDocument(value: Value): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (isList(value)) return value.some(hasDecimalDocument)
  return numbersOf(value) === 'decimal' || Object.values(value).some(hasDecimalDocument)
}

/**
 * `doubles` with its decimal documents replaced by those of `decimals`, the same text parsed with all digits. Linear.
 */
export function withDecimalDocuments(doubles: Value, decimals: Value): Value {
  if (typeof doubles !== 'object' || doubles === null) return doubles
  if (Array.isArray(doubles)) {
    const items = doubles as Value[]
    for (const [index, item] of items.entries())
      items[index] = withDecimalDocuments(item, defined((decimals as readonly Value[])[index]))
    return doubles
  }
  if (numbersOf(doubles) === 'decimal') return decimals
  const members = doubles as { [key: string]: Value }
  for (const key of Object.keys(members)) {
    const member = defined(members[key])
    // Scalars stay unchanged.
    if (typeof member !== 'object' || member === null) continue
    const replaced = withDecimalDocuments(member, defined((decimals as ObjectValue)[key]))
    if (replaced !== member)
      Object.defineProperty(members, key, { value: replaced, writable: true, enumerable: true, configurable: true })
  }
  return doubles
}
