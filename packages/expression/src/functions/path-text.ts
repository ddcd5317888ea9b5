import { readPlainPath } from '../path.ts'
import { parsePath } from '../parser.ts'
import type { Value } from '../value.ts'

/** Compiled path texts: a path given to a function is nearly always the same literal. */
const readers = new Map<string, ((item: Value) => Value) | undefined>()
const MOST_READERS = 256

/** Reads the value at a path given as text, null when it is missing; undefined when the text is no path to a field. */
export function pathReader(text: string): ((item: Value) => Value) | undefined {
  const known = readers.get(text)
  if (known !== undefined || readers.has(text)) return known
  const parsed = parsePath(text)
  const path = parsed.kind === 'parsed' && parsed.expression.kind === 'field' ? parsed.expression.path : undefined
  const reader = path?.every(({ kind }) => kind !== 'wildcard')
    ? (item: Value) => readPlainPath(item, path) ?? null
    : undefined
  if (readers.size >= MOST_READERS) readers.clear()
  readers.set(text, reader)
  return reader
}
