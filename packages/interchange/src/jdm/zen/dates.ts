import { defined, quote } from '@engine/expression'
import {
  allOf,
  atom,
  call,
  choice,
  comparison,
  infix,
  isConstantText,
  isOf,
  LEVEL,
  literal,
  NULL,
  oneOf,
  type Text,
} from './text.ts'

/*
 * A date of ZEN (`d(x)`) is an ISO 8601 text here, in UTC. `moment` is the text for computations, and `text` the value
 * of a variable or a result: ZEN prints whole seconds.
 */

/** A value of the type `date`. */
export interface DateText extends Text {
  readonly moment: string
  /** Time zone for reading its parts; undefined for UTC. */
  readonly zone?: string
  /** Values from which it is computed, and which may be null. */
  readonly sources: readonly string[]
}

/** The reason why a date has no equivalent. */
export class DateRefusal extends Error {}

const refuse = (what: string): never => {
  throw new DateRefusal(what)
}

/** Maximum length of a value whose text is repeated. */
const MAX_REPEATED = 400

const PRINTED = 'YYYY-MM-DDTHH:mm:ssZ'

/** A date with its printed form. */
function dateText(moment: string, sources: readonly string[], zone?: string): DateText {
  const shown =
    zone === undefined
      ? call('format_date', 'date', atom(moment), literal(PRINTED))
      : // The printed form would have the offset of the zone.
        atom('', 'date')
  return { ...shown, moment, sources, ...(zone !== undefined && { zone }) }
}

const isDateText = (value: Text): value is DateText => 'moment' in value

/** A value as a date, if it is known to be one or is used as one. */
function asDate(value: Text): DateText {
  if (isDateText(value)) return value
  return { ...value, moment: value.text, sources: value.type === 'date' ? [] : [value.text] }
}

const ZONE = /^(?:UTC|[A-Z][A-Za-z]+(?:\/[A-Za-z_+-]+\d*){1,2})$/
const CONSTANT = /^"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:Z|[+-]\d{2}:\d{2})?)?"$/

/** `d()`, `d(x)`, `d(x, zone)`. ZEN ignores the offset of a text. */
export function dateOf(value: Text | undefined, zone: Text | undefined): DateText {
  if (zone !== undefined && zone.text !== '"UTC"') refuse('a date in a time zone')
  if (value === undefined) return dateText('now()', [])
  if (value.type === 'date') return asDate(value)
  if (value.type === 'null') refuse('a date of null')
  if (isConstantText(value)) {
    const zoneName = value.text.slice(1, -1)
    if (ZONE.test(zoneName)) return zoneName === 'UTC' ? dateText('now()', []) : dateText('now()', [], zoneName)
    const [, day = '', time] = CONSTANT.exec(value.text) ?? []
    if (day === '') refuse('a constant that is not a date')
    const moment = JSON.stringify(time === undefined ? day : `${day}T${time}Z`)
    const [hours = '00', minutes = '00', seconds = '00'] = (time ?? '').split(/[:.]/).filter((part) => part !== '')
    return { ...literal(`${day}T${hours}:${minutes}:${seconds}Z`), type: 'date', moment, sources: [] }
  }
  if (value.text.length > MAX_REPEATED) refuse('a date of such a long expression')
  const plain = call('regex_replace', 'text', literal('(?:Z|[+-]\\d\\d:?\\d\\d)$'), value, literal(''))
  const given =
    value.type === 'text' ? plain : value.type === 'number' ? value : choice(isOf('string', value), plain, value)
  return dateText(
    call('date', 'text', given).text,
    value.type === 'text' || value.type === 'number' ? [] : [value.text],
  )
}

type Unit = 'years' | 'quarters' | 'months' | 'weeks' | 'days' | 'hours' | 'minutes' | 'seconds'

