import { KEYWORDS } from '@engine/expression'

const PLAIN = /^[A-Za-z_]\w*$/

/** A fact as a field of ours. */
function factText(fact: string): string {
  return PLAIN.test(fact) && !KEYWORDS.has(fact) ? fact : `$${memberText(fact)}`
}

const memberText = (name: string) => (PLAIN.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`)

const SEGMENT = /\.([A-Za-z_$][\w$-]*)|\[(\d{1,9})\]|\['([^'\\]*)'\]|\["([^"\\]*)"\]/y

/** Parts of one path. */
const MAX_PARTS = 100

/**
 * A JSONPath relative to a fact, if it selects a single value: `$.a.b[0]['c']`. Undefined when it has wildcards,
 * slices, filters or descendants, whose results are lists.
 */
export function pathText(fact: string, path: string): string | undefined {
  let text = factText(fact)
  if (path === '') return text
  if (!path.startsWith('$')) return undefined
  let at = 1
  for (let parts = 0; at < path.length; parts++) {
    SEGMENT.lastIndex = at
    const found = SEGMENT.exec(path)
    if (found === null || parts === MAX_PARTS) return undefined
    const [whole, name, index, single, double] = found
    // The length of a list and inherited members of lists and texts are values in json-rules-engine.
    if (name === 'length') return undefined
    text += index === undefined ? memberText(name ?? single ?? double ?? '') : `[${index}]`
    at += whole.length
  }
  return text
}
