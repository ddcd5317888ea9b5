import type { Selectable, SelectQueryBuilder } from 'kysely'
import { onPage, type Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { OrgTables } from '../../database/tables.ts'
import type { AuditEntry } from './model.ts'

type Row = Selectable<OrgTables['audit_entries']>

/** Which entries are looked for; undefined: whatever it is. */
export interface AuditFilter {
  /** Id or name. */
  readonly actor: string | undefined
  readonly action: string | undefined
  readonly objectType: string | undefined
  readonly objectId: string | undefined
  readonly projectId: string | undefined
  /** Half-open. */
  readonly from: Date | undefined
  readonly to: Date | undefined
  /** Those that its reader may know of. */
  readonly projectIds: readonly string[] | undefined
}

type Entries = SelectQueryBuilder<Pick<OrgTables, 'audit_entries'>, 'audit_entries', Row>

function entries(scope: Scope, filter: AuditFilter): Entries {
  const { actor, action, objectType, objectId, projectId, from, to, projectIds } = filter
  return scope
    .read('audit_entries')
    .selectFrom('audit_entries')
    .selectAll()
    .$if(actor !== undefined, (query) =>
      query.where((eb) => eb.or([eb('actor_id', '=', actor ?? ''), eb('actor_name', '=', actor ?? '')])),
    )
    .$if(action !== undefined, (query) => query.where('action', '=', action ?? ''))
    .$if(objectType !== undefined, (query) => query.where('object_type', '=', objectType ?? ''))
    .$if(objectId !== undefined, (query) => query.where('object_id', '=', objectId ?? ''))
    .$if(projectId !== undefined, (query) => query.where('project_id', '=', projectId ?? ''))
    .$if(from !== undefined, (query) => query.where('at', '>=', from ?? new Date()))
    .$if(to !== undefined, (query) => query.where('at', '<', to ?? new Date()))
    .$if(projectIds !== undefined, (query) => query.where('project_id', 'in', projectIds ?? []))
}

export function auditOn(scope: Scope, filter: AuditFilter, page: Page): Promise<Row[]> {
  return onPage(entries(scope, filter), page, {
    key: 'at',
    id: 'id',
    texts: ['actor_name', 'action', 'object_name'],
  }).execute()
}

/** Entries of a piece of the export: few enough that a slow reader of it costs little memory. */
const PIECE = 500

/** All entries, the newest first, in pieces; those that are written meanwhile are not among them. */
export async function* auditPieces(scope: Scope, filter: AuditFilter): AsyncGenerator<readonly AuditEntry[]> {
  let last: string | undefined
  for (;;) {
    const query = entries(scope, filter).orderBy('id', 'desc').limit(PIECE)
    const rows = await (last === undefined ? query : query.where('id', '<', last)).execute()
    if (rows.length > 0) yield rows.map(entryOf)
    last = rows.at(-1)?.id
    if (rows.length < PIECE) return
  }
}

/** An entry as the interface shows it. */
export function entryOf(row: Row): AuditEntry {
  return {
    id: row.id,
    at: row.at.toISOString(),
    project_id: row.project_id,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    action: row.action,
    object: { type: row.object_type, id: row.object_id, name: row.object_name },
    before: row.before,
    after: row.after,
    ip: row.ip,
    request_id: row.request_id,
  }
}
