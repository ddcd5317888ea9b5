import type { DraftRuleset, WholeContract } from '@engine/authoring'
import type { Selectable } from 'kysely'
import { type Caller, reachesEnvironment } from '../../access/caller.ts'
import { isId } from '../../database/org-id.ts'
import { bytesOf, type CutPage, type Page, roomyRows } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import type { EventRow } from './events.ts'
import type { HistoryEntry } from './model.ts'

/** The events of a release, oldest first. */
export function eventsOf(scope: Scope, release: string, limit: number, after: number): Promise<EventRow[]> {
  return scope
    .read('release_events')
    .selectFrom('release_events')
    .selectAll()
    .where('release_id', '=', release)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute()
}

function joined(scope: Scope, project: string, name: string) {
  return scope
    .read('live_history', 'environments', 'releases', 'release_contents')
    .selectFrom('live_history as h')
    .innerJoin('environments as e', 'e.id', 'h.environment_id')
    .innerJoin('releases as r', 'r.id', 'h.release_id')
    .leftJoin('release_contents as c', (join) =>
      join
        .onRef('c.release_id', '=', 'h.release_id')
        .onRef('c.name', '=', 'h.name')
        .on((eb) => eb('c.digest', 'is not distinct from', eb.ref('h.digest'))),
    )
    .where('e.project_id', '=', project)
    .where('h.name', '=', name)
}

const entries = (scope: Scope, project: string, name: string) =>
  joined(scope, project, name)
    .select(['h.id', 'h.release_id', 'r.number', 'e.name as environment', 'h.version', 'h.digest', 'h.at', 'h.by'])
    .select(['h.environment_id', 'c.from_seq', 'c.ruleset', 'c.contract'])

/** A row of `live_history` with the joined columns that are shown. */
export type HistoryRow = Pick<
  Selectable<Tables['live_history']>,
  'id' | 'environment_id' | 'release_id' | 'version' | 'digest' | 'at' | 'by'
> &
  Pick<Selectable<Tables['releases']>, 'number'> & {
    readonly environment: string
    readonly from_seq: number | null
    readonly ruleset: DraftRuleset | null
    readonly contract: WholeContract | null
  }

/**
 * A page of the releases of a ruleset in its environments, newest first, and the page itself, which is shorter for
 * large rulesets.
 *
 * @param only names of environments; null means all
 */
export async function historyOn(
  scope: Scope,
  project: string,
  name: string,
  asked: Page,
  only: readonly string[] | null,
): Promise<CutPage<HistoryRow>> {
  const columns = { key: 'h.at', id: 'h.id', texts: ['e.name', 'h.version'] } as const
  const names = [...(only ?? []), '']
  const sizes = joined(scope, project, name).select(bytesOf('c.ruleset'))
  const rows = entries(scope, project, name)
  return only === null
    ? roomyRows(sizes, rows, asked, columns)
    : roomyRows(sizes.where('e.name', 'in', names), rows.where('e.name', 'in', names), asked, columns)
}

/** Whether a ruleset has a release history. */
export async function hasHistory(scope: Scope, project: string, name: string): Promise<boolean> {
  return (await joined(scope, project, name).select('h.id').limit(1).executeTakeFirst()) !== undefined
}

/** One entry. Throws `not-found`, also for an entry in an environment that a key cannot access. */
export async function historyEntry(
  scope: Scope,
  project: string,
  name: string,
  id: string,
  caller: Caller,
): Promise<HistoryRow> {
  const row = isId(id) ? await entries(scope, project, name).where('h.id', '=', id).executeTakeFirst() : undefined
  if (row === undefined || !reachesEnvironment(caller, row.environment)) throw failures.notFound('history entry', id)
  return row
}

export function historyOf(row: HistoryRow): HistoryEntry {
  const { id, release_id, number, environment, version, digest, at, by, from_seq, ruleset, contract } = row
  return {
    id,
    release_id,
    number,
    environment,
    version,
    digest,
    at: at.toISOString(),
    by,
    // Written only when releases are stored.
    snapshot: {
      from_seq,
      ruleset,
      contract,
    },
  }
}