const UNITS: ReadonlyMap<string, Unit> = new Map(
  (
    [
      ['years', 'year', 'y'],
      ['quarters', 'quarter', 'q'],
      ['months', 'month', 'mo', 'M'],
      ['weeks', 'week', 'w'],
      ['days', 'day', 'd'],
      ['hours', 'hour', 'hrs', 'hr', 'h'],
      ['minutes', 'minute', 'mins', 'min', 'm'],
      ['seconds', 'second', 'secs', 'sec', 's'],
    ] as const
  ).flatMap((names) => names.map((name): [string, Unit] => [name, names[0]])),
)

function unitOf(value: Text | undefined): Unit {
  const name = value !== undefined && isConstantText(value) ? value.text.slice(1, -1) : ''
  return UNITS.get(name) ?? refuse(`the unit ${quote(name)} of a date`)
}

const FACTORS: { readonly [Name in Unit]?: { readonly unit: Unit; readonly factor: number } } = {
  quarters: { unit: 'months', factor: 3 },
}

/** The date plus an amount of units. */
function plus(date: string, amount: Text, unit: Unit): string {
  const { unit: own, factor } = FACTORS[unit] ?? { unit, factor: 1 }
  const count = factor === 1 ? amount : infix('*', LEVEL.product, 'number', amount, literal(factor))
  return call('date_add', 'text', atom(date), count, literal(own)).text
}

const FIXED: ReadonlySet<Unit> = new Set(['weeks', 'days', 'hours', 'minutes', 'seconds'])

/** `.add("1d 5h")`, `.add(n, unit)`; as in ZEN, units of fixed length are added before calendar units. */
function added(date: DateText, args: readonly Text[], sign: 1 | -1): DateText {
  const [amount, unit] = args
  if (amount === undefined || args.length > 2) return refuse('such a duration')
  if (unit !== undefined) {
    const signed = sign === 1 ? amount : infix('*', LEVEL.product, 'number', amount, literal(-1))
    return dateText(plus(date.moment, signed, unitOf(unit)), date.sources)
  }
  const text = isConstantText(amount) ? amount.text.slice(1, -1) : ''
  if (!/^(?:\d{1,6} ?[A-Za-z]+ ?)+$/.test(text)) refuse('a duration that is not a constant such as `1d 2h`')
  const parts = Array.from(text.matchAll(/(\d+) ?([A-Za-z]+)/g), ([, count = '', name = '']) => ({
    count: Number(count),
    unit: UNITS.get(name) ?? refuse(`the unit ${quote(name)} of a duration`),
  }))
  const calendar = parts.filter(({ unit: one }) => !FIXED.has(one))
  if (calendar.length > 1) refuse('a duration of several calendar units')
  const ordered = [...parts.filter(({ unit: one }) => FIXED.has(one)), ...calendar]
  const moment = ordered.reduce((from, { count, unit: one }) => plus(from, literal(sign * count), one), date.moment)
  return dateText(moment, date.sources)
}

const formatted = (date: string, pattern: string, zone?: string): Text =>
  call('format_date', 'text', atom(date), literal(pattern), ...(zone === undefined ? [] : [literal(zone)]))

const quarterOf = (date: string, zone?: string): Text => {
  const month = call('month', 'number', atom(date), ...(zone === undefined ? [] : [literal(zone)]))
  const shifted = infix('+', LEVEL.sum, 'number', month, literal(2))
  return call('floor', 'number', infix('/', LEVEL.product, 'number', shifted, literal(3)))
}

const STARTS: { readonly [Name in Unit]?: string } = {
  years: 'YYYY-01-01',
  months: 'YYYY-MM-01',
  days: 'YYYY-MM-DD',
  hours: 'YYYY-MM-DDTHH:00:00Z',
  minutes: 'YYYY-MM-DDTHH:mm:00Z',
  seconds: PRINTED,
}

