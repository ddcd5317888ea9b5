/**
 * Lays out compact JSON text over lines, two spaces a level. Works on the text and not on the value, so that every
 * number keeps its digits. The text must be valid JSON.
 */
export function indentJson(text: string): string {
  const parts: string[] = []
  let indent = ''
  let opened = false
  for (let at = 0; at < text.length;) {
    const token = text.slice(at, tokenEnd(text, at))
    at += token.length
    const closes = token === '}' || token === ']'
    if (closes) indent = indent.slice(2)
    // An opening bracket breaks the line after it, a closing one before it, but not between the two of `{}`.
    if (opened !== closes) parts.push('\n', indent)
    opened = token === '{' || token === '['
    if (opened) indent += '  '
    parts.push(token === ':' ? ': ' : token)
    if (token === ',') parts.push('\n', indent)
  }
  return parts.join('')
}

const STRUCTURE: ReadonlySet<string | undefined> = new Set(['{', '}', '[', ']', ',', ':', '"'])

/** Offset after the string, the structural character, or the number or word that starts at `start`. */
function tokenEnd(text: string, start: number): number {
  if (text[start] === '"') return stringEnd(text, start)
  let at = start + 1
  if (STRUCTURE.has(text[start])) return at
  while (at < text.length && !STRUCTURE.has(text[at])) at++
  return at
}

function stringEnd(text: string, start: number): number {
  let quote = start
  let escaped = true
  while (escaped) {
    quote = text.indexOf('"', quote + 1)
    let backslash = quote - 1
    while (text[backslash] === '\\') backslash--
    escaped = (quote - backslash) % 2 === 0
  }
  return quote + 1
}
