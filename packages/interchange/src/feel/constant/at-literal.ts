import { parseDate, parseDateTime, parseDuration, parseTime } from './temporal.ts'
import { type FeelValue, NotConstant } from './value.ts'

/** The value of `@"…"`; null for text other than dates, times and durations. */
export function atLiteral(text: string): FeelValue {
  refuseMidnight24(text)
  return parseDate(text) ?? parseDateTime(text) ?? parseTime(text) ?? parseDuration(text) ?? null
}

/** Products differ in whether `24:00:00` is the end of the day or invalid. */
export function refuseMidnight24(text: string): void {
  if (/(?:^|T)24:/.test(text)) throw new NotConstant('the hour 24')
}
