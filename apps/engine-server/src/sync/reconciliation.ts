import { createPauses, type Log } from '@engine/process'
import type { Broker, StateEntry } from './broker.ts'
import { stateDigest } from './digest.ts'
import { BadEvent, ruleSubject, TENANTS } from './event.ts'
import { type LocalState, rulesetCount } from './local-state.ts'
import type { AppliedRevisions } from './applied-revisions.ts'
import { type Checkpoint, CHECKPOINT, checkpointOf, LEASE, readRecord, type StateRecord } from './state.ts'

/** Concurrent requests to the broker. */
const MAX_CONCURRENT_REQUESTS = 32
/** Attempts to read single entries between two equal checkpoints. */
const MAX_READS = 5

/** The content of the state bucket. */
export interface BucketState {
  readonly checkpoint: Checkpoint
  readonly records: readonly StateRecord[]
  /** Every key, including those with unreadable entries, whose subjects are left unchanged. */
  readonly keys: ReadonlySet<string>
}

/** The state in these entries; undefined: no writer maintains one. */
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

/** Undefined: the record is invalid, which is logged. */
async function readableRecord({ key, value }: StateEntry, log: Pick<Log, 'error'>, largest?: number) {
  try {
    return await readRecord(key, value, largest)
  } catch (error) {
    if (!(error instanceof BadEvent)) throw error
    log.error({ subject: key, reason: error.message }, 'an entry of the state bucket cannot be read')
    return undefined
  }
}

/** The instance that takes over a state. */
export interface Taker {
  readonly local: LocalState
  readonly positions: AppliedRevisions
  readonly broker: Pick<Broker, 'entry'>
  /** See `recordOf`. */
  readonly largest?: number | undefined
  readonly log: Pick<Log, 'warn' | 'error'>
}

export interface TakenOver {
  /** Rulesets that changed. */
  readonly changed: number
  /** Records that this instance rejected, so that its state differs from the writer's. */
  readonly refused: number
}

/**
 * Makes the local store match the writer's state. The state may be older than events received since it was loaded. A
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
  // A bucket that is refilled after data loss does not prove deletions.
  if (digestOf(records) !== checkpoint.digest) return { changed, refused }
  // Newer changes than this state may have arrived from the stream in the meantime.
  const kept = await presentOf(positions.beyond(keys, checkpoint.revision), taker)
  const deleted = await deleteOthers(keys.union(kept), checkpoint.revision, taker)
  positions.loadedAll(keys.union(kept), checkpoint.revision)
  return { changed: changed + deleted, refused }
}

/**
 * The record, or the bucket's current one if the stream seems to have delivered a newer change of its subject.
 * Undefined if the bucket has none: newer changes are kept.
 */
async function latestOf(record: StateRecord, { positions, broker, log, largest }: Taker) {
  if (!positions.isBeyond(record.subject, record.revision)) return record
  const entry = await broker.entry(record.subject)
  return entry === undefined ? undefined : readableRecord(entry, log, largest)
}

async function take({ subject, revision, envelope }: StateRecord, { local, positions, log }: Taker) {
  const applied = await local.apply(envelope.event)
  // The next comparison retries it.
  if (applied.kind === 'failed') return applied.kind
  if (applied.kind === 'refused')
    log.warn({ subject, reason: applied.reason }, 'a ruleset of the writer was not applied')
  positions.loaded(subject, revision)
  return applied.kind
}

/** Deletes rulesets whose tombstones have expired, and those that the writer never had. */
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

/** The subjects that the bucket has or may have: all others are certainly absent. */
async function presentOf(subjects: readonly string[], { broker }: Taker): Promise<ReadonlySet<string>> {
  if (subjects.length === 0) return new Set()
  // A writer never writes the same checkpoint twice: between two reads of the same one, the bucket was not lost and refilled.
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

/** Runs a function for all items, in groups. */
async function together<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let from = 0; from < items.length; from += MAX_CONCURRENT_REQUESTS)
    results.push(...(await Promise.all(items.slice(from, from + MAX_CONCURRENT_REQUESTS).map(run))))
  return results
}

/** Digest of the stored rulesets according to the state bucket. */
function digestOf(records: readonly StateRecord[]): string {
  const events = records.map(({ envelope }) => envelope.event).filter((event) => event.type === 'RulePut')
  return stateDigest(events.map(({ tenant, ...ruleset }) => [tenant, { ...ruleset, description: null, stepCount: 0 }]))
}
