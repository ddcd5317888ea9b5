import { keysOfPointer } from './pointer.ts'
import { JsonFailure } from './problem.ts'
import { JsonReader } from './reader.ts'
import { jsonTextEnd } from './text-end.ts'

/** Members to locate, by key; list indexes as decimal text. */
interface Wanted {
  readonly members: Map<string, Wanted>
  /** Offset of the member's key or of the list item; undefined until found. */
  offset: number | undefined
}

/** One-based; the column in UTF-16 units. */
interface Position {
  readonly line: number
  readonly column: number
}

/** Characters scanned before other requests may run. */
const CHUNK_CHARACTERS = 16 * 1024

/**
 * Find the positions of JSON pointers in a JSON text: the member's key, or the list item; for a missing member, its
 * nearest existing ancestor. One pass over the text, which must be the JSON that the pointers refer to; other formats
 * (YAML) yield no positions. Yields the number of characters scanned since the last yield.
 */
export function* jsonPositions(
  text: string,
  pointers: Iterable<string>,
): Generator<number, (path: string) => Position | undefined, void> {
  const root: Wanted = { members: new Map(), offset: undefined }
  const paths = new Set(pointers)
  for (const path of paths) want(root, path)
  yield* findWanted(text, root)
  const offsets = Array.from(paths, (path) => offsetOf(root, path)).filter((offset) => offset !== undefined)
  const placed = locateAll(text, offsets)
  return (path) => placed.get(offsetOf(root, path) ?? -1)
}

/** The positions of several offsets in one pass. */
function locateAll(text: string, offsets: readonly number[]): ReadonlyMap<number, Position> {
  const placed = new Map<number, Position>()
  let line = 1
  let lineStart = 0
  let at = 0
  for (const offset of offsets.toSorted((a, b) => a - b)) {
    for (; at < offset; at++) {
      if (text.charCodeAt(at) !== LINE_FEED) continue
      line++
      lineStart = at + 1
    }
    placed.set(offset, { line, column: offset - lineStart + 1 })
  }
  return placed
}

const LINE_FEED = 10

function want(root: Wanted, path: string): void {
  let wanted = root
  for (const key of keysOfPointer(path)) {
    let inner = wanted.members.get(key)
    if (inner === undefined) {
      inner = { members: new Map(), offset: undefined }
      wanted.members.set(key, inner)
    }
    wanted = inner
  }
}

function offsetOf(root: Wanted, path: string): number | undefined {
  let { offset } = root
  let wanted: Wanted | undefined = root
  for (const key of keysOfPointer(path)) {
    wanted = wanted?.members.get(key)
    offset = wanted?.offset ?? offset
  }
  return offset
}

/** An enclosing object or list of the scan. */
interface Open {
  readonly wanted: Wanted | undefined
  /** Index of the current item; undefined in an object. */
  index: number | undefined
  /** The target that the current member or item corresponds to. */
  current: Wanted | undefined
}

/** The structural tokens: brackets, commas, starts of texts, and other scalars. */
const TOKEN = /[{}[\],"]|[^\s{}[\],":]+/g
const COLON = /\s*:/y

function* findWanted(text: string, root: Wanted): Generator<number, void, void> {
  const token = new RegExp(TOKEN)
  const stack: Open[] = []
  let open: Open | undefined
  let paused = 0
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (match.index - paused > CHUNK_CHARACTERS) {
      yield match.index - paused
      paused = match.index
    }
    const [character] = match
    if (character === '}' || character === ']') {
      stack.pop()
      open = stack.at(-1)
    } else if (character === ',') {
      if (open?.index !== undefined) open.index++
    } else {
      const end = character === '"' ? jsonTextEnd(text, match.index) : token.lastIndex
      token.lastIndex = end
      COLON.lastIndex = end
      if (character === '"' && open?.index === undefined && COLON.test(text)) {
        if (open === undefined) return
        open.current = meet(open.wanted, keyText(text.slice(match.index, end)), match.index)
        continue
      }
      const current = startValue(root, open, match.index)
      if (character !== '{' && character !== '[') continue
      open = { wanted: current, index: character === '[' ? 0 : undefined, current: undefined }
      stack.push(open)
    }
  }
}

/** The key of a quoted JSON text; the text itself when it is malformed. */
function keyText(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    const reader = new JsonReader(quoted, false)
    reader.advance(Infinity)
    return typeof reader.value === 'string' ? reader.value : quoted
  } catch (error) {
    if (error instanceof JsonFailure) return quoted
    throw error
  }
}

/** The target of a value that starts here: the document itself, a list item, or the member whose key was just read. */
function startValue(root: Wanted, open: Open | undefined, offset: number): Wanted | undefined {
  if (open === undefined) {
    root.offset ??= offset
    return root
  }
  if (open.index !== undefined) open.current = meet(open.wanted, String(open.index), offset)
  return open.current
}

function meet(wanted: Wanted | undefined, key: string, offset: number): Wanted | undefined {
  const met = wanted?.members.get(key)
  if (met !== undefined) met.offset ??= offset
  return met
}
