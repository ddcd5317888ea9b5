/** The label value for all values beyond the limit. No ruleset can have this name. */
export const OTHER = '(other)'

/**
 * Returns a function that passes the first `limit` distinct values and replaces the others by `OTHER`, so that text of
 * users cannot create an unbounded number of series. Values longer than `longest` are always replaced.
 */
export function boundedLabel(limit: number, longest = 120): (value: string) => string {
  const seen = new Set<string>()
  return (value) => {
    if (seen.has(value)) return value
    if (seen.size >= limit || value.length > longest) return OTHER
    seen.add(value)
    return value
  }
}
