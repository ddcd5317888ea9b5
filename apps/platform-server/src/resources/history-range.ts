import { invalidParameter, type QueryParameters } from '@engine/http-api'
import { Type } from 'typebox'

/** The requested range of a history. */
export interface HistoryRange {
  readonly from: Date
  readonly to: Date
  readonly stepSeconds: number
}

/** The query parameters of a history. */
export const HISTORY_RANGE: QueryParameters = {
  from: Type.String({ format: 'date-time', description: 'default: an hour before `to`' }),
  to: Type.String({ format: 'date-time', description: 'default: now' }),
  step: Type.Integer({ minimum: 60, maximum: 86_400, description: 'seconds; default: 60' }),
}

/** Maximum number of points of a series in one answer. */
const MAX_POINTS = 10_000

/** The range that a query requests. Throws `HttpError`. */
export function historyRangeOf(query: URLSearchParams): HistoryRange {
  const to = timeOf(query, 'to') ?? new Date()
  const from = timeOf(query, 'from') ?? new Date(to.getTime() - 3600 * 1000)
  const given = query.get('step')
  const stepSeconds = given === null ? 60 : /^\d{1,6}$/.test(given) ? Number(given) : 0
  if (stepSeconds < 60 || stepSeconds > 86_400)
    throw invalidParameter('step', 'must be a number of seconds from 60 to 86400')
  if (from.getTime() > to.getTime()) throw invalidParameter('from', 'is after `to`')
  if ((to.getTime() - from.getTime()) / 1000 / stepSeconds > MAX_POINTS)
    throw invalidParameter('step', `is too short: there would be more than ${MAX_POINTS} points`)
  return { from, to, stepSeconds }
}

function timeOf(query: URLSearchParams, name: string): Date | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  const time = new Date(text)
  if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(time.getTime()))
    throw invalidParameter(name, 'must be a time such as `2027-01-31T12:00:00Z`')
  return time
}
