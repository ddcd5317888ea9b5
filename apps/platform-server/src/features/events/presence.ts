import type { Caller } from '../../access/caller.ts'
import { changesTopic } from '../../database/audit.ts'
import type { Database } from '../../database/database.ts'
import type { Scope } from '../../database/scope.ts'
import type { DraftRow } from '../drafts/repository.ts'
import type { Presence } from './model.ts'

/**
 * Milliseconds that a caller counts as present without a renewal; clients renew after a third of it.
 *
 * @internal
 */
export const PRESENT_MS = 45_000

/** Record that a caller works at a step of a draft. Others are notified only if this changes their view. */
export async function renewPresence(
  database: Database,
  { scope: { org } }: { readonly scope: Scope },
  draft: DraftRow,
  caller: Caller,
  step: string | null,
): Promise<void> {
  await database.note(org, async ({ scope, wake }) => {
    const now = new Date()
    const before = await scope
      .read('presence')
      .selectFrom('presence')
      .select(['step_id', 'since', 'seen_at'])
      .where('draft_id', '=', draft.id)
      .where('caller_id', '=', caller.id)
      .executeTakeFirst()
    const wasThere = before !== undefined && before.step_id === step && isPresent(before.seen_at, now)
    const caller_name = caller.kind === 'user' ? caller.displayName : caller.name
    const row = { caller_name, step_id: step, since: wasThere ? before.since : now, seen_at: now }
    await scope
      .insert('presence', { draft_id: draft.id, caller_id: caller.id, caller_type: caller.kind, ...row })
      .onConflict((conflict) => conflict.columns(['org_id', 'draft_id', 'caller_id']).doUpdateSet(row))
      .execute()
    if (!wasThere) await wake(changesTopic(draft.project_id))
  })
}

const isPresent = (seen: Date, now: Date) => now.getTime() - seen.getTime() < PRESENT_MS

/**
 * Callers who are present at rulesets of a project, keyed by draft ID.
 *
 * @param only this draft; undefined: all
 */
export async function presentIn(
  scope: Scope,
  project: string,
  only: string | undefined,
): Promise<ReadonlyMap<string, Presence>> {
  const all = scope
    .read('presence', 'drafts')
    .selectFrom('presence as p')
    .innerJoin('drafts as d', 'd.id', 'p.draft_id')
    .select(['d.id as draft', 'd.name', 'p.caller_type', 'p.caller_id', 'p.caller_name', 'p.step_id', 'p.since'])
    .where('d.project_id', '=', project)
    .where('d.deleted_at', 'is', null)
    .where('p.seen_at', '>', new Date(Date.now() - PRESENT_MS))
    .orderBy('p.since')
    .orderBy('p.caller_id')
  const rows = await (only === undefined ? all : all.where('d.id', '=', only)).execute()
  const found = new Map<string, Presence>()
  for (const { draft, name: ruleset, caller_type, caller_id, caller_name, step_id, since } of rows)
    found
      .getOrInsertComputed(draft, () => ({ ruleset, present: [] }))
      .present.push({ type: caller_type, id: caller_id, name: caller_name, step_id, since: since.toISOString() })
  return found
}
