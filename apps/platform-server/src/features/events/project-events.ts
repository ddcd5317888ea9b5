import { stringifyJson } from '@engine/expression'
import type { Caller } from '../../access/caller.ts'
import { changesTopic } from '../../database/audit.ts'
import { isId } from '../../database/org-id.ts'
import type { Scope } from '../../database/scope.ts'
import type { EventSource, StreamedEvent } from '../../http/event-stream.ts'
import { presentIn } from './presence.ts'

/**
 * Milliseconds for which a change may take to be stored after it got its id: ids rise by the time at which they are made, and
 * changes become visible in another order. So far back each look reads again.
 */
const OVERLAP_MS = 60_000
/** A client that was away for longer reads everything again. */
const MAX_GAP_MS = 10 * 60_000
/** Changes that are told one by one; of more, an import for example, the client is told to read everything again. */
const MAX_CHANGES = 1000

/** Kinds of things that a key for some environments may know of. */
const WITHOUT_ENVIRONMENT = ['draft', 'sub_rule', 'contract', 'fact', 'concept', 'suite', 'project'] as const

/**
 * Whatever changes in a project, as the audit has it: kind, id and name of the thing, so that a client knows what to read
 * again. After a reconnect changes of the last minute may be told twice. Beside it, who is present at the rulesets.
 *
 * @param after the last event that the client knows; undefined: none, it begins now
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
  // What is stored already is known to a client that begins, and to one that reads everything again.
  let isBeginning = after === undefined || isGap
  if (!isBeginning && known !== undefined) since = Math.min(known, since)
  return async (): Promise<readonly StreamedEvent[]> => {
    const begun = Date.now()
    const rows = await changesAfter(scope, project, caller, since - OVERLAP_MS)
    const fresh = rows.filter(({ id }) => !told.has(id))
    const isTooMuch = rows.length > MAX_CHANGES
    told.clear()
    for (const { id } of rows) told.add(id)
    // The rest of so many would never be reached while the oldest of them are read again.
    since = begun
    const events = isTooMuch || isGap ? [reset(begun)] : isBeginning ? [] : fresh.map(eventOf)
    isBeginning = false
    isGap = false
    return isTooMuch && fresh.length === 0 ? [] : events
  }
}

function changesAfter(scope: Scope, project: string, caller: Caller, milliseconds: number) {
  const all = scope
    .read('audit_entries')
    .selectFrom('audit_entries')
    .select(['id', 'at', 'action', 'object_type', 'object_id', 'object_name', 'actor_type', 'actor_id'])
    .where('id', '>', firstIdAt(milliseconds))
    .where((eb) =>
      eb.or([
        eb('project_id', '=', project),
        // Those of the organization are those of all its projects.
        eb.and([eb('project_id', 'is', null), eb('object_type', '=', 'sub_rule')]),
      ]),
    )
    .orderBy('id')
    .limit(MAX_CHANGES + 1)
  const limited = caller.kind === 'key' && caller.environments !== null
  return (limited ? all.where('object_type', 'in', [...WITHOUT_ENVIRONMENT]) : all).execute()
}

type ChangeRow = Awaited<ReturnType<typeof changesAfter>>[number]

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

/** The least UUIDv7 of a time. */
function firstIdAt(milliseconds: number): string {
  const hex = Math.max(0, milliseconds).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** The time of a UUIDv7 in milliseconds; undefined: it is none. */
const timeOf = (id: string): number | undefined =>
  isId(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined

/** All rulesets where anyone is present, and those where it has changed since. */
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
