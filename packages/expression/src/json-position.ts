import { JsonFailure } from './json-problem.ts'
import { JsonReader } from './json-reader.ts'
import { locate } from './source.ts'
import type { Value } from './value.ts'

/**
 * Where the value at a JSON pointer (RFC 6901) begins in a JSON text; undefined when there is none. Of a key that occurs
 * twice the last counts, as for `parseJson`. One-based, columns in UTF-16 units. Expects text that `parseJson` accepts;
 * of other text it may find nothing, or a place that is not the right one.
 */
export function positionOf(text: string, pointer: string): { line: number; column: number } | undefined {
  const [root, ...steps] = pointer.split('/')
  if (root !== '') return undefined
  let at: number | undefined = skipSpace(text, 0)
  for (const step of steps) {
    at = memberAt(text, at, step.replaceAll('~1', '/').replaceAll('~0', '~'))
    if (at === undefined) return undefined
  }
  return at < text.length ? locate(text, at) : undefined
}

/** Where the member of that name or index of the container begins that opens at `open`. */
function memberAt(text: string, open: number, name: string): number | undefined {
  if (text[open] === '{') return keyedAt(text, open, name)
  if (text[open] === '[' && /^(?:0|[1-9]\d*)$/.test(name)) return indexedAt(text, open, Number(name))
  return undefined
}

function keyedAt(text: string, open: number, name: string): number | undefined {
  let found: number | undefined
  for (let at = skipSpace(text, open + 1); text[at] === '"'; at = nextMember(text, at)) {
    const end = skipString(text, at)
    const key = text.slice(at, end)
    at = skipSpace(text, skipSpace(text, end) + 1)
    if (keyOf(key) === name) found = at
  }
  return found
}

function indexedAt(text: string, open: number, index: number): number | undefined {
  let at = skipSpace(text, open + 1)
  for (let count = 0; at < text.length && text[at] !== ']'; count++) {
    if (count === index) return at
    at = nextMember(text, at)
  }
  return undefined
}

function keyOf(quoted: string): Value | undefined {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    const reader = new JsonReader(quoted, false)
    reader.advance(Infinity)
    return reader.value
  } catch (error) {
    if (error instanceof JsonFailure) return undefined
    throw error
  }
}

/** From the start of a value to the start of its neighbour's key or value, or to the bracket that closes both. */
function nextMember(text: string, at: number): number {
  const end = skipSpace(text, skipValue(text, at))
  return text[end] === ',' ? skipSpace(text, end + 1) : end
}

/** Containers are skipped by counting brackets, so that no nesting overflows the stack. */
function skipValue(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at] as string
    if (character === '"') at = skipString(text, at) - 1
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') {
      if (depth === 0) return at
      depth--
      if (depth === 0) return at + 1
    } else if (depth === 0 && (character === ',' || SPACE.has(character))) return at
  }
  return text.length
}

/** Behind the closing quote. */
function skipString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === '"') return at + 1
    if (text[at] === '\\') at++
  }
  return text.length
}

const SPACE: ReadonlySet<string> = new Set([' ', '\t', '\n', '\r'])

function skipSpace(text: string, from: number): number {
  let at = from
  while (SPACE.has(text[at] ?? '')) at++
  return at
}
