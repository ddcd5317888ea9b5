/** A date of the proleptic Gregorian calendar. */
export interface FeelDate {
  readonly kind: 'date'
  readonly year: number
  readonly month: number
  readonly day: number
}

/** A time of day; `offset` in seconds, `zone` an IANA name, neither for a local time. */
export interface FeelTime {
  readonly kind: 'time'
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly nanos: number
  readonly offset?: number
  readonly zone?: string
}

export interface FeelDateTime {
  readonly kind: 'dateTime'
  readonly date: FeelDate
  readonly time: FeelTime
}

/** A duration of days and times, in nanoseconds. */
export interface DayTime {
  readonly kind: 'dayTime'
  readonly nanos: bigint
}

/** A duration of years and months, in months. */
export interface YearMonth {
  readonly kind: 'yearMonth'
  readonly months: number
}

export type Temporal = FeelDate | FeelTime | FeelDateTime | DayTime | YearMonth

export const NANOS = 1_000_000_000n
const DAY_NANOS = 86_400n * NANOS
const MAX_YEAR = 999_999_999
const ZONE = /^(?:[A-Za-z_]+)(?:\/[A-Za-z0-9_+-]+)*$/

const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] ?? 0)
}

/** Undefined for an invalid date. */
export function dateOf(year: number, month: number, day: number): FeelDate | undefined {
  if (![year, month, day].every(Number.isInteger) || Math.abs(year) > MAX_YEAR) return undefined
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  return { kind: 'date', year, month, day }
}

export function parseDate(text: string): FeelDate | undefined {
  const [, year = '', month = '', day = ''] = /^(-?(?:\d{4}|[1-9]\d{4,8}))-(\d{2})-(\d{2})$/.exec(text) ?? []
  return year === '' ? undefined : dateOf(Number(year), Number(month), Number(day))
}

const TIME = /^(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9})\d*)?(?:(Z|z)|([+-])(\d{2}):(\d{2})(?::(\d{2}))?|@(.+))?$/

export function parseTime(text: string): FeelTime | undefined {
  const found = TIME.exec(text)
  if (found === null) return undefined
  const [, hour, minute, second, fraction = '', utc, sign, hours = '0', minutes = '0', seconds = '0', zone] = found
  const offset = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  if (Number(minutes) > 59 || Number(seconds) > 59) return undefined
  return timeOf({
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    nanos: Number(fraction.padEnd(9, '0')),
    offset: utc === undefined && sign === undefined ? undefined : sign === '-' ? -offset : offset,
    zone,
  })
}

/** Undefined for an invalid time. */
export function timeOf(parts: {
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly nanos: number
  readonly offset?: number | undefined
  readonly zone?: string | undefined
}): FeelTime | undefined {
  const { hour, minute, second, nanos, offset, zone } = parts
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return undefined
  if (offset !== undefined && Math.abs(offset) > 18 * 3600) return undefined
  if (zone !== undefined && !isZone(zone)) return undefined
  return {
    kind: 'time',
    hour,
    minute,
    second,
    nanos,
    ...(offset !== undefined && { offset }),
    ...(zone !== undefined && { zone }),
  }
}

function isZone(name: string): boolean {
  if (!ZONE.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

const MIDNIGHT: FeelTime = { kind: 'time', hour: 0, minute: 0, second: 0, nanos: 0 }

export function parseDateTime(text: string): FeelDateTime | undefined {
  const split = text.indexOf('T')
  if (split < 0) {
    const date = parseDate(text)
    return date && { kind: 'dateTime', date, time: MIDNIGHT }
  }
  const date = parseDate(text.slice(0, split))
  const time = parseTime(text.slice(split + 1))
  return date === undefined || time === undefined ? undefined : { kind: 'dateTime', date, time }
}

export function parseDuration(text: string): DayTime | YearMonth | undefined {
  const months = /^(-)?P(?:(\d+)Y)?(?:(\d+)M)?$/.exec(text)
  if (months !== null && (months[2] ?? months[3]) !== undefined) {
    const count = Number(months[2] ?? 0) * 12 + Number(months[3] ?? 0)
    return Number.isSafeInteger(count)
      ? { kind: 'yearMonth', months: months[1] === undefined || count === 0 ? count : -count }
      : undefined
  }
  const found = /^(-)?P(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?)?$/.exec(text)
  if (found === null) return undefined
  const [, sign, days, hours, minutes, seconds, fraction = ''] = found
  if ((days ?? hours ?? minutes ?? seconds) === undefined) return undefined
  const whole =
    BigInt(days ?? 0) * 86_400n + BigInt(hours ?? 0) * 3600n + BigInt(minutes ?? 0) * 60n + BigInt(seconds ?? 0)
  const nanos = whole * NANOS + BigInt(fraction.slice(0, 9).padEnd(9, '0'))
  return { kind: 'dayTime', nanos: sign === undefined ? nanos : -nanos }
}

/** Days since 1970-01-01. */
export function epochDays({ year, month, day }: FeelDate): number {
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const ofEra = shifted - era * 400
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719_468
}

/** Undefined beyond the range of FEEL years. */
export function dateOfDays(days: number): FeelDate | undefined {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const ofEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  )
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * ofYear + 2) / 153)
  const month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
  const day = ofYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1
  return dateOf(yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
}

export function nanosOfDay({ hour, minute, second, nanos }: FeelTime): bigint {
  return BigInt(hour * 3600 + minute * 60 + second) * NANOS + BigInt(nanos)
}

/** Nanoseconds since 1970 as if it were UTC. */
export function localNanos({ date, time }: FeelDateTime): bigint {
  return BigInt(epochDays(date)) * DAY_NANOS + nanosOfDay(time)
}

