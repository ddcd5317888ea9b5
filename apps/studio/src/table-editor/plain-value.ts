/** The decimal separator and the date order for ambiguous cells. */
export interface ReadingChoice {
  /** The decimal separator. */
  readonly decimal: '.' | ','
  /** Whether the day or the month comes first in `3/4/2026`. */
  readonly dayFirst: boolean
}

export const DEFAULT_READING: ReadingChoice = { decimal: '.', dayFirst: true }

const CURRENCY = String.raw`(?:[€$£¥₹]|EUR|USD|GBP|CHF|CNY|JPY)`
/** A number as people write it: with a currency before or after it, thousands separators, and a unit. */
const NUMBER = new RegExp(
  String.raw`^(?:${CURRENCY}\s*)?(-?)\s*(?:${CURRENCY}\s*)?(\d[\d.,' \u00a0\u202f]*)(?:\s*(%|${CURRENCY}|[A-Za-zµ°²³/]{1,12}))?$`,
  'i',
)

/** The decimal separator of a number: `ask` if both are possible, undefined if it has none. */
export function decimalSign(text: string): '.' | ',' | 'ask' | undefined {
  const digits = NUMBER.exec(text.trim())?.[2]?.trim()
  if (digits === undefined) return undefined
  const signs = digits.replaceAll(/[^.,]/g, '')
  if (signs === '') return undefined
  const last = signs.at(-1) === ',' ? ',' : '.'
  const other = last === ',' ? '.' : ','
  if (signs.includes(other)) return last
  // A repeated separator separates thousands, so the other one is the decimal separator.
  if (signs.length > 1) return other
  return /^\d{1,3}[.,]\d{3}$/.test(digits) && !digits.startsWith('0') ? 'ask' : last
}

interface PlainNumber {
  /** In the notation of the language. */
  readonly text: string
  /** The text around the number. */
  readonly unit: string | undefined
}

/** The number in a text; undefined if there is none, or a number would lose digits, as in `007`. */
export function plainNumber(text: string, { decimal }: Pick<ReadingChoice, 'decimal'>): PlainNumber | undefined {
  const trimmed = text.trim()
  if (/^-?\d+(?:\.\d+)?[eE][+-]?\d+$/.test(trimmed)) return { text: trimmed, unit: undefined }
  const [, sign = '', given, behind] = NUMBER.exec(trimmed) ?? []
  if (given === undefined || /[.,](?:[.,]|\s+\S)/.test(given)) return undefined
  const before = /^-?([^\d-]+)/.exec(trimmed)?.[1]?.trim()
  const own = decimalSign(trimmed)
  const mark = own === undefined || own === 'ask' ? decimal : own
  const digits = given.trim().replaceAll(/[' \u00a0\u202f]/g, '')
  const point = digits.lastIndexOf(mark)
  const whole = (point < 0 ? digits : digits.slice(0, point)).replaceAll(/[.,]/g, '')
  const fraction = point < 0 ? '' : digits.slice(point + 1)
  if (!/^\d+$/.test(whole) || !/^\d*$/.test(fraction) || /^0\d/.test(whole)) return undefined
  const unit = behind ?? (before === '' ? undefined : before)
  return { text: `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`, unit }
}

const ISO = /^(\d{4})-(\d\d)-(\d\d)(T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/
const POINTS = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$/
const SLASHES = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/

/** Whether either of the first two numbers of `3/4/2026` could be the day. */
export function isAmbiguousDate(text: string): boolean {
  const [, one, other] = SLASHES.exec(text.trim()) ?? []
  return one !== undefined && Number(one) <= 12 && Number(other) <= 12
}

/** The date in a text, as ISO 8601; undefined if there is none. */
export function plainDate(text: string, { dayFirst }: Pick<ReadingChoice, 'dayFirst'>): string | undefined {
  const trimmed = text.trim()
  const iso = ISO.exec(trimmed)
  if (iso !== null) return isDate(iso[1], iso[2], iso[3]) ? trimmed : undefined
  const points = POINTS.exec(trimmed)
  if (points !== null) return dateOf(points[3], points[2], points[1])
  const [, one, other, year] = SLASHES.exec(trimmed) ?? []
  if (one === undefined) return undefined
  const isDayFirst = Number(one) > 12 || (Number(other) <= 12 && dayFirst)
  return isDayFirst ? dateOf(year, other, one) : dateOf(year, one, other)
}

function dateOf(year = '', month = '', day = ''): string | undefined {
  return isDate(year, month, day) ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : undefined
}

function isDate(year = '', month = '', day = ''): boolean {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
}

const TRUE: ReadonlySet<string> = new Set(['yes', 'y', 'true', 'ja', 'j', '1', '是'])
const FALSE: ReadonlySet<string> = new Set(['no', 'n', 'false', 'nein', '0', '否'])

/** `true` or `false` for a word for yes or no; otherwise undefined. */
export function plainBoolean(text: string): 'true' | 'false' | undefined {
  const word = text.trim().toLowerCase()
  return TRUE.has(word) ? 'true' : FALSE.has(word) ? 'false' : undefined
}

const ANY: ReadonlySet<string> = new Set(['', '-', '–', '—', '*', 'any', '任意'])

/** Whether the text of a condition matches everything. */
export const isAny = (text: string): boolean => ANY.has(text.trim().toLowerCase())
