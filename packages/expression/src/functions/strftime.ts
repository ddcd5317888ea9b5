import { defined } from '../defined.ts'
import { quote } from '../quote.ts'

/** The date and time fields parsed so far. */
interface Fields {
  year?: number
  month?: number
  day?: number
  dayOfYear?: number
  weekday?: number
  hour?: number
  /** 1 to 12, combined with `afternoon`. */
  hour12?: number
  afternoon?: boolean
  minute?: number
  second?: number
  /** Minutes east of UTC. */
  offset?: number
  /** Seconds since 1970 UTC: determines all other fields. */
  epoch?: number
}

/** A directive of `strftime` and `strptime`, by its letter. */
interface Directive {
  readonly print: (date: Date) => string
  /** The offset after the parsed part, which is stored in the fields; undefined when the text does not match. */
  readonly read: (text: string, at: number, fields: Fields) => number | undefined
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const DAY_MS = 86_400_000

const pad = (value: number, width: number, fill = '0') =>
  value < 0 ? `-${String(-value).padStart(width, fill)}` : String(value).padStart(width, fill)

type NumberField = Exclude<keyof Fields, 'afternoon'>

/** A number with at most the given number of digits. */
function digits(text: string, at: number, most: number): { readonly value: number; readonly end: number } | undefined {
  let end = at
  while (end < text.length && end - at < most && isDigit(text.charCodeAt(end))) end++
  return end === at ? undefined : { value: Number(text.slice(at, end)), end }
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57
}

function numeric(
  field: NumberField,
  most: number,
  [low, high]: readonly [number, number],
  print: (date: Date) => string,
): Directive {
  return {
    print,
    read(text, at, fields) {
      const found = digits(text, text[at] === ' ' ? at + 1 : at, most)
      if (found === undefined || found.value < low || found.value > high) return undefined
      fields[field] = found.value
      return found.end
    },
  }
}

/** A name from a list, case-insensitive, in full or by its first three letters. */
function name(
  field: 'month' | 'weekday',
  names: readonly string[],
  first: number,
  print: (date: Date) => string,
): Directive {
  return {
    print,
    read(text, at, fields) {
      for (const [index, full] of names.entries())
        for (const form of [full, full.slice(0, 3)])
          if (text.slice(at, at + form.length).toLowerCase() === form.toLowerCase()) {
            fields[field] = index + first
            return at + form.length
          }
      return undefined
    },
  }
}

const dayOfYear = (date: Date) =>
  Math.floor((date.getTime() - new Date(0).setUTCFullYear(date.getUTCFullYear(), 0, 1)) / DAY_MS) + 1
const month = (date: Date) => defined(MONTHS[date.getUTCMonth()])
const weekday = (date: Date) => defined(DAYS[date.getUTCDay()])
const clock12 = (date: Date) => date.getUTCHours() % 12 || 12

/** Fractional digits of the second: read and discarded, since the result is whole seconds. */
const FRACTION: Directive = {
  print: (date) => `${pad(date.getUTCMilliseconds(), 3)}000000`,
  read: (text, at) => digits(text, at, 9)?.end,
}

/** `Z`, `+0200`, `+02:00`. */
function readOffset(text: string, at: number, fields: Fields): number | undefined {
  if (text[at] === 'Z' || text[at] === 'z') {
    fields.offset = 0
    return at + 1
  }
  const found = /^([+-])(\d\d):?([0-5]\d)/.exec(text.slice(at, at + 6))
  if (found === null) return undefined
  fields.offset = (found[1] === '-' ? -1 : 1) * (Number(found[2]) * 60 + Number(found[3]))
  return at + found[0].length
}

const DIRECTIVES: ReadonlyMap<string, Directive> = new Map<string, Directive>([
  ['Y', numeric('year', 4, [0, 9999], (date) => pad(date.getUTCFullYear(), 4))],
  [
    'y',
    {
      print: (date) => pad(((date.getUTCFullYear() % 100) + 100) % 100, 2),
      read(text, at, fields) {
        const found = digits(text, at, 2)
        if (found === undefined) return undefined
        fields.year = found.value + (found.value < 70 ? 2000 : 1900)
        return found.end
      },
    },
  ],
  ['m', numeric('month', 2, [1, 12], (date) => pad(date.getUTCMonth() + 1, 2))],
  ['b', name('month', MONTHS, 1, (date) => month(date).slice(0, 3))],
  ['h', name('month', MONTHS, 1, (date) => month(date).slice(0, 3))],
  ['B', name('month', MONTHS, 1, month)],
  ['d', numeric('day', 2, [1, 31], (date) => pad(date.getUTCDate(), 2))],
  ['e', numeric('day', 2, [1, 31], (date) => pad(date.getUTCDate(), 2, ' '))],
  ['j', numeric('dayOfYear', 3, [1, 366], (date) => pad(dayOfYear(date), 3))],
  ['a', name('weekday', DAYS, 0, (date) => weekday(date).slice(0, 3))],
  ['A', name('weekday', DAYS, 0, weekday)],
  ['H', numeric('hour', 2, [0, 23], (date) => pad(date.getUTCHours(), 2))],
  ['I', numeric('hour12', 2, [1, 12], (date) => pad(clock12(date), 2))],
  [
    'p',
    {
      print: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
      read(text, at, fields) {
        const half = text.slice(at, at + 2).toLowerCase()
        if (half !== 'am' && half !== 'pm') return undefined
        fields.afternoon = half === 'pm'
        return at + 2
      },
    },
  ],
  ['M', numeric('minute', 2, [0, 59], (date) => pad(date.getUTCMinutes(), 2))],
  ['S', numeric('second', 2, [0, 59], (date) => pad(date.getUTCSeconds(), 2))],
  ['f', FRACTION],
  ['z', { print: () => '+0000', read: readOffset }],
  [
    's',
    {
      print: (date) => String(Math.floor(date.getTime() / 1000)),
      read(text, at, fields) {
        const isNegative = text[at] === '-'
        const found = digits(text, isNegative ? at + 1 : at, 12)
        if (found === undefined) return undefined
        fields.epoch = isNegative ? -found.value : found.value
        return found.end
      },
    },
  ],
])

/** Directives that abbreviate several others. */
const COMPOSED: Readonly<Record<string, string>> = { F: '%Y-%m-%d', T: '%H:%M:%S', R: '%H:%M', D: '%m/%d/%y' }

/** A part of a format: a directive or literal text. */
type Part = { readonly directive: Directive } | { readonly text: string }

/** Characters of a format: longer ones make no sense, and every call reads each character. */
const MAX_FORMAT = 256

/** The parts of a format, or why it is invalid. */
export function readFormat(format: string): { readonly parts: readonly Part[] } | { readonly fault: string } {
  if (format.length > MAX_FORMAT) return { fault: `a format has at most ${MAX_FORMAT} characters` }
  const whole = format.replaceAll(/%([%A-Za-z])/g, (pair, letter: string) => COMPOSED[letter] ?? pair)
  const parts: Part[] = []
  for (const [piece, letter] of whole.matchAll(/%(.?)|[^%]+/gsu)) {
    if (letter === undefined) parts.push({ text: piece })
    else if (letter === '%') parts.push({ text: '%' })
    else {
      const directive = DIRECTIVES.get(letter)
      if (directive === undefined) return { fault: `${quote(piece)} is not a directive: use ${known()}` }
      parts.push({ directive })
    }
  }
  return { parts }
}

function known(): string {
  return [...DIRECTIVES.keys(), ...Object.keys(COMPOSED)].map((letter) => `%${letter}`).join(' ')
}

/** An instant formatted in UTC. */
export function printTime(parts: readonly Part[], milliseconds: number): string {
  const date = new Date(milliseconds)
  return parts.map((part) => ('text' in part ? part.text : part.directive.print(date))).join('')
}

/** The instant in a formatted text as Unix seconds; undefined when it does not match or is not an instant. */
export function readTime(parts: readonly Part[], text: string): number | undefined {
  const fields: Fields = {}
  let at = 0
  for (const part of parts) {
    const end = 'text' in part ? readText(part.text, text, at) : part.directive.read(text, at, fields)
    if (end === undefined) return undefined
    at = end
  }
  return at === text.length ? instantOf(fields) : undefined
}

/** Literal text; white space in the format matches any white space. */
function readText(expected: string, text: string, from: number): number | undefined {
  let at = from
  for (const character of expected) {
    if (character.trim() === '') while (at < text.length && text.charAt(at).trim() === '') at++
    else if (!text.startsWith(character, at)) return undefined
    else at += character.length
  }
  return at
}

/** Unix seconds; undefined without a complete date and time of day, or when the parts contradict each other. */
function instantOf(fields: Fields): number | undefined {
  if (fields.epoch !== undefined) return fields.epoch
  const date = dateOf(fields)
  const hour = hourOf(fields)
  if (date === undefined || hour === undefined || fields.minute === undefined) return undefined
  const seconds = hour * 3600 + fields.minute * 60 + (fields.second ?? 0) - (fields.offset ?? 0) * 60
  return date / 1000 + seconds
}

/** Epoch milliseconds of a date's midnight in UTC; undefined for dates that do not exist. */
function dateOf({ year, month: of, day, dayOfYear: number, weekday: named }: Fields): number | undefined {
  if (year === undefined) return undefined
  const date = new Date(0)
  if (of !== undefined && day !== undefined) date.setUTCFullYear(year, of - 1, day)
  else if (number !== undefined) date.setUTCFullYear(year, 0, number)
  else return undefined
  const isThatDay =
    date.getUTCFullYear() === year &&
    (of === undefined || date.getUTCMonth() === of - 1) &&
    (day === undefined || date.getUTCDate() === day) &&
    (number === undefined || dayOfYear(date) === number) &&
    (named === undefined || date.getUTCDay() === named)
  return isThatDay ? date.getTime() : undefined
}

function hourOf({ hour, hour12, afternoon }: Fields): number | undefined {
  if (hour12 === undefined || afternoon === undefined) return hour
  const found = (hour12 % 12) + (afternoon ? 12 : 0)
  return hour === undefined || hour === found ? found : undefined
}
