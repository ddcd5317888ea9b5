import { jsonPositions, jsonTextEnd, keysOfPointer, type Location, locator, withoutPlace } from '@engine/expression'
import { endingOf } from './ending.ts'
import { yamlLibrary } from './yaml-library.ts'

/** A place in a document: a value, or a place within its text. */
export interface DocumentPlace {
  /** JSON pointer. */
  readonly path: string
  /** One-based, in the text at `path`; undefined: the value as a whole. */
  readonly line?: number | undefined
  /** One-based, in UTF-16 units; together with `line`. */
  readonly column?: number | undefined
}

/** Positions of places in a file: one-based, in UTF-16 units. Undefined if the file has no such place. */
export type FilePositions = readonly (Location | undefined)[]

/** A problem of a document, with its position in the file if known. */
export type ProblemInFile<Found> = Omit<Found, 'line' | 'column'> & Partial<Location>

/**
 * Problems with their positions in the text of a JSON or YAML file, by its file extension. A place in an expression at
 * the end of a message is removed if the position repeats it. Linear in the text.
 */
export function problemsInFile<Found extends DocumentPlace & { readonly message: string }>(
  file: string,
  text: string,
  problems: readonly Found[],
): readonly ProblemInFile<Found>[] {
  const ending = endingOf(file)
  const isYaml = ending === '.yaml' || ending === '.yml'
  const positions: readonly (YamlPosition | undefined)[] = isYaml
    ? problems.map(yamlLocator(text))
    : positionsInJson(text, problems)
  return problems.map((problem, index) => {
    const { line: _line, column: _column, ...rest } = problem
    const position = positions[index]
    if (position === undefined) return rest
    const { isStart = false, ...location } = position
    return { ...rest, message: isStart ? rest.message : withoutPlace(rest.message), ...location }
  })
}

/** Parsers put the position at the end of their message. */
const PLACE = /(?: at |\()line (\d+), column (\d+)\)?$/

/** The position at the end of the reason why a file cannot be read; undefined if there is none. */
export function positionInReason(reason: string): Location | undefined {
  const [, line, column] = PLACE.exec(reason) ?? []
  return line === undefined ? undefined : { line: Number(line), column: Number(column) }
}

/**
 * The positions of places in a JSON text: of the key or list item, or within the string, counting escapes as written.
 * Linear in the text.
 */
export function positionsInJson(text: string, places: readonly DocumentPlace[]): FilePositions {
  const search = jsonPositions(
    text,
    places.map(({ path }) => path),
  )
  let found = search.next()
  while (found.done !== true) found = search.next()
  const positionOf = found.value
  const startOfLine = lineStarts(text)
  const locate = locator(text)
  return places.map(({ path, line, column }) => {
    const position = positionOf(path)
    if (position === undefined || line === undefined) return position
    const quote = textStart(text, (startOfLine[position.line - 1] ?? 0) + position.column - 1)
    return quote === undefined ? position : locate(offsetInJsonText(text, quote, line, column ?? 1))
  })
}

function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

const COLON = /\s*:\s*/y

/** The opening quote of the text at a key or list item; undefined for other values. */
function textStart(text: string, at: number): number | undefined {
  if (text[at] !== '"') return undefined
  COLON.lastIndex = jsonTextEnd(text, at)
  if (!COLON.test(text)) return at
  return text[COLON.lastIndex] === '"' ? COLON.lastIndex : undefined
}

/** The offset of a line and column of a string value, which starts after the quote. */
function offsetInJsonText(text: string, quote: number, line: number, column: number): number {
  const end = jsonTextEnd(text, quote) - 1
  let [at, atLine, atColumn] = [quote + 1, 1, 1]
  while (at < end && !(atLine === line && atColumn >= column)) {
    const isEscape = text[at] === '\\'
    const isLineEnd = isEscape && text[at + 1] === 'n'
    at += isEscape ? (text[at + 1] === 'u' ? 6 : 2) : 1
    if (isLineEnd) [atLine, atColumn] = [atLine + 1, 1]
    else atColumn++
  }
  return at
}

/** A position in a YAML text. */
export interface YamlPosition extends Location {
  /**
   * True for the start of a text whose lines differ from those of the file, so that a position within it is unknown.
   */
  readonly isStart?: true
}

/**
 * The position of one place after the other in a YAML text, which is parsed once. Within plain and quoted texts on one line and in
 * literal blocks (`|`) the position is exact; in folded texts it is the start of the text.
 */
export function yamlLocator(text: string): (place: DocumentPlace) => YamlPosition | undefined {
  const { isMap, isPair, isScalar, isSeq, LineCounter, parseDocument } = yamlLibrary()
  const lineCounter = new LineCounter()
  const { contents } = parseDocument(text, { version: '1.2', uniqueKeys: false, logLevel: 'error', lineCounter })
  const stepInto = (node: unknown, key: string): unknown => {
    if (isMap(node)) return node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key)
    return isSeq(node) ? node.items[Number(key)] : undefined
  }
  const startOf = (node: unknown) => (node as { readonly range?: readonly number[] | null } | undefined)?.range?.[0]
  const locate = (offset: number): Location => {
    const { line, col } = lineCounter.linePos(offset)
    return { line, column: col }
  }
  return ({ path, line, column = 1 }) => {
    let node: unknown = contents
    let offset: number | undefined
    for (const key of keysOfPointer(path)) {
      const found = stepInto(node, key)
      const start = startOf(isPair(found) ? found.key : found)
      if (start === undefined) {
        node = undefined
        break
      }
      offset = start
      node = isPair(found) ? found.value : found
    }
    if (offset === undefined) return undefined
    if (line === undefined || !isScalar(node) || typeof node.value !== 'string') return locate(offset)
    const start = startOf(node) ?? offset
    const inside = offsetInYamlText(text, start, node.type, line, column)
    return inside === undefined ? { ...locate(start), isStart: true } : locate(inside)
  }
}

/**
 * The offset of a line and column in the value of a scalar that starts at `start`; undefined if its lines differ from
 * those of the file.
 */
function offsetInYamlText(
  text: string,
  start: number,
  type: string | undefined,
  line: number,
  column: number,
): number | undefined {
  if (type === 'BLOCK_LITERAL') {
    let begin = start
    for (let left = line; left > 0; left--) begin = text.indexOf('\n', begin) + 1
    INDENT.lastIndex = text.indexOf('\n', start) + 1
    return begin + (INDENT.exec(text)?.[1] ?? '').length + column - 1
  }
  if (line > 1) return undefined
  if (type === 'PLAIN') return continues(text, start, column) ? undefined : start + column - 1
  if (type === 'QUOTE_DOUBLE') return offsetInJsonText(text, start, line, column)
  if (type !== 'QUOTE_SINGLE') return undefined
  let at = start + 1
  for (let left = column; left > 1; left--) at += text.startsWith("''", at) ? 2 : 1
  return at
}

/** The indentation of a block is that of its first line with a character. */
const INDENT = /(?: *\r?\n)*( *)/y

/** Whether a line ends before this column, which means that the text is folded. */
function continues(text: string, start: number, column: number): boolean {
  const end = text.indexOf('\n', start)
  return end >= 0 && start + column - 1 > end
}
