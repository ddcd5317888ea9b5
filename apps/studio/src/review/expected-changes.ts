import { wilson } from '../rollout/difference.ts'
import type { TargetImpact } from './release-parts.ts'
import { isError } from '../releases/results.ts'
import { transitionsOf } from './transitions.ts'

/** A change of result that the impact names, so that a rollout may expect it. */
export interface ExpectableChange {
  /** A result code, or `error:` and the code of the error. */
  readonly from: string
  readonly to: string
  /** Recorded decisions that change like this. */
  readonly count: number
  /** Recorded decisions that have `from` with the live version. */
  readonly total: number
}

/** A change that its rollout expects. */
interface ExpectedChange {
  readonly from: string
  readonly to: string
  /** The largest share of the requests with `from`; undefined: any. */
  readonly share?: number
}

/** Changes of all environments and rulesets, those with the most recorded decisions first; failures are never expected. */
export function expectableChanges(impacts: readonly TargetImpact[]): readonly ExpectableChange[] {
  const found = new Map<string, ExpectableChange>()
  for (const { diff, records } of impacts)
    for (const { from, to, count } of transitionsOf(diff.regions, records, false)) {
      if (from === to || isError(to)) continue
      const known = found.get(`${from}\n${to}`) ?? { from, to, count: 0, total: 0 }
      const before = records?.codes.find(({ code }) => code === from)?.before ?? 0
      found.set(`${from}\n${to}`, { from, to, count: known.count + count, total: known.total + before })
    }
  return [...found.values()].toSorted((one, other) => other.count - one.count)
}

/** The share in percent that recorded decisions do not rule out, as a limit to begin with; empty: no limit. */
export function limitOf({ count, total }: ExpectableChange): string {
  if (count === 0 || count > total) return ''
  const percent = Math.ceil(100 * wilson(count, total)[1])
  return percent >= 100 ? '' : `${percent}`
}

/** A change on the screen. */
export interface Ticked {
  readonly isOn: boolean
  /** Percent, as typed. */
  readonly limit: string
}

/** The changes that are ticked, for the request. */
export function expectedOf(changes: readonly ExpectableChange[], ticked: readonly Ticked[]): ExpectedChange[] {
  return changes.flatMap(({ from, to }, index) => {
    const { isOn = false, limit = '' } = ticked[index] ?? {}
    if (!isOn) return []
    const percent = Number(limit)
    // The platform refuses a limit that is none: it must not become no limit.
    return [limit.trim() === '' || percent >= 100 ? { from, to } : { from, to, share: percent / 100 }]
  })
}
