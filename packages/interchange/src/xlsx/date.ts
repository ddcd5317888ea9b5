import { type Package, readPart } from './workbook.ts'

/** The kind of a number in a cell, by its number format. */
export type NumberKind = 'number' | 'date' | 'duration'

/** The kinds of the formats that cells reference by number (`s`). */
export type NumberKinds = readonly NumberKind[]

/** Reads the styles of a workbook. Throws `PartFault`. */
export function readNumberKinds(pack: Package, path: string | undefined): NumberKinds {
  if (path === undefined) return []
  const codes = new Map<string, string>()
  const kinds: NumberKind[] = []
  let isCellFormat = false
  readPart(pack, path, {
    open({ local }, attributes) {
      const id = attributes.get('numFmtId') ?? '0'
      if (local === 'numFmt') codes.set(id, attributes.get('formatCode') ?? '')
      if (local === 'cellXfs') isCellFormat = true
      if (local === 'xf' && isCellFormat) kinds.push(kindOf(Number(id), codes.get(id)))
    },
    text() {},
    close({ local }) {
      if (local === 'cellXfs') isCellFormat = false
    },
  })
  return kinds
}

/** Built-in date formats by number (ECMA-376, 18.8.30; those from 27 on are East Asian). */
const DATES: readonly (readonly [from: number, to: number])[] = [
  [14, 22],
  [27, 36],
  [45, 45],
  [47, 47],
  [50, 58],
]
const ELAPSED = 46

function kindOf(id: number, code: string | undefined): NumberKind {
  if (code !== undefined) return kindOfCode(code)
  if (id === ELAPSED) return 'duration'
  return DATES.some(([from, to]) => id >= from && id <= to) ? 'date' : 'number'
}

/** Characters of a format (ECMA-376 has no limit; programs that write it have this one). */
const MAX_CODE = 255

function kindOfCode(code: string): NumberKind {
  const [shown = ''] = code
    .slice(0, MAX_CODE)
    .replace(/"[^"]*"|\\.|_.|\*./gs, '')
    .split(';')
  if (/\[(?:h+|m+|s+)\]/i.test(shown)) return 'duration'
  return /[ymdhs]/i.test(shown.replace(/\[[^\]]*\]|general/gi, '')) ? 'date' : 'number'
}

const DAY = 86_400_000
const MAX_DAYS = 2_958_466
/** When counting from 1900, day 60 is 29 February 1900, which did not exist. */
const NO_DAY = 60

/**
 * The date or time of a serial number, in ISO 8601 without an offset: `2026-11-20`, `2026-11-20T10:30:00`, `10:30:00`;
 * undefined when it is out of range.
 */
export function isoDate(serial: number, is1904: boolean): string | undefined {
  if (!(serial >= 0) || serial >= MAX_DAYS) return undefined
  if (!is1904 && Math.floor(serial) === NO_DAY) return undefined
  const base = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial < NO_DAY ? 31 : 30)
  const text = new Date(base + Math.round(serial * DAY)).toISOString()
  const time = text.slice(11, -1).replace(/\.000$/, '')
  if (serial < 1) return time
  return Number.isInteger(serial) ? text.slice(0, 10) : `${text.slice(0, 10)}T${time}`
}
