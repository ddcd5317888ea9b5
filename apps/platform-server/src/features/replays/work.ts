import { addReplayed, type Replayed } from '@engine/analysis'
import { stringifyJson } from '@engine/expression'
import type { Log } from '@engine/process'
import type { Kysely, Selectable } from 'kysely'
import type { Analyses } from '../../compute/analyses.ts'
import type { Outcome } from '../../compute/compute.ts'
import type { Results } from '../../compute/tasks.ts'
import type { Database } from '../../database/database.ts'
import type { ReplayStatus, Tables } from '../../database/tables.ts'
import { asResponseError } from '../../errors.ts'
import { startLeasedWork } from '../../jobs/leased-work.ts'
import { contentTexts } from '../engines/contents.ts'
import { decisionRows, replayable } from '../recording/repository.ts'
import { replayTopic } from './repository.ts'

interface ReplayWorkParts {
  readonly database: Database
  readonly analyses: Pick<Analyses, 'replay'>
  readonly log: Log
}

/** The replays of this replica. */
export interface ReplayWork {
  /** Resolves when no turn is running. Another replica continues, or this one after its next start. */
  stop(): Promise<void>
}

/** Woken when there is a new replay. */
export const REPLAYS_TOPIC = 'replays'

const POLL_INTERVAL_MS = 5000
/** Delay before a replay that had to wait is due again. */
const RETRY_DELAY_MS = 1000
/**
 * Duration of one turn, after which the next replay gets its turn, and the lease of a turn, which is longer than any
 * turn.
 */
const [TURN_MS, LEASE_MS] = [1000, 60_000] as const
/** Maximum number of characters of the results as JSON: examples are whole inputs. */
const MAX_RESULT_CHARACTERS = 4_000_000

type Claimed = Selectable<Tables['replays']>

/** The progress of one turn. */
interface Progress {
  readonly records: Replayed
  /** The last processed decision. */
  readonly last: { readonly at: Date; readonly id: string } | undefined
  readonly status: ReplayStatus
  readonly error: string | null
}

/**
 * Repeats the recorded decisions of running replays in turns of a second; the replay that has waited longest is next.
 * An interrupted turn is repeated.
 */
export function startReplays({ database, analyses, log }: ReplayWorkParts): ReplayWork {
  const { tables } = database.unscoped
  const replay = createReplaying(analyses, log)
  return startLeasedWork<Claimed>(
    {
      claim: () => claimDue(tables),
      perform: async (claimed, stopping) => {
        const progress = await turn(database, replay, claimed, stopping)
        if (progress === undefined) await giveBack(tables, claimed)
        else await store(database, claimed, progress)
      },
      topic: REPLAYS_TOPIC,
      pauseMs: () => POLL_INTERVAL_MS,
      retryDelayMs: POLL_INTERVAL_MS,
      ended(err) {
        if (err !== undefined) log.warn({ err }, 'replays cannot be continued')
      },
    },
    database.wakes,
  )
}

/** Repeats some of the decisions. Undefined if that is not possible now. */
type Replaying = (
  task: Parameters<Analyses['replay']>[0],
  stopping: AbortSignal,
) => Promise<Outcome<Results['replay']> | undefined>

/** A failed analysis ends its replay, because it would fail again. */
function createReplaying(analyses: ReplayWorkParts['analyses'], log: Log): Replaying {
  return async (task, stopping) => {
    try {
      const outcome = await analyses.replay(task, stopping)
      return outcome.kind === 'over' && stopping.aborted ? undefined : outcome
    } catch (err) {
      const { code } = asResponseError(err)
      if (code === 'too-many-requests' || code === 'overloaded') return undefined
      log.error({ err }, 'recorded decisions could not be replayed')
      return { kind: 'over', message: 'the replay failed by a defect, which the log of the platform describes' }
    }
  }
}

/** Claims one at a time: there is one thread for replays. */
function claimDue(tables: Kysely<Tables>): Promise<readonly Claimed[]> {
  const now = new Date()
  return tables
    .updateTable('replays')
    .set((eb) => ({ fence: eb('fence', '+', 1), next_at: new Date(now.getTime() + LEASE_MS) }))
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('replays')
        .select('id')
        .where('next_at', '<=', now)
        .orderBy('next_at')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute()
}

/** Undefined if nothing was done. */
async function turn(
  database: Database,
  replay: Replaying,
  claimed: Claimed,
  stopping: AbortSignal,
): Promise<Progress | undefined> {
  const { base_digest, digest, position_at, position_id } = claimed
  const texts = await contentTexts(database, [base_digest, digest])
  const [baseText, candidateText] = [texts.get(base_digest) ?? '', texts.get(digest) ?? '']
  const end = performance.now() + TURN_MS
  const begin =
    position_at === null || position_id === null ? undefined : { key: position_at.toISOString(), id: position_id }
  let { records } = claimed
  let last: Progress['last']
  const filter = {
    project: claimed.project_id,
    ruleset: claimed.ruleset_name,
    environments: [claimed.environment_id],
    code: undefined,
    from: claimed.decided_from ?? undefined,
    to: claimed.decided_to,
  }
  for await (const piece of decisionRows(database.scope(claimed.org_id), filter, begin)) {
    const outcome = await replay({ baseText, candidateText, ...replayable(piece), regions: [] }, stopping)
    if (outcome === undefined) return last && { records, last, status: 'running', error: null }
    if (outcome.kind === 'over') return { records, last, status: 'failed', error: outcome.message }
    records = addReplayed(records, outcome.result.replayed)
    last = piece.at(-1) ?? last
    if (performance.now() > end || stopping.aborted) return { records, last, status: 'running', error: null }
  }
  return { records, last, status: 'completed', error: null }
}

/** Stores nothing if the replay was deleted, or if another replica has claimed its turn. */
async function store(
  database: Database,
  { org_id, id, fence }: Claimed,
  { records, last, status, error }: Progress,
): Promise<void> {
  const text = stringifyJson(records)
  const isTooLarge = text.length > MAX_RESULT_CHARACTERS
  const ended = isTooLarge
    ? { status: 'failed' as const, error: 'its results take more than 4 MB: choose a shorter interval', next_at: null }
    : { status, error, records: text, next_at: status === 'running' ? new Date() : null }
  await database.note(org_id, async ({ scope, wake }) => {
    await scope
      .update('replays')
      .set((eb) => ({
        ...ended,
        ...(last !== undefined && { position_at: last.at, position_id: last.id }),
        rev: eb('rev', '+', 1),
        updated_at: new Date(),
      }))
      .where('id', '=', id)
      .where('fence', '=', fence)
      .execute()
    await wake(replayTopic(id))
  })
}

async function giveBack(tables: Kysely<Tables>, { org_id, id, fence }: Claimed): Promise<void> {
  await tables
    .updateTable('replays')
    .set({ next_at: new Date(Date.now() + RETRY_DELAY_MS) })
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .where('fence', '=', fence)
    .execute()
}
