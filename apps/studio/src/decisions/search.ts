export const SPANS = ['hour', 'day', 'week', 'month'] as const
export type Span = (typeof SPANS)[number]

const HOUR_MS = 3_600_000
export const SPAN_MS: Readonly<Record<Span, number>> = {
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 7 * 24 * HOUR_MS,
  month: 30 * 24 * HOUR_MS,
}

/** The start of a time range that ends now. */
export const startOf = (span: Span): string => new Date(Date.now() - SPAN_MS[span]).toISOString()

/** Tabs other than the recorded decisions. */
const TABS = ['refused', 'shadows', 'replays'] as const

/** The state of the decisions page in the URL. */
export interface DecisionsSearch {
  readonly tab?: (typeof TABS)[number]
  readonly ruleset?: string
  readonly environment?: string
  readonly span?: Span
}

/** Parses the search parameters; unknown ones are ignored. */
export function decisionsSearch(search: Readonly<Record<string, unknown>>): DecisionsSearch {
  const { ruleset, environment } = search
  const tab = TABS.find((one) => one === search['tab'])
  const span = SPANS.find((one) => one === search['span'])
  return {
    ...(tab !== undefined && { tab }),
    ...(typeof ruleset === 'string' && ruleset !== '' && { ruleset }),
    ...(typeof environment === 'string' && environment !== '' && { environment }),
    ...(span !== undefined && { span }),
  }
}