/** The first moment of the unit that contains a date. */
function startOf(date: string, unit: Unit): string {
  const pattern = STARTS[unit]
  if (pattern !== undefined) return formatted(date, pattern).text
  if (unit === 'weeks') {
    const weekday = call('day_of_week', 'number', atom(date))
    const back = infix('-', LEVEL.sum, 'number', literal(1), weekday)
    return plus(formatted(date, 'YYYY-MM-DD').text, back, 'days')
  }
  const before = infix('-', LEVEL.sum, 'number', quarterOf(date), literal(1))
  return plus(formatted(date, 'YYYY-01-01').text, before, 'quarters')
}

/** The last millisecond of the unit that contains a date. */
function endOf(date: string, unit: Unit): string {
  const next = plus(startOf(date, unit), literal(1), unit)
  return call('date_add', 'text', atom(next), literal(-1), literal('milliseconds')).text
}

const differenceOf = (left: string, right: string, unit: string): Text =>
  call('date_diff', 'number', atom(left), atom(right), literal(unit))

/** A comparison of two dates. */
export function compareDates(operator: string, left: Text, right: Text): Text {
  return comparison(operator, differenceOf(asDate(left).moment, asDate(right).moment, 'milliseconds'), literal(0))
}

const COMPARISONS: ReadonlyMap<string, string> = new Map([
  ['isBefore', '<'],
  ['isAfter', '>'],
  ['isSame', '=='],
  ['isSameOrBefore', '<='],
  ['isSameOrAfter', '>='],
])

/** Directives of `format` with the same output in both languages. */
const DIRECTIVES = /^(?:[^%]|%[YmdHMSjbBaAyeIpFTuD%])*$/
/** Directives and their equivalents in a pattern of `format_date`, which supports time zones. */
const PARTS: ReadonlyMap<string, string> = new Map([
  ['%Y', 'YYYY'],
  ['%m', 'MM'],
  ['%d', 'DD'],
  ['%H', 'HH'],
  ['%M', 'mm'],
  ['%S', 'ss'],
  ['%F', 'YYYY-MM-DD'],
  ['%T', 'HH:mm:ss'],
])

function printed({ moment, zone }: DateText, pattern: Text | undefined): Text {
  const text =
    pattern === undefined ? '%Y-%m-%d %H:%M:%S UTC' : /^"[^"\\]*"$/.test(pattern.text) ? pattern.text.slice(1, -1) : ''
  if (text === '' || !DIRECTIVES.test(text)) refuse('this format of a date')
  if (zone === undefined) return call('format_time', 'text', atom(moment), literal(text))
  if (pattern === undefined || /[A-Za-z]/.test(text.replaceAll(/%[A-Za-z]/g, ''))) refuse('this format in a time zone')
  const written = text.replaceAll(/%./g, (part) => PARTS.get(part) ?? refuse('this format in a time zone'))
  return formatted(moment, written, zone)
}

/** Numeric parts of a date. */
function partOf(name: string, { moment, zone }: DateText): Text | undefined {
  const at = zone === undefined ? [] : [literal(zone)]
  const read = (own: string) => call(own, 'number', atom(moment), ...at)
  const padded = (pattern: string) => call('to_number', 'number', formatted(moment, pattern, zone))
  switch (name) {
    case 'year':
    case 'month':
    case 'day':
    case 'hour':
      return read(name)
    case 'weekday':
      return read('day_of_week')
    case 'minute':
      return padded('mm')
    case 'second':
      return padded('ss')
    case 'quarter':
      return quarterOf(moment, zone)
    case 'timestamp':
      return differenceOf(moment, '0', 'milliseconds')
    case 'dayOfYear':
      if (zone !== undefined) refuse('the day of the year in a time zone')
      return call('to_number', 'number', call('format_time', 'text', atom(moment), literal('%j')))
    default:
      return undefined
  }
}

