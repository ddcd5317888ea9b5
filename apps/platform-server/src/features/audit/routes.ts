import { invalidParameter } from '@engine/http-api'
import { quote } from '@engine/expression'
import { Type } from 'typebox'
import { json } from '../../http/json-response.ts'
import type { Caller } from '../../access/caller.ts'
import { inOrganization } from '../../access/membership.ts'
import type { Database } from '../../database/database.ts'
import { isId } from '../../database/org-id.ts'
import { acceptsNdjson, writeNdjson } from '../../http/ndjson.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import type { Streams } from '../../http/streams.ts'
import { timeIn } from '../../resources/time-parameter.ts'
import { AUDIT_FILTERS, AuditEntry } from './model.ts'
import { type AuditFilter, auditOn, auditPieces, entryOf } from './repository.ts'

const SORTS = ['created_at'] as const

/** Routes of an organization's audit log. */
export function auditRoutes(database: Database, streams: Streams): readonly Route[] {
  return [
    memberRoute({
      method: 'GET',
      path: '/api/v1/orgs/:oid/audit',
      right: 'audit.read',
      summary: 'List audit entries, newest first; with `accept: application/x-ndjson` all entries, one per line',
      group: 'Audit',
      within: inOrganization(database),
      query: { ...listQuery(SORTS), ...AUDIT_FILTERS },
      answers: { 200: ListOf(AuditEntry, 'AuditEntryList') },
      otherAnswers: { 'application/x-ndjson': Type.String({ description: 'one entry a line, as in `items`' }) },
      async handle({ raw, response, place, query, caller, progress }) {
        const filter = filterOf(query, caller)
        const asked = pageOf(query, SORTS)
        const { scope } = place.member
        if (acceptsNdjson(raw.headers)) {
          streams.opened(caller, response)
          await writeNdjson(response, auditPieces(scope, filter), progress)
          return undefined
        }
        const { rows, page } = await auditOn(scope, filter, asked)
        return json(
          200,
          listed(rows, page, ({ at }) => at, entryOf),
        )
      },
    }),
  ]
}

function filterOf(query: URLSearchParams, caller: Caller): AuditFilter {
  const text = (name: string) => query.get(name) ?? undefined
  const projectId = text('project_id')
  if (projectId !== undefined && !isId(projectId))
    throw invalidParameter('project_id', `must be an id, found ${quote(projectId)}`)
  return {
    actor: text('actor'),
    action: text('action'),
    objectType: text('object_type'),
    objectId: text('object_id'),
    projectId,
    from: timeIn(query, 'from'),
    to: timeIn(query, 'to'),
    projectIds: caller.kind === 'key' ? (caller.projectIds ?? undefined) : undefined,
  }
}
