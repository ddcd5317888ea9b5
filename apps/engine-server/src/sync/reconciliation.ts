import { createPauses, type Log } from '@engine/process'
import type { Broker, StateEntry } from './broker.ts'
import { stateDigest } from './digest.ts'
import { BadEvent, ruleSubject, TENANTS } from './event.ts'
import { type LocalState, rulesetCount } from './local-state.ts'
import type { AppliedRevisions } from './applied-revisions.ts'
import { type Checkpoint, CHECKPOINT, checkpointOf, LEASE, readRecord, type StateRecord } from './state.ts'

/** Requests to the broker that are under way together. */
const TOGETHER = 32
/** Attempts to see that the state stands still while single entries are looked for. */
const MAX_READS = 5

/** The content of the state bucket. */
export interface BucketState {
  readonly checkpoint: Checkpoint
  readonly records: readonly StateRecord[]
  /** Every key, including those with unreadable entries, whose subjects are left unchanged. */
  readonly keys: ReadonlySet<string>
}

/** The state in these entries; undefined where no writer keeps one. */
export async function stateIn(
  entries: readonly StateEntry[],
  log: Pick<Log, 'error'>,
  largest?: number,
): Promise<BucketState | undefined> {
  const headEntry = entries.find(({ key }) => key === CHECKPOINT)
  const checkpoint = headEntry === undefined ? undefined : checkpointOf(headEntry)
  if (checkpoint === undefined) return undefined
  const records: StateRecord[] = []
  const paused = createPauses()
  for (const entry of entries) {
    if (entry.key === CHECKPOINT || entry.key === LEASE) continue
    const record = await readableRecord(entry, log, largest)
    if (record !== undefined) records.push(record)
    await paused()
  }
  return { checkpoint, records, keys: new Set(entries.map(({ key }) => key)) }
}

/** Undefined when it is invalid, which is logged. */
async function readableRecord({ key, value }: StateEntry, log: Pick<Log, 'error'>, largest?: number) {
  try {
    return await readRecord(key, value, largest)
  } catch (error) {
    if (!(error instanceof BadEvent)) throw error
    log.error({ subject: key, reason: error.message }, 'an entry of the state bucket cannot be read')
    return undefined
  }
}

/** Where a state is taken over. */
export interface Taker {
  readonly local: LocalState
  readonly positions: AppliedRevisions
  readonly broker: Pick<Broker, 'entry'>
  /** See `recordOf`. */
  readonly largest?: number | undefined
  readonly log: Pick<Log, 'warn' | 'error'>
}

/** The result. */
export interface TakenOver {
  /** Rulesets that are otherwise now. */
  readonly changed: number
  /** Records that this instance does not take: it knows why it differs from the writer. */
  readonly refused: number
}

/**
 * Make the local store match the writer's state. The state may be older than events received since it was loaded. A
 * writer updates the bucket before the stream, so apparently newer subjects are looked up again: a change that the
 * bucket does not know came from a stranger and is undone. Rejects when the broker does not answer.
 */
export async function takeOver(state: BucketState, taker: Taker): Promise<TakenOver> {
  const { checkpoint, records, keys } = state
  const { local, log, positions } = taker
  const latest = (await together(records, (record) => latestOf(record, taker))).filter((record) => record !== undefined)
  const tenants = latest.filter(({ subject }) => subject === TENANTS)
  const others = latest.filter(({ subject }) => subject !== TENANTS)
  // A tenant comes before its rulesets.
  const took = [
    ...(await Promise.all(tenants.map((record) => take(record, taker)))),
    ...(await Promise.all(others.map((record) => take(record, taker)))),
  ]
  const changed = took.filter((kind) => kind === 'applied').length
  const refused = took.filter((kind) => kind === 'refused').length
  // Never delete everything without evidence: writer and broker may have lost their state.
  if (others.length === 0 && rulesetCount(local) > 0) {
    log.error({}, 'the writer has no rulesets: keeping the local ones')
    return { changed, refused }
  }
  // A bucket that is being refilled after data loss does not prove deletions.
  if (digestOf(records) !== checkpoint.digest) return { changed, refused }
  // Something newer than the whole state may have come from the stream meanwhile.
  const kept = await presentOf(positions.beyond(keys, checkpoint.revision), taker)
  const deleted = await deleteOthers(keys.union(kept), checkpoint.revision, taker)
  positions.loadedAll(keys.union(kept), checkpoint.revision)
  return { changed: changed + deleted, refused }
}

/**
 * The record, or the bucket's current one for its subject if something newer seems to have come from the stream.
 * Undefined when the bucket has none: then it does not override newer changes.
 */
async function latestOf(record: StateRecord, { positions, broker, log, largest }: Taker) {
  if (!positions.isBeyond(record.subject, record.revision)) return record
  const entry = await broker.entry(record.subject)
  return entry === undefined ? undefined : readableRecord(entry, log, largest)
}

async function take({ subject, revision, envelope }: StateRecord, { local, positions, log }: Taker) {
  const applied = await local.apply(envelope.event)
  // It is looked at again with the next comparison.
  if (applied.kind === 'failed') return applied.kind
  if (applied.kind === 'refused')
    log.warn({ subject, reason: applied.reason }, 'a ruleset of the writer was not applied')
  positions.loaded(subject, revision)
  return applied.kind
}

/** Delete rulesets whose tombstones have expired, and those that the writer never had. */
async function deleteOthers(known: ReadonlySet<string>, revision: number, taker: Taker): Promise<number> {
  const { local, positions } = taker
  const unknown = [...local.rulesets()].filter(([tenant, { name }]) => !known.has(ruleSubject(tenant, name)))
  let changed = 0
  for (const [tenant, { name }] of unknown) {
    const { kind } = await local.apply({ type: 'RuleDeleted', tenant, name })
    if (kind === 'applied') changed++
    if (kind !== 'failed') positions.loaded(ruleSubject(tenant, name), revision)
  }
  return changed
}

/** The subjects that the bucket has or may have: the others are certainly absent. */
async function presentOf(subjects: readonly string[], { broker }: Taker): Promise<ReadonlySet<string>> {
  if (subjects.length === 0) return new Set()
  // No two words of a writer are alike: between two looks at the same one, the bucket was not lost and filled again.
  const headText = async () => Buffer.from((await broker.entry(CHECKPOINT))?.value ?? []).toString('latin1')
  let before = await headText()
  for (let look = 0; look < MAX_READS && before !== ''; look++) {
    const found = await together(subjects, (subject) => broker.entry(subject))
    const after = await headText()
    if (after === before) return new Set(found.filter((entry) => entry !== undefined).map(({ key }) => key))
    before = after
  }
  return new Set(subjects)
}

/** Do it for all, some at a time. */
async function together<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let from = 0; from < items.length; from += TOGETHER)
    results.push(...(await Promise.all(items.slice(from, from + TOGETHER).map(run))))
  return results
}

/** Digest of the stored rulesets according to the state bucket. */
function digestOf(records: readonly StateRecord[]): string {
  const events = records.map(({ envelope }) => envelope.event).filter((event) => event.type === 'RulePut')
  return stateDigest(events.map(({ tenant, ...ruleset }) => [tenant, { ...ruleset, description: null, stepCount: 0 }]))
}
