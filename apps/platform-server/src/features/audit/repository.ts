import type { Selectable, SelectQueryBuilder } from 'kysely'
import { bytesOf, type CutPage, fittingIn, type Page, roomyRows } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { OrgTables } from '../../database/tables.ts'
import type { AuditEntry } from './model.ts'

type Row = Selectable<OrgTables['audit_entries']>

/** Search filter for audit entries; undefined matches everything. */
export interface AuditFilter {
  /** ID or name. */
  readonly actor: string | undefined
  readonly action: string | undefined
  readonly objectType: string | undefined
  readonly objectId: string | undefined
  readonly projectId: string | undefined
  /** The interval is half-open. */
  readonly from: Date | undefined
  readonly to: Date | undefined
  /** Projects that the reader has access to. */
  readonly projectIds: readonly string[] | undefined
}

type Entries = SelectQueryBuilder<Pick<OrgTables, 'audit_entries'>, 'audit_entries', {}>

function entries(scope: Scope, filter: AuditFilter): Entries {
  const { actor, action, objectType, objectId, projectId, from, to, projectIds } = filter
  return scope
    .read('audit_entries')
    .selectFrom('audit_entries')
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

export function auditOn(scope: Scope, filter: AuditFilter, page: Page): Promise<CutPage<Row>> {
  const all = entries(scope, filter)
  return roomyRows(all.select(bytesOf('before', 'after')), all.selectAll(), page, {
    key: 'at',
    id: 'id',
    texts: ['actor_name', 'action', 'object_name'],
  })
}

/** Entries per chunk of the export: few enough that a slow client uses little memory. */
const CHUNK_SIZE = 500

/** All entries in chunks, the newest first, without those written during the export. */
export async function* auditPieces(scope: Scope, filter: AuditFilter): AsyncGenerator<readonly AuditEntry[]> {
  let last: string | undefined
  for (;;) {
    const all = entries(scope, filter).orderBy('id', 'desc')
    const below = last === undefined ? all : all.where('id', '<', last)
    let sizes = await below
      .select(['id', bytesOf('before', 'after')])
      .limit(CHUNK_SIZE)
      .execute()
    const count = sizes.length
    while (sizes.length > 0) {
      const fitting = fittingIn(sizes, sizes.length)
      const ids = sizes.slice(0, fitting).map(({ id }) => id)
      const rows = await all.selectAll().where('id', 'in', ids).execute()
      if (rows.length > 0) yield rows.map(entryOf)
      last = ids.at(-1)
      sizes = sizes.slice(fitting)
    }
    if (count < CHUNK_SIZE) return
  }
}

/** An audit entry in the form of the public API. */
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
