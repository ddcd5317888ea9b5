import { type Numbers, parseJson, quote, stringifyJson, type Value } from '@engine/expression'

/**
 * Cell separators; the one in the header applies to all lines. Spreadsheets write `;` in locales with a decimal comma.
 */
const SEPARATORS = [',', ';', '\t']

/** Maximum number of names in a column's path: the depth limit of JSON. */
const MAX_DEPTH = 128

/** Maximum number of columns: that of spreadsheets, and below the limit for members of an object. */
const MAX_COLUMNS = 16_384

/** The number syntax of JSON: a cell with leading zeros, a plus sign or thousands separators is a text. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Maximum length of a number text whose digits a double always preserves. */
const MAX_DOUBLE_TEXT = 15

/** The separator of a header: the first one outside quotes. */
export function csvSeparator(header: string): string {
  const unquoted = header.replaceAll(/"(?:[^"]|"")*"/g, '')
  const [first = ','] = unquoted.match(/[,;\t]/) ?? []
  return SEPARATORS.includes(first) ? first : ','
}

/**
 * The value of a cell: an unquoted one in the number syntax of JSON is a number, `true` and `false` are booleans, an empty one is
 * undefined (absent); every other cell, and every quoted one, is a text.
 */
export function csvCellValue(text: string, isQuoted: boolean, numbers: Numbers): Value | undefined {
  if (isQuoted) return text
  if (text === '') return undefined
  if (text === 'true' || text === 'false') return text === 'true'
  if (!NUMBER.test(text)) return text
  const double = Number(text)
  if (numbers === 'double' && text.length <= MAX_DOUBLE_TEXT && Number.isFinite(double)) return double
  const parsed = parseJson(text, { duplicateKeys: 'last', numbers })
  // A number beyond the range of doubles stays a text.
  return parsed.kind === 'parsed' ? parsed.value : text
}

/** The cell that `csvCellValue` parses to this value; objects and lists are JSON. */
export function csvCell(value: Value | undefined): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') {
    const text = stringifyJson(value)
    return /["[{,]/.test(text) ? quoted(text) : text
  }
  const isPlain = !/^$|^(?:true|false)$|["\n\r,;\t]|^\s|\s$/.test(value) && !NUMBER.test(value)
  return isPlain ? value : quoted(value)
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

/** The header does not name fields. */
export class CsvHeaderError extends Error {}

/** The columns of a header as input fields. */
export interface CsvFields {
  /** Number of columns of the header. */
  readonly width: number
  readonly members: Members
}

/** Members of an object: a column index, or nested members. */
type Members = ReadonlyMap<string, number | Members>
type OpenMembers = Map<string, number | OpenMembers>

/** The fields of a header; `order.total` is a member of `order`. Throws `CsvHeaderError`. */
export function csvFields(header: readonly string[]): CsvFields {
  if (header.length > MAX_COLUMNS)
    throw new CsvHeaderError(`the header has ${header.length} columns; at most ${MAX_COLUMNS} are read`)
  const members: OpenMembers = new Map()
  for (const [index, name] of header.entries()) {
    const keys = name.trim().split('.')
    if (keys.length > MAX_DEPTH)
      throw new CsvHeaderError(`column ${index + 1} of the header is nested more than ${MAX_DEPTH} levels deep`)
    const last = keys.pop() ?? ''
    let inner = members
    for (const key of keys) {
      const found = inner.get(key) ?? new Map()
      if (typeof found === 'number')
        throw new CsvHeaderError(`the columns ${quote(key)} and ${quote(name)} contradict each other`)
      inner.set(key, found)
      inner = found
    }
    if (last === '' || keys.includes(''))
      throw new CsvHeaderError(`column ${index + 1} of the header names no field: ${quote(name)}`)
    if (inner.has(last)) throw new CsvHeaderError(`the header names ${quote(name)} twice`)
    inner.set(last, index)
  }
  return { width: header.length, members }
}

/** A record as an input, or the reason why it is invalid. */
export function csvInput(
  { width, members }: CsvFields,
  cells: readonly (Value | undefined)[],
): { readonly input: Value } | { readonly fault: string } {
  if (cells.length !== width) return { fault: `the line has ${cells.length} cells, the header ${width}` }
  return { input: objectOf(members, cells) }
}

function objectOf(members: Members, cells: readonly (Value | undefined)[]): { readonly [field: string]: Value } {
  const entries: [string, Value][] = []
  for (const [name, at] of members) {
    const value = typeof at === 'number' ? cells[at] : nonEmpty(objectOf(at, cells))
    if (value !== undefined) entries.push([name, value])
  }
  return Object.fromEntries(entries)
}

const nonEmpty = (value: { readonly [field: string]: Value }) => (Object.keys(value).length === 0 ? undefined : value)
