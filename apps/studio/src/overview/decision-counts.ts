import type { components } from '../api/schema.ts'

type Stats = components['schemas']['RulesetStats']

/** Decisions of an environment over time. */
export interface DecisionCounts {
  readonly executions: readonly number[]
  readonly errors: readonly number[]
  /** By result code, the most frequent first. */
  readonly codes: readonly { readonly code: string; readonly values: readonly number[]; readonly total: number }[]
  readonly total: number
  readonly failed: number
  /** The 99th percentile of the duration in microseconds, the highest of several contents; null if unknown. */
  readonly p99: number | null
  /** Index of the first time with a decision; -1 if there is none. */
  readonly first: number
}

/** Counts of rulesets in an environment, summed at the times of a chart. Times without decisions count 0. */
export function countsOf(stats: readonly Stats[], environment: string, times: readonly number[]): DecisionCounts {
  const places = new Map(times.map((time, index) => [time, index]))
  const [executions, errors] = [times.map(() => 0), times.map(() => 0)]
  const codes = new Map<string, number[]>()
  let p99: number | null = null
  for (const { contents } of stats.flatMap((one) => one.environments).filter((one) => one.environment === environment))
    for (const { points, latency_us: latency } of contents) {
      if (latency.p99 !== null) p99 = Math.max(p99 ?? 0, latency.p99)
      for (const { at, executions: count, errors: failed, codes: byCode } of points) {
        const index = places.get(Date.parse(at))
        if (index === undefined) continue
        executions[index] = (executions[index] ?? 0) + count
        errors[index] = (errors[index] ?? 0) + failed
        for (const [code, decided] of Object.entries(byCode)) {
          const values = codes.getOrInsertComputed(code, () => times.map(() => 0))
          values[index] = (values[index] ?? 0) + decided
        }
      }
    }
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return {
    executions,
    errors,
    codes: Array.from(codes, ([code, values]) => ({ code, values, total: sum(values) })).toSorted(
      (left, right) => right.total - left.total,
    ),
    total: sum(executions),
    failed: sum(errors),
    p99,
    first: executions.findIndex((value) => value > 0),
  }
}
