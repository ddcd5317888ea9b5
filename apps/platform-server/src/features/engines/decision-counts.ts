import { DURATION_BOUNDS } from '@engine/api'
import { isObject, stringifyJson, type Value } from '@engine/expression'

/** Decision counters for one content of a ruleset. */
export interface Counts {
  readonly ok: number
  readonly errors: number
  /** Decisions by result code. */
  readonly codes: { readonly [code: string]: number }
  /**
   * Executions per bucket of duration (`DURATION_BOUNDS`; the last bucket has no upper bound), and the sum of their
   * durations.
   */
  readonly durations: { readonly counts: readonly number[]; readonly sum_seconds: number }
}

export const NOTHING: Counts = { ok: 0, errors: 0, codes: {}, durations: { counts: [], sum_seconds: 0 } }

/** Counters from a stored or reported row. */
export function countsOf(row: {
  readonly ok: number
  readonly errors: number
  readonly codes: Value | Counts['codes']
  readonly durations: Value | Counts['durations']
}): Counts {
  // Reports are validated against their schemas.
  const { codes, durations } = row as unknown as Counts
  return { ok: row.ok, errors: row.errors, codes: isObject(codes) ? codes : {}, durations }
}

/** The columns that store counters. */
export const columnsOf = ({ ok, errors, codes, durations }: Counts) => ({
  ok,
  errors,
  codes: stringifyJson(codes),
  durations: stringifyJson(durations),
})

/** The increase since a previous count. A lower count means that the counter restarted, so all of it is new. */
export function difference(now: Counts, before: Counts): Counts {
  if (now.ok < before.ok || now.errors < before.errors) return now
  return combined(now, before, (left, right) => Math.max(0, left - right))
}

export function sum(left: Counts, right: Counts): Counts {
  return combined(left, right, (one, other) => one + other)
}

function combined(left: Counts, right: Counts, by: (left: number, right: number) => number): Counts {
  const codes = [...new Set([...Object.keys(left.codes), ...Object.keys(right.codes)])]
  const [longer, shorter] = [left.durations.counts, right.durations.counts]
  return {
    ok: by(left.ok, right.ok),
    errors: by(left.errors, right.errors),
    codes: Object.fromEntries(
      codes.map((code) => [code, by(left.codes[code] ?? 0, right.codes[code] ?? 0)]).filter(([, count]) => count !== 0),
    ),
    durations: {
      counts: Array.from({ length: Math.max(longer.length, shorter.length) }, (_, index) =>
        by(longer[index] ?? 0, shorter[index] ?? 0),
      ),
      sum_seconds: by(left.durations.sum_seconds, right.durations.sum_seconds),
    },
  }
}

/** Durations in microseconds; null without executions, or beyond all buckets. */
export interface Latency {
  readonly mean: number | null
  readonly p50: number | null
  readonly p90: number | null
  readonly p99: number | null
}

/** Each percentile is the upper bound of its bucket. */
export function latencyOf({ counts, sum_seconds }: Counts['durations']): Latency {
  const total = counts.reduce((all, count) => all + count, 0)
  const at = (share: number) => {
    let reached = 0
    const index = counts.findIndex((count) => (reached += count) >= total * share)
    const bound = total === 0 ? undefined : DURATION_BOUNDS[index]
    return bound === undefined ? null : Math.round(bound * 1e6)
  }
  const mean = total === 0 ? null : Math.round((sum_seconds / total) * 1e9) / 1e3
  return { mean, p50: at(0.5), p90: at(0.9), p99: at(0.99) }
}
