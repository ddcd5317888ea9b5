import { quote } from '@engine/expression'
import { type Feel, FeelFault } from './ast.ts'

/** Digits that a double keeps, whichever they are. */
const EXACT_DIGITS = 15

/** A number as it is written here. Throws for one that a double does not hold: the numbers of FEEL have 34 digits. */
export function numberLiteral(digits: string, offset: number): string {
  if (/^\d+$/.test(digits)) return digits.replace(/^0+(?=\d)/, '')
  const significant = digits
    .replace(/[eE].*$/, '')
    .replace('.', '')
    .replace(/^0+/, '')
  const value = Number(digits)
  if (significant.length > EXACT_DIGITS || !Number.isFinite(value))
    throw new FeelFault(`the number ${digits} has more digits than are kept`, offset)
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
 * A day or time as text in ISO 8601, which compares as the days and times do, and equals an input of the same form. What is
 * not of one length has no form here: offsets, fractions of seconds, years beyond 9999, durations.
 * `name`: of the function of FEEL; undefined: any.
 */
export function timeLiteral(name: string | undefined, text: string, offset: number): Feel {
  const form = FORMS.find((one) => (name === undefined || one.name === name) && one.pattern.test(text))
  const instant = form?.day === true ? text : `1970-01-01T${text}`
  const utc = instant.length === 10 ? `${instant}T00:00:00` : instant
  const parsed = form === undefined ? Number.NaN : Date.parse(`${utc}Z`)
  if (Number.isNaN(parsed) || new Date(parsed).toISOString().slice(0, 19) !== utc)
    throw new FeelFault(
      `${quote(text)} has no form here: days and times are kept without an offset and fractions`,
      offset,
    )
  return { kind: 'time', text }
}