const SETTABLE: { readonly [Name in Unit]?: readonly [least: number, most: number, read: string] } = {
  years: [1, 9999, 'year'],
  months: [1, 12, 'month'],
  days: [1, 28, 'day'],
  hours: [0, 23, 'hour'],
  minutes: [0, 59, 'minute'],
  seconds: [0, 59, 'second'],
}

/** `.set(unit, n)` with a constant that is valid in every month. */
function setPart(date: DateText, unit: Text | undefined, value: Text | undefined): DateText {
  const name = unitOf(unit)
  const [least = 1, most = 0, read = ''] = SETTABLE[name] ?? []
  const number = Number(value?.text)
  if (!Number.isInteger(number) || number < least || number > most) refuse('such a part of a date')
  const part = partOf(read, { ...date }) ?? literal(0)
  return dateText(plus(date.moment, infix('-', LEVEL.sum, 'number', literal(number), part), name), date.sources)
}

/** The condition that no source of a date is null: ZEN treats null as an invalid date. */
const arePresent = (dates: readonly DateText[]): Text =>
  allOf(
    ...dates
      .flatMap(({ sources }) => sources)
      .filter((source) => source.length <= MAX_REPEATED)
      .map((source) => comparison('!=', atom(source), NULL)),
  )

/** The value, or null if a date is computed from null. */
function whenPresent(dates: readonly DateText[], value: Text): Text {
  const present = arePresent(dates)
  return present.text === 'true' ? value : choice(present, value, NULL)
}

const TODAY: ReadonlyMap<string, number> = new Map([
  ['isYesterday', -1],
  ['isToday', 0],
  ['isTomorrow', 1],
])

const LEAST_ARGUMENTS: ReadonlyMap<string, readonly [least: number, most: number]> = new Map([
  ['add', [1, 2]],
  ['sub', [1, 2]],
  ['diff', [1, 2]],
  ['set', [2, 2]],
  ['startOf', [1, 1]],
  ['endOf', [1, 1]],
  ['format', [0, 1]],
  ['tz', [1, 1]],
  ...Array.from(COMPARISONS.keys(), (name): [string, readonly [number, number]] => [name, [1, 2]]),
])

/** Calls of a method of a date. Throws `DateRefusal`. */
export function dateMethod(receiver: Text, name: string, args: readonly Text[]): Text {
  const [least, most] = LEAST_ARGUMENTS.get(name) ?? [0, 0]
  if (args.length < least || args.length > most) refuse(`the method ${quote(name)} with ${args.length} arguments`)
  const date = asDate(receiver)
  const [first, second] = args
  const operator = COMPARISONS.get(name)
  if (operator !== undefined) return compared(operator, date, defined(first), second)
  const part = partOf(name, date)
  if (part !== undefined) return whenPresent([date], part)
  const days = TODAY.get(name)
  if (days !== undefined) {
    const today = formatted(days === 0 ? 'now()' : plus('now()', literal(days), 'days'), 'YYYY-MM-DD', date.zone)
    return allOf(arePresent([date]), comparison('==', formatted(date.moment, 'YYYY-MM-DD', date.zone), today))
  }
  if (name === 'format') return printed(date, first)
  if (name === 'diff') return whenPresent([date, dateOf(first, undefined)], difference(date, defined(first), second))
  if (date.zone !== undefined) refuse(`the method ${quote(name)} in a time zone`)
  switch (name) {
    case 'add':
      return added(date, args, 1)
    case 'sub':
      return added(date, args, -1)
    case 'startOf':
      return dateText(startOf(date.moment, unitOf(first)), date.sources)
    case 'endOf': {
      const unit = unitOf(first)
      // ZEN ends a week on Monday.
      return unit === 'weeks' ? refuse('the end of a week') : dateText(endOf(date.moment, unit), date.sources)
    }
    case 'set':
      return setPart(date, first, second)
    case 'isLeapYear': {
      const next = plus(formatted(date.moment, 'YYYY-02-28').text, literal(1), 'days')
      return allOf(arePresent([date]), comparison('==', call('day', 'number', atom(next)), literal(29)))
    }
    case 'tz': {
      const zone = first !== undefined && isConstantText(first) ? first.text.slice(1, -1) : ''
      if (!ZONE.test(zone)) refuse('a time zone that is not a constant')
      // A date without a time is midnight in UTC, and would be midnight in the zone.
      return zone === 'UTC' ? date : dateText(plus(date.moment, literal(0), 'seconds'), date.sources, zone)
    }
    default:
      return refuse(`the method ${quote(name)}`)
  }
}

