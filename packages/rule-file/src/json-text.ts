import { jsonTextEnd } from '@engine/expression'

/**
 * Maximum length of JSON text that is formatted over several lines. Longer text is for programs, and indentation
 * multiplies: 500 kB of nested lists would exceed the limit of a rule file.
 */
const MAX_LAID_OUT = 1024 * 1024

/**
 * Formats compact JSON as the text of a rule file: over several lines for people, or unchanged when the result would be
 * longer than a million characters. This keeps large files as small as their content.
 */
export function ruleFileText(text: string): string {
  return (text.length > MAX_LAID_OUT ? undefined : indentJson(text, MAX_LAID_OUT)) ?? text
}

/**
 * Formats compact JSON text over several lines, indented by two spaces. Works on the text instead of the value, so that
 * every number keeps its digits. The text must be valid JSON. Undefined as soon as the result exceeds `longest`.
 */
function indentJson(text: string, longest: number): string | undefined {
  const parts: string[] = []
  let length = 0
  let indent = ''
  let opened = false
  const add = (...some: readonly string[]) => {
    for (const part of some) length += part.length
    parts.push(...some)
  }
  for (let at = 0; at < text.length;) {
    if (length > longest) return undefined
    const token = text.slice(at, tokenEnd(text, at))
    at += token.length
    const closes = token === '}' || token === ']'
    if (closes) indent = indent.slice(2)
    // An opening bracket breaks the line after it, a closing one before it, but not between the two of `{}`.
    if (opened !== closes) add('\n', indent)
    opened = token === '{' || token === '['
    if (opened) indent += '  '
    add(token === ':' ? ': ' : token)
    if (token === ',') add('\n', indent)
  }
  return length > longest ? undefined : parts.join('')
}

const STRUCTURE: ReadonlySet<string | undefined> = new Set(['{', '}', '[', ']', ',', ':', '"'])

/** Offset after the string, the structural character, or the number or word that starts at `start`. */
function tokenEnd(text: string, start: number): number {
  if (text[start] === '"') return jsonTextEnd(text, start)
  let at = start + 1
  if (STRUCTURE.has(text[start])) return at
  while (at < text.length && !STRUCTURE.has(text[at])) at++
  return at
}
