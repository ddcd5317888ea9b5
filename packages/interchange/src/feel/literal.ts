import { quote } from '@engine/expression'
import { type Feel, FeelFault } from './ast.ts'

/** Decimal digits that a double always preserves. */
const EXACT_DIGITS = 15

/** A number in our syntax. Throws when a double cannot represent it: FEEL numbers have 34 digits. */
export function numberLiteral(digits: string): string {
  if (/^\d+$/.test(digits)) return digits.replace(/^0+(?=\d)/, '')
  const significant = digits
    .replace(/[eE].*$/, '')
    .replace('.', '')
    .replace(/^0+/, '')
  const value = Number(digits)
  if (significant.length > EXACT_DIGITS || !Number.isFinite(value))
    throw new FeelFault(`the number ${digits} has more digits than a double preserves`)
  return String(value)
}

const DAY = String.raw`\d{4}-\d{2}-\d{2}`
const TIME = String.raw`\d{2}:\d{2}:\d{2}`
const FORMS = [
  { name: 'date', pattern: new RegExp(`^${DAY}$`), day: true },
  { name: 'time', pattern: new RegExp(`^${TIME}$`), day: false },
  { name: 'date and time', pattern: new RegExp(`^${DAY}T${TIME}$`), day: true },
] as const

/**
 * A date or time as ISO 8601 text, which compares like the date or time and equals an input of the same form. Forms of
 * variable length are not supported: offsets, fractions of seconds, years beyond 9999, durations. `name`: the FEEL
 * function; undefined: any.
 */
export function timeLiteral(name: string | undefined, text: string): Feel {
  const form = FORMS.find((one) => (name === undefined || one.name === name) && one.pattern.test(text))
  const instant = form?.day === true ? text : `1970-01-01T${text}`
  const utc = instant.length === 10 ? `${instant}T00:00:00` : instant
  const parsed = form === undefined ? Number.NaN : Date.parse(`${utc}Z`)
  if (Number.isNaN(parsed) || new Date(parsed).toISOString().slice(0, 19) !== utc)
    throw new FeelFault(
      `${quote(text)} is not supported: a date, time or duration must be valid and have no offset or fractions`,
    )
  return { kind: 'time', text }
}