function difference(date: DateText, other: Text, unit: Text | undefined): Text {
  const left = date.moment
  const right = dateOf(other, undefined).moment
  const name = unit === undefined ? 'milliseconds' : unitOf(unit)
  if (name !== 'quarters') return differenceOf(left, right, name)
  const months = differenceOf(left, right, 'months')
  return call('to_int', 'number', infix('/', LEVEL.product, 'number', months, literal(3)))
}

function compared(operator: string, date: DateText, other: Text, unit: Text | undefined): Text {
  const right = dateOf(other, undefined)
  if (unit !== undefined && (date.zone ?? right.zone) !== undefined) refuse('a comparison by a unit in a time zone')
  const name = unit === undefined ? undefined : unitOf(unit)
  const at = (moment: string) => (name === undefined ? moment : startOf(moment, name))
  const test = (sign: string) =>
    comparison(sign, differenceOf(at(date.moment), at(right.moment), 'milliseconds'), literal(0))
  const result = name === 'quarters' ? comparedByQuarter(operator, date.moment, test) : test(operator)
  return allOf(arePresent([date, right]), result)
}

/**
 * A comparison by quarters. ZEN computes the bounds of a quarter by changing the month of the date, and gets no date if
 * that month lacks the day: 31 May has no bound in the first month of its quarter, and the last days of May, July and
 * August have none in the last.
 */
function comparedByQuarter(operator: string, date: string, test: (operator: string) => Text): Text {
  const isNot = (day: string) => comparison('!=', formatted(date, 'MM-DD'), literal(day))
  const hasStart = isNot('05-31')
  const hasEnd = allOf(hasStart, isNot('07-31'), isNot('08-31'))
  if (operator === '>') return allOf(hasStart, test('>'))
  if (operator === '>=') return oneOf(allOf(hasStart, test('>')), allOf(hasEnd, test('==')))
  return allOf(hasEnd, test(operator))
}

/** The ISO 8601 week of the year, for Unix seconds or a text: that of its Thursday. */
export function weekOf(value: Text | undefined): Text | undefined {
  if (value === undefined) return undefined
  const day = call('format_time', 'text', value, literal('%F')).text
  const ahead = infix('-', LEVEL.sum, 'number', literal(4), call('day_of_week', 'number', atom(day)))
  const thursday = call('format_time', 'text', atom(plus(day, ahead, 'days')), literal('%j'))
  const shifted = infix('+', LEVEL.sum, 'number', call('to_number', 'number', thursday), literal(6))
  return call('to_int', 'number', infix('/', LEVEL.product, 'number', shifted, literal(7)))
}

/** `startOf(x, unit)` and `endOf(x, unit)` of Unix seconds or a text, in Unix seconds. */
export function boundaryOf(value: Text, unit: Text | undefined, isEnd: boolean): Text | undefined {
  const name = unitOf(unit)
  if (name === 'quarters') return undefined
  const moment = call('format_time', 'text', value, literal('%FT%TZ')).text
  const start = call('time_diff', 'number', atom(startOf(moment, name)), literal(0), literal('seconds'))
  if (!isEnd) return start
  const next = plus(startOf(moment, name), literal(1), name)
  const seconds = call('time_diff', 'number', atom(next), literal(0), literal('seconds'))
  return infix('-', LEVEL.sum, 'number', seconds, literal(1))
}
