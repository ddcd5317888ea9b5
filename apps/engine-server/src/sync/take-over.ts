import type { Log } from '../telemetry/log.ts'
import type { StateEntry } from './broker.ts'
import { stateDigest } from './digest.ts'
import { BadEvent, ruleSubject, TENANTS } from './event.ts'
import { type LocalState, rulesetCount } from './local-state.ts'
import type { Positions } from './positions.ts'
import { type Head, HEAD, headOf, LEASE, recordOf, type StateRecord } from './state.ts'

/** What the state bucket says. */
export interface BucketState {
  readonly head: Head
  readonly records: readonly StateRecord[]
  /** Every key, also those whose entry cannot be read: what they are about is left as it is. */
  readonly keys: ReadonlySet<string>
}

/** The state in these entries; undefined where no writer keeps one. */
export function stateIn(entries: readonly StateEntry[], log: Pick<Log, 'error'>): BucketState | undefined {
  const headEntry = entries.find(({ key }) => key === HEAD)
  const head = headEntry === undefined ? undefined : headOf(headEntry)
  if (head === undefined) return undefined
  const records: StateRecord[] = []
  for (const { key, value } of entries) {
    if (key === HEAD || key === LEASE) continue
    try {
      records.push(recordOf(key, value))
    } catch (error) {
      if (!(error instanceof BadEvent)) throw error
      log.error({ subject: key, reason: error.message }, 'an entry of the state bucket cannot be read')
    }
  }
  return { head, records, keys: new Set(entries.map(({ key }) => key)) }
}

/** Where a state is taken over. */
export interface Taker {
  readonly local: LocalState
  readonly positions: Positions
  readonly log: Pick<Log, 'warn' | 'error'>
}

/** Make what is stored here like the state of the writer. Resolves to how many rulesets were changed. */
export async function takeOver({ head, records, keys }: BucketState, taker: Taker): Promise<number> {
  const { local, log } = taker
  const tenants = records.filter(({ subject }) => subject === TENANTS)
  const others = records.filter(({ subject }) => subject !== TENANTS)
  // A tenant comes before its rulesets.
  const took = [
    ...(await Promise.all(tenants.map((record) => take(record, taker)))),
    ...(await Promise.all(others.map((record) => take(record, taker)))),
  ]
  const changed = took.filter(Boolean).length
  // Nobody deletes everything without a trace: writer and broker have lost what they had.
  if (others.length === 0 && rulesetCount(local) > 0) {
    log.error({}, 'the writer knows of no ruleset at all: those that are here stay')
    return changed
  }
  // A bucket that was forgotten and is being filled again says of no ruleset that it is gone.
  return digestOf(records) === head.digest ? changed + (await deleteOthers(keys, head.revision, taker)) : changed
}

/** Whether it changed something. */
async function take({ subject, revision, envelope }: StateRecord, { local, positions, log }: Taker): Promise<boolean> {
  if (positions.isBeyond(subject, revision)) return false
  const applied = await local.apply(envelope.event)
  // It is looked at again with the next comparison.
  if (applied.kind === 'failed') return false
  if (applied.kind === 'refused')
    log.warn({ subject, reason: applied.reason }, 'a ruleset of the writer is not taken over')
  positions.loaded(subject, revision)
  return applied.kind === 'applied'
}

/**
 * Delete what the writer has deleted so long ago that nobody remembers.
 *
 * @param revision up to it nothing is newer than that
 */
async function deleteOthers(
  known: ReadonlySet<string>,
  revision: number,
  { local, positions }: Taker,
): Promise<number> {
  let changed = 0
  const stored = Array.from(local.rulesets())
  for (const [tenant, { name }] of stored) {
    const subject = ruleSubject(tenant, name)
    // Something newer than the whole state came from the stream meanwhile.
    if (known.has(subject) || positions.isBeyond(subject, revision)) continue
    const { kind } = await local.apply({ type: 'RuleDeleted', tenant, name })
    if (kind === 'applied') changed++
    if (kind !== 'failed') positions.loaded(subject, revision)
  }
  return changed
}

/** Of what the state bucket says that is stored. */
function digestOf(records: readonly StateRecord[]): string {
  const events = records.map(({ envelope }) => envelope.event).filter((event) => event.type === 'RulePut')
  return stateDigest(events.map(({ tenant, ...ruleset }) => [tenant, { ...ruleset, description: null }]))
}
