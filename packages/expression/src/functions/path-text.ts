import type { Budget } from '../budget.ts'
import { readPlainPath } from '../path.ts'
import { parseAs } from '../grammar.ts'
import type { Language } from '../parser-postfix.ts'
import type { Value } from '../value.ts'

/** Reads the value at a path, null when it is missing. */
export interface PathReader {
  /** Units of one read. */
  readonly cost: number
  read(item: Value): Value
}

/** Compiled path texts: a path passed to a function is nearly always the same literal. */
const readers = new Map<string, PathReader | undefined>()
const MAX_READERS = 256
/** Longer texts are parsed each time, which bounds the cache. */
const MAX_KEPT_LENGTH = 256
/** Longer texts are not sensible paths, and parsing them would take long. */
const MAX_PATH = 4096

/** A call is never a path, so the set of functions does not matter. */
const NO_CALLS: Language = { functions: new Map(), locals: [], numbers: 'double' }

/** The reader of a textual path; undefined when the text is not a path to a field. Charges parsing. */
export function pathReader(budget: Budget, text: string): PathReader | undefined {
  const known = readers.get(text)
  if (known !== undefined || readers.has(text)) return known
  if (text.length > MAX_PATH) return undefined
  budget.spend(100 + 40 * text.length)
  const parsed = parseAs('path', text, NO_CALLS)
  const path = parsed.kind === 'parsed' && parsed.expression.kind === 'field' ? parsed.expression.path : undefined
  const reader = path?.every(({ kind }) => kind !== 'wildcard')
    ? { cost: 4 + 2 * path.length, read: (item: Value) => readPlainPath(item, path) ?? null }
    : undefined
  if (text.length > MAX_KEPT_LENGTH) return reader
  if (readers.size >= MAX_READERS) readers.clear()
  readers.set(text, reader)
  return reader
}
