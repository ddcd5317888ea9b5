import { KEYWORDS } from '@engine/expression'

const PLAIN = /^[A-Za-z_]\w*$/

/** The text of a fact of ours. */
function factText(fact: string): string {
  return PLAIN.test(fact) && !KEYWORDS.has(fact) ? fact : `$${memberText(fact)}`
}

const memberText = (name: string) => (PLAIN.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`)

const SEGMENT = /\.([A-Za-z_$][\w$-]*)|\[(\d{1,9})\]|\['([^'\\]*)'\]|\["([^"\\]*)"\]/y

/** Parts of one path. */
const MAX_PARTS = 100

/**
 * What a JSONPath behind a fact reads, of paths that name one value: `$.a.b[0]['c']`. Undefined: it has wildcards, slices,
 * filters or descendants, whose results are lists there.
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
    // The length of a list and the members that a list or text has by itself are values there.
    if (name === 'length') return undefined
    text += index === undefined ? memberText(name ?? single ?? double ?? '') : `[${index}]`
    at += whole.length
  }
  return text
}
