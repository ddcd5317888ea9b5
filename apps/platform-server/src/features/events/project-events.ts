import { stringifyJson } from '@engine/expression'
import type { Caller } from '../../access/caller.ts'
import { changesTopic } from '../../database/audit.ts'
import { isId } from '../../database/org-id.ts'
import type { Scope } from '../../database/scope.ts'
import type { EventSource, StreamedEvent } from '../../http/event-stream.ts'
import { presentIn } from './presence.ts'

/**
 * Milliseconds between the creation of a change's ID and its commit, at most: IDs are ordered by creation, but changes become
 * visible in commit order. Each query rereads this interval.
 */
const OVERLAP_MS = 60_000
/** A client that was disconnected for longer reloads everything. */
const MAX_GAP_MS = 10 * 60_000
/**
 * Maximum number of changes sent individually; after more, such as an import, the client receives a reset and reloads
 * everything.
 */
const MAX_CHANGES = 1000

/** Kinds of resources visible to a key that is limited to some environments. */
const WITHOUT_ENVIRONMENT = ['draft', 'sub_rule', 'contract', 'fact', 'concept', 'suite', 'project'] as const

/**
 * All changes in a project from the audit log, with the kind, ID and name of the resource, so that a client knows which one
 * to reload; also the callers present at its rulesets. After a reconnect, changes of the last minute may be sent twice.
 *
 * @param after the last event that the client received; undefined: start with new events
 */
export function projectEvents(scope: Scope, project: string, caller: Caller, after: string | undefined): EventSource {
  const changes = changesSince(scope, project, caller, after)
  const presence = presenceOf(scope, project)
  return {
    topics: [changesTopic(project)],
    next: async () => ({ events: [...(await changes()), ...(await presence())] }),
  }
}

function changesSince(scope: Scope, project: string, caller: Caller, after: string | undefined) {
  const told = new Set<string>()
  const known = after === undefined ? undefined : timeOf(after)
  let since = Date.now()
  let isGap = after !== undefined && (known === undefined || since - known > MAX_GAP_MS)
  // A client that starts, or reloads everything, has the stored changes already.
  let isBeginning = after === undefined || isGap
  let wasOverfull = false
  if (!isBeginning && known !== undefined) since = Math.min(known, since)
  return async (): Promise<readonly StreamedEvent[]> => {
    const begun = Date.now()
    const rows = await newestChanges(scope, project, caller, since - OVERLAP_MS)
    const fresh = rows.filter(({ id }) => !told.has(id)).toReversed()
    const isOverfull = rows.length > MAX_CHANGES
    // If the oldest row is new, older ones may be as well. A late commit may still be hidden behind rows that were sent: a
    // further reset covers it once the interval is clear.
    const isReset = isGap || (!isBeginning && (isOverfull ? fresh[0] === rows.at(-1) : wasOverfull))
    told.clear()
    for (const { id } of rows) told.add(id)
    since = begun
    const events = isReset ? [reset(begun)] : isBeginning ? [] : fresh.map(eventOf)
    isBeginning = false
    isGap = false
    wasOverfull = isOverfull
    return events
  }
}

/** The newest changes, at most one more than are sent individually, newest first. */
function newestChanges(scope: Scope, project: string, caller: Caller, milliseconds: number) {
  const all = scope
    .read('audit_entries')
    .selectFrom('audit_entries')
    .select(['id', 'at', 'action', 'object_type', 'object_id', 'object_name', 'actor_type', 'actor_id'])
    .where('id', '>', firstIdAt(milliseconds))
    .where((eb) =>
      eb.or([
        eb('project_id', '=', project),
        // Shared sub-rules of the organization concern all its projects.
        eb.and([eb('project_id', 'is', null), eb('object_type', '=', 'sub_rule')]),
      ]),
    )
    .orderBy('id', 'desc')
    .limit(MAX_CHANGES + 1)
  const limited = caller.kind === 'key' && caller.environments !== null
  return (limited ? all.where('object_type', 'in', [...WITHOUT_ENVIRONMENT]) : all).execute()
}

type ChangeRow = Awaited<ReturnType<typeof newestChanges>>[number]

const eventOf = (row: ChangeRow): StreamedEvent => ({
  id: row.id,
  type: 'changed',
  data: {
    kind: row.object_type,
    id: row.object_id,
    name: row.object_name,
    action: row.action,
    at: row.at.toISOString(),
    by: { type: row.actor_type, id: row.actor_id },
  },
})

const reset = (now: number): StreamedEvent => ({ id: firstIdAt(now), type: 'reset', data: {} })

/** The lowest UUIDv7 of a timestamp. */
function firstIdAt(milliseconds: number): string {
  const hex = Math.max(0, milliseconds).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** The timestamp of a UUIDv7 in milliseconds; undefined for anything else. */
const timeOf = (id: string): number | undefined =>
  isId(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined

/** All rulesets with callers present; later, only those whose presence has changed. */
function presenceOf(scope: Scope, project: string) {
  let before = new Map<string, { readonly ruleset: string; readonly text: string }>()
  return async (): Promise<readonly StreamedEvent[]> => {
    const found = await presentIn(scope, project, undefined)
    const now = new Map(
      Array.from(found, ([draft, { ruleset, present }]) => [draft, { ruleset, text: stringifyJson(present) }]),
    )
    const changed = [...found].filter(([draft]) => now.get(draft)?.text !== before.get(draft)?.text)
    const left = [...before].filter(([draft]) => !now.has(draft))
    before = now
    return [
      ...changed.map(([, data]) => ({ type: 'presence', data })),
      ...left.map(([, { ruleset }]) => ({ type: 'presence', data: { ruleset, present: [] } })),
    ]
  }
}
