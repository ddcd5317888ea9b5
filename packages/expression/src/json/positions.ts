import { keysOfPointer } from './pointer.ts'
import { JsonFailure } from './problem.ts'
import { JsonReader } from './reader.ts'
import { jsonTextEnd } from './text-end.ts'

/** Members that are looked for, by key; list indexes as decimal text. */
interface Wanted {
  readonly members: Map<string, Wanted>
  /** Offset of the member's key, or of the list's item; undefined until it is met. */
  offset: number | undefined
}

/** One-based; the column in UTF-16 units. */
interface Position {
  readonly line: number
  readonly column: number
}

/** Characters that are gone through before others may be served. */
const PIECE = 16 * 1024

/**
 * Finds where in a JSON text the given JSON pointers stand: the member's key, or the item of a list; for what is not
 * there, the nearest thing around it. One pass over the text, which must be the JSON that the pointers are from; a text
 * that is not JSON (YAML) gives no positions. Yields the characters that it has gone through since it yielded last.
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

/** The positions of many offsets in one pass. */
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

/** An object or list that the scan is inside of. */
interface Open {
  readonly wanted: Wanted | undefined
  /** Index of the current item; undefined in an object. */
  index: number | undefined
  /** What the current member or item is looked for as. */
  current: Wanted | undefined
}

/** What matters to structure: brackets, commas, where a text begins, and other scalars. */
const TOKEN = /[{}[\],"]|[^\s{}[\],":]+/g
const COLON = /\s*:/y

function* findWanted(text: string, root: Wanted): Generator<number, void, void> {
  const token = new RegExp(TOKEN)
  const stack: Open[] = []
  let open: Open | undefined
  let paused = 0
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (match.index - paused > PIECE) {
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

/** The key that quoted JSON text stands for; the text itself when it is none. */
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

/** What a value that begins here is looked for as: the document itself, an item of a list, or a member met before. */
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
