/** A calendar date, or an instant. */
export type Moment =
  | { readonly kind: 'date'; readonly date: Temporal.PlainDate }
  | { readonly kind: 'instant'; readonly instant: Temporal.Instant }

const DATE = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?$/

/** ISO 8601 text or epoch milliseconds; a time without an offset is UTC. Undefined when it is invalid. */
export function parseMoment(value: string | number): Moment | undefined {
  try {
    if (typeof value === 'number')
      return { kind: 'instant', instant: Temporal.Instant.fromEpochMilliseconds(Math.trunc(value)) }
    if (DATE.test(value)) return { kind: 'date', date: Temporal.PlainDate.from(value) }
    if (!TIME.test(value)) return undefined
    const hasOffset = /(?:Z|[+-]\d{2}:?\d{2})$/.test(value.slice(10))
    return { kind: 'instant', instant: Temporal.Instant.from(hasOffset ? value : `${value}Z`) }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The moment in a time zone: a date at its local midnight, an instant unchanged. */
export function zoned(moment: Moment, zone: string): Temporal.ZonedDateTime {
  return moment.kind === 'date' ? moment.date.toZonedDateTime(zone) : moment.instant.toZonedDateTimeISO(zone)
}

/** `YYYY-MM-DD`, or UTC with milliseconds: `2026-11-20T10:00:00.000Z`. */
export function printMoment(moment: Moment): string {
  return moment.kind === 'date' ? moment.date.toString() : new Date(moment.instant.epochMilliseconds).toISOString()
}
