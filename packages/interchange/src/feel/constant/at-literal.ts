import { parseDate, parseDateTime, parseDuration, parseTime } from './temporal.ts'
import { type FeelValue, NotConstant } from './value.ts'

/** The value of `@"…"`; null for other texts than days, times and durations. */
export function atLiteral(text: string): FeelValue {
  refuseMidnight24(text)
  return parseDate(text) ?? parseDateTime(text) ?? parseTime(text) ?? parseDuration(text) ?? null
}

/** Whether `24:00:00` is the end of the day or no time differs between products. */
export function refuseMidnight24(text: string): void {
  if (/(?:^|T)24:/.test(text)) throw new NotConstant('the hour 24')
}
