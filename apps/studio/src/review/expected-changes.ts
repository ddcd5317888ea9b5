import { wilson } from '../rollout/difference.ts'
import type { TargetImpact } from './release-parts.ts'
import { isError } from '../releases/results.ts'
import { transitionsOf } from './transitions.ts'

/** A change of result named by the impact, which a rollout may therefore expect. */
export interface ExpectableChange {
  /** A result code, or `error:` and the code of the error. */
  readonly from: string
  readonly to: string
  /** Number of recorded decisions with this change. */
  readonly count: number
  /** Number of recorded decisions with the result `from` in the live version. */
  readonly total: number
}

/** A change that a rollout expects. */
interface ExpectedChange {
  readonly from: string
  readonly to: string
  /** Maximum share of the requests with `from`; undefined for no limit. */
  readonly share?: number
}

/**
 * Changes in all environments and rulesets, the most frequent in recorded decisions first; failures can never be
 * expected.
 */
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

/**
 * A suggested limit in percent: the largest share that is consistent with the recorded decisions; empty for no limit.
 */
export function limitOf({ count, total }: ExpectableChange): string {
  if (count === 0 || count > total) return ''
  const percent = Math.ceil(100 * wilson(count, total)[1])
  return percent >= 100 ? '' : `${percent}`
}

/** A selected change in the form. */
export interface Ticked {
  readonly isOn: boolean
  /** In percent, as typed. */
  readonly limit: string
}

/** The setting of each change: that of the user, otherwise on for a recorded change, with the suggested limit. */
export const tickedOf = (
  changes: readonly ExpectableChange[],
  touched: Readonly<Record<number, Ticked>>,
): readonly Ticked[] => changes.map((one, index) => touched[index] ?? { isOn: one.count > 0, limit: limitOf(one) })

/** The selected changes, for the request. */
export function expectedOf(changes: readonly ExpectableChange[], ticked: readonly Ticked[]): ExpectedChange[] {
  return changes.flatMap(({ from, to }, index) => {
    const { isOn = false, limit = '' } = ticked[index] ?? {}
    if (!isOn) return []
    const percent = Number(limit)
    // An invalid limit is sent as it is, so that the platform rejects it: it must not turn into no limit.
    return [limit.trim() === '' || percent >= 100 ? { from, to } : { from, to, share: percent / 100 }]
  })
}
