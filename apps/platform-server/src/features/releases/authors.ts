import { isId } from '../../database/org-id.ts'
import type { Scope } from '../../database/scope.ts'
import type { Target } from './live-comparison.ts'
import type { Copy } from './snapshot.ts'

/**
 * Ids of the users who edited the released content since the last release: saves of the ruleset and its sub-rules, and
 * changes of its contract, of concepts and facts in it, and of its suites. If nothing was edited, as with an earlier
 * save or a removal, the choice of the content is the change, and its creator is the author. Edits by a key count for
 * the member whose removal ends the key.
 */
export async function authorsOf(
  scope: Scope,
  project: string,
  targets: readonly Target[],
  creator: string,
): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const target of targets) {
    const editors = target.copy === undefined ? [] : await editorsOf(scope, project, target, target.copy)
    for (const editor of editors.length === 0 ? [creator] : editors) found.add(editor)
  }
  return (await usersBehind(scope, [...found])).toSorted()
}

async function editorsOf(scope: Scope, project: string, target: Target, copy: Copy): Promise<readonly string[]> {
  const saves = await scope
    .read('draft_saves')
    .selectFrom('draft_saves')
    .select('saved_by')
    .distinct()
    .where('draft_id', '=', copy.draftId)
    .where('seq', '>', await releasedSeq(scope, project, target, copy))
    .where('seq', '<=', copy.fromSeq)
    .execute()
  return [
    ...saves.map(({ saved_by }) => saved_by),
    ...(await subRuleEditors(scope, target, copy)),
    ...(await assetEditors(scope, project, target, copy)),
  ]
}

/**
 * The live save; 0 if the live content belongs to another draft, which had the name before: all saves of this draft are
 * then new.
 */
async function releasedSeq(scope: Scope, project: string, { name, live }: Target, copy: Copy): Promise<number> {
  if (live?.fromSeq === undefined) return 0
  const save = await scope
    .read('draft_saves')
    .selectFrom('draft_saves')
    .select('draft_id')
    .where('project_id', '=', project)
    .where('name', '=', name)
    .where('seq', '=', live.fromSeq)
    .executeTakeFirst()
  return save?.draft_id === copy.draftId ? live.fromSeq : 0
}

async function subRuleEditors(scope: Scope, { live }: Target, { subRules }: Copy): Promise<readonly string[]> {
  const released = new Map(live?.subRules.map(({ id, seq }) => [id, seq]))
  const editors = await Promise.all(
    subRules.map(({ id, seq }) =>
      scope
        .read('sub_rule_saves')
        .selectFrom('sub_rule_saves')
        .select('saved_by')
        .distinct()
        .where('sub_rule_id', '=', id)
        .where('seq', '>', released.get(id) ?? 0)
        .where('seq', '<=', seq)
        .execute(),
    ),
  )
  return editors.flat().map(({ saved_by }) => saved_by)
}

/** Contracts, concepts, facts and suites keep no saves: the audit names their editors. */
async function assetEditors(
  scope: Scope,
  project: string,
  { live }: Target,
  { contractIds, suites }: Copy,
): Promise<readonly string[]> {
  const ids = [...suites.map(({ id }) => id), ...contractIds]
  if (ids.length === 0) return []
  const changes = scope
    .read('audit_entries')
    .selectFrom('audit_entries')
    .select('actor_id')
    .distinct()
    .where('project_id', '=', project)
    .where('object_id', 'in', ids)
    .where('object_type', 'in', ['contract', 'concept', 'fact', 'suite'])
    .where('actor_type', 'in', ['user', 'key'])
  const since = live?.releasedAt
  const entries = await (since === undefined ? changes : changes.where('at', '>', since)).execute()
  return entries.map(({ actor_id }) => actor_id)
}

/**
 * The users behind ids of users and keys; other ids are omitted. The audit names the creator of each key, revoked ones
 * included, and a key created by a key is traced to a person: one query per link.
 */
async function usersBehind(scope: Scope, ids: readonly string[]): Promise<readonly string[]> {
  const users = new Set<string>()
  for (let open = ids.filter(isId); open.length > 0;) {
    const keys = await scope
      .read('audit_entries')
      .selectFrom('audit_entries')
      .select(['object_id', 'actor_id'])
      .where('action', '=', 'api_key.created')
      .where('object_id', 'in', open)
      .execute()
    const makers = new Map(keys.map(({ object_id, actor_id }) => [object_id, actor_id]))
    for (const id of open) if (!makers.has(id)) users.add(id)
    open = [...new Set(makers.values())].filter(isId)
  }
  return [...users]
}