/** The UTC offset of a time in seconds; undefined for a local time. */
export function offsetOf(time: FeelTime, date: FeelDate): number | undefined {
  if (time.offset !== undefined) return time.offset
  if (time.zone === undefined) return undefined
  const local = Number(localNanos({ kind: 'dateTime', date, time }) / NANOS)
  // The offset at the local time, found in two steps because of clock changes.
  const first = zoneOffset(time.zone, local)
  return zoneOffset(time.zone, local - first)
}

function zoneOffset(zone: string, seconds: number): number {
  const at = new Date(seconds * 1000)
  if (Number.isNaN(at.getTime())) return 0
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at)
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0)
  const isBefore = parts.some(({ type, value }) => type === 'era' && value.startsWith('B'))
  const date: FeelDate = {
    kind: 'date',
    year: isBefore ? 1 - of('year') : of('year'),
    month: of('month'),
    day: of('day'),
  }
  return epochDays(date) * 86_400 + of('hour') * 3600 + of('minute') * 60 + of('second') - Math.floor(seconds)
}

/** The instant in nanoseconds since 1970; a local date and time is treated as UTC. */
export function instantOf(value: FeelDateTime): bigint {
  return localNanos(value) - BigInt(offsetOf(value.time, value.date) ?? 0) * NANOS
}

/** The date and time for nanoseconds since 1970 as if in UTC, with the offset or zone of another time. */
export function dateTimeOf(nanos: bigint, { offset, zone }: FeelTime): FeelDateTime | undefined {
  const days = floorDivide(nanos, DAY_NANOS)
  const date = dateOfDays(Number(days))
  return date && { kind: 'dateTime', date, time: timeOfNanos(nanos - days * DAY_NANOS, { offset, zone }) }
}

/** The time of day of nanoseconds since midnight, modulo a day. */
export function timeOfNanos(
  nanos: bigint,
  { offset, zone }: { readonly offset?: number | undefined; readonly zone?: string | undefined },
): FeelTime {
  const ofDay = nanos - floorDivide(nanos, DAY_NANOS) * DAY_NANOS
  const seconds = Number(ofDay / NANOS)
  return {
    kind: 'time',
    hour: Math.floor(seconds / 3600),
    minute: Math.floor(seconds / 60) % 60,
    second: seconds % 60,
    nanos: Number(ofDay % NANOS),
    ...(offset !== undefined && { offset }),
    ...(zone !== undefined && { zone }),
  }
}

export function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  return quotient * divisor > dividend ? quotient - 1n : quotient
}

/** A date some months later; the day is limited to the last day of the month. */
export function addMonths({ year, month, day }: FeelDate, months: number): FeelDate | undefined {
  const total = year * 12 + month - 1 + months
  const [newYear, newMonth] = [Math.floor(total / 12), (((total % 12) + 12) % 12) + 1]
  return dateOf(newYear, newMonth, Math.min(day, daysInMonth(newYear, newMonth)))
}

/** Whole months from one date to another. */
export function monthsBetween(from: FeelDate, to: FeelDate): number {
  const months = (to.year - from.year) * 12 + to.month - from.month
  if (months > 0 && to.day < from.day) return months - 1
  return months < 0 && to.day > from.day ? months + 1 : months
}

/** 1 is Monday. */
export function weekday(date: FeelDate): number {
  return ((((epochDays(date) + 3) % 7) + 7) % 7) + 1
}

const two = (value: number) => String(value).padStart(2, '0')

export function temporalText(value: Temporal): string {
  switch (value.kind) {
    case 'date': {
      const { year, month, day } = value
      return `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(4, '0')}-${two(month)}-${two(day)}`
    }
    case 'time':
      return `${two(value.hour)}:${two(value.minute)}:${two(value.second)}${fractionText(value.nanos)}${offsetText(value)}`
    case 'dateTime':
      return `${temporalText(value.date)}T${temporalText(value.time)}`
    case 'dayTime':
      return dayTimeText(value.nanos)
    case 'yearMonth': {
      const size = Math.abs(value.months)
      const [years, months] = [Math.floor(size / 12), size % 12]
      const text = `${years > 0 ? `${years}Y` : ''}${months > 0 ? `${months}M` : ''}`
      return `${value.months < 0 ? '-' : ''}P${text === '' ? '0M' : text}`
    }
  }
}

const fractionText = (nanos: number) => (nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`)

function offsetText({ offset, zone }: FeelTime): string {
  if (zone !== undefined) return `@${zone}`
  if (offset === undefined) return ''
  if (offset === 0) return 'Z'
  const size = Math.abs(offset)
  const seconds = size % 60 === 0 ? '' : `:${two(size % 60)}`
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 3600))}:${two(Math.floor(size / 60) % 60)}${seconds}`
}

function dayTimeText(nanos: bigint): string {
  const size = nanos < 0n ? -nanos : nanos
  const seconds = size / NANOS
  const [days, hours, minutes, rest] = [
    seconds / 86_400n,
    (seconds / 3600n) % 24n,
    (seconds / 60n) % 60n,
    seconds % 60n,
  ]
  const fraction = fractionText(Number(size % NANOS))
  const time = `${hours > 0n ? `${hours}H` : ''}${minutes > 0n ? `${minutes}M` : ''}${rest > 0n || fraction !== '' ? `${rest}${fraction}S` : ''}`
  const text = `${days > 0n ? `${days}D` : ''}${time === '' ? '' : `T${time}`}`
  return `${nanos < 0n ? '-' : ''}P${text === '' ? 'T0S' : text}`
}
