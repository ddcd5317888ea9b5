/** The label value for everything beyond the limit. No ruleset can have this name. */
export const OTHER = '(other)'

/**
 * A function that lets through the first `limit` different values and gives `OTHER` for the rest, so that nothing that
 * users write can make the number of series grow without end. Values longer than `longest` are never let through.
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
