import { quote } from '@engine/expression'
import { invalidParameter } from '@engine/http-api'

/** RFC 3339, as JSON Schema has `date-time`; with a date alone the day begins in UTC. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/i

/** A time of the query; undefined: it names none. Throws 400. */
export function timeIn(query: URLSearchParams, name: string): Date | undefined {
  const given = query.get(name)
  if (given === null) return undefined
  const time = TIME.test(given) && isDay(given.slice(0, 10)) ? Date.parse(given) : Number.NaN
  if (Number.isNaN(time))
    throw invalidParameter(name, `must be a time such as \`2026-01-31T12:00:00Z\`, found ${quote(given)}`)
  return new Date(time)
}

/** Whether the day exists: `Date` takes the 31st of February for the 3rd of March. */
function isDay(text: string): boolean {
  const day = Date.parse(text)
  return !Number.isNaN(day) && new Date(day).toISOString().startsWith(text)
}
