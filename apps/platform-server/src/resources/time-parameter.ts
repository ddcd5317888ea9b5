import { quote } from '@engine/expression'
import { invalidParameter } from '@engine/http-api'

/** RFC 3339, like `date-time` in JSON Schema; a date alone means the start of the day in UTC. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/i

/** A time in the query; undefined if it is missing. Throws 400. */
export function timeIn(query: URLSearchParams, name: string): Date | undefined {
  const given = query.get(name)
  if (given === null) return undefined
  const time = TIME.test(given) && isDay(given.slice(0, 10)) ? Date.parse(given) : Number.NaN
  if (Number.isNaN(time))
    throw invalidParameter(name, `must be a time such as \`2026-01-31T12:00:00Z\`, found ${quote(given)}`)
  return new Date(time)
}

/** True if the day exists: `Date` reads February 31 as March 3. */
function isDay(text: string): boolean {
  const day = Date.parse(text)
  return !Number.isNaN(day) && new Date(day).toISOString().startsWith(text)
}
