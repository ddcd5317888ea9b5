import { type StoredSubRule } from '../../database/stored-content.ts'
import type { Selectable } from 'kysely'
import { bytesOf, type CutPage, type Page, roomyRows } from '../../database/page.ts'
import { hasOneOf, isOneOf } from '../../database/text-lists.ts'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'
import type { SubRuleInterface } from '../../compute/tasks.ts'

export { namesUsed } from '../../compute/referenced-names.ts'

export type SubRuleRow = Selectable<Tables['sub_rules']>

/** The content of a sub-rule. */
export type SubRuleContent = StoredSubRule

/** A sub-rule that a draft uses, as of one of its saves. */
export interface UsedSubRule extends SubRuleContent {
  readonly id: string
  readonly seq: number
}

/** The owner of a sub-rule: a project, or null for all projects of the organization. */
export type Owner = string | null

/** Maximum nesting depth of sub-rules; a sub-rule that uses none has depth 1. */
export const DEEPEST = 10

/**
 * The sub-rules with these names and all that they use, transitively, as a project sees them: its own override those of
 * the organization. Unknown names are omitted. One query per level.
 */
export async function graphsFor(
  scope: Scope,
  project: Owner,
  names: readonly string[],
): Promise<ReadonlyMap<string, UsedSubRule>> {
  const found = new Map<string, UsedSubRule>()
  let wanted = names
  for (let depth = 0; wanted.length > 0 && depth <= DEEPEST; depth++) {
    const rows = await contentsOf(scope, project, wanted)
    for (const { id, rev: seq, name, content } of rows) found.set(name, { ...content, id, seq })
    wanted = [...new Set(rows.flatMap(({ uses }) => uses))].filter((name) => !found.has(name))
  }
  return found
}

async function contentsOf(scope: Scope, project: Owner, names: readonly string[]) {
  const rows = await scope
    .read('sub_rules', 'sub_rule_saves')
    .selectFrom('sub_rules as r')
    .innerJoin('sub_rule_saves as s', (join) => join.onRef('s.sub_rule_id', '=', 'r.id').onRef('s.seq', '=', 'r.rev'))
    .select(['r.id', 'r.name', 'r.project_id', 'r.rev', 'r.uses', 's.content'])
    .where(isOneOf('r.name', names))
    .where((eb) => eb.or([eb('r.project_id', 'is', null), eb('r.project_id', '=', project)]))
    // Those of the organization come first, so that the project's replace them in the map.
    .orderBy('r.project_id', (order) => order.asc().nullsFirst())
    .execute()
  return [...new Map(rows.map((row) => [row.name, row])).values()]
}

/** Sub-rules without their graphs, for a thread that receives the graphs separately. */
export function interfacesOf(used: ReadonlyMap<string, SubRuleContent>): ReadonlyMap<string, SubRuleInterface> {
  return new Map(Array.from(used, ([name, { bindings, outputs }]) => [name, { bindings, outputs }]))
}

export function subRuleIn(scope: Scope, owner: Owner, name: string): Promise<SubRuleRow | undefined> {
  return ownedBy(scope, owner).where('name', '=', name).executeTakeFirst()
}

export function subRulesOn(scope: Scope, owner: Owner, page: Page): Promise<CutPage<SubRuleRow>> {
  const all = scope
    .read('sub_rules', 'sub_rule_saves')
    .selectFrom('sub_rules as r')
    .innerJoin('sub_rule_saves as s', (join) => join.onRef('s.sub_rule_id', '=', 'r.id').onRef('s.seq', '=', 'r.rev'))
    .where('r.project_id', owner === null ? 'is' : '=', owner)
  const columns = { key: `r.${page.sort}`, id: 'r.id', texts: ['r.name'] } as const
  return roomyRows(all.select(bytesOf('s.content')), all.selectAll('r'), page, columns)
}

function ownedBy(scope: Scope, owner: Owner) {
  const all = scope.read('sub_rules').selectFrom('sub_rules').selectAll()
  return owner === null ? all.where('project_id', 'is', null) : all.where('project_id', '=', owner)
}

/** The current contents of sub-rules by id. */
export async function contentsById(
  scope: Scope,
  rows: readonly SubRuleRow[],
): Promise<ReadonlyMap<string, SubRuleContent>> {
  if (rows.length === 0) return new Map()
  const saves = await scope
    .read('sub_rules', 'sub_rule_saves')
    .selectFrom('sub_rules as r')
    .innerJoin('sub_rule_saves as s', (join) => join.onRef('s.sub_rule_id', '=', 'r.id').onRef('s.seq', '=', 'r.rev'))
    .select(['r.id', 's.content'])
    .where(
      'r.id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute()
  return new Map(saves.map(({ id, content }) => [id, content]))
}

/** The names and uses of all sub-rules visible to an owner: its own, and those of the organization. */
export async function usesSeenBy(scope: Scope, owner: Owner) {
  const rows = await scope
    .read('sub_rules')
    .selectFrom('sub_rules')
    .select(['name', 'uses'])
    .where((eb) => eb.or([eb('project_id', 'is', null), eb('project_id', '=', owner)]))
    .orderBy('project_id', (order) => order.asc().nullsFirst())
    .execute()
  return [...new Map(rows.map((row) => [row.name, row])).values()]
}

/** A user of a sub-rule. */
export interface User {
  readonly kind: 'ruleset' | 'sub_rule'
  readonly name: string
}

/**
 * The users of one owner's sub-rules, according to the last saves. A project with its own sub-rule of a name does not
 * use the organization's.
 *
 * @param projects visible to the caller; null: all
 */
export async function usersOf(
  scope: Scope,
  owner: Owner,
  names: readonly string[],
  projects: readonly string[] | null,
): Promise<ReadonlyMap<string, readonly User[]>> {
  if (names.length === 0) return new Map()
  const drafts = await scope
    .read('drafts')
    .selectFrom('drafts')
    .select(['project_id', 'name', 'uses'])
    .where('deleted_at', 'is', null)
    .where(hasOneOf('uses', names))
    .orderBy('name')
    .execute()
  const subRules = await scope
    .read('sub_rules')
    .selectFrom('sub_rules')
    .select(['project_id', 'name', 'uses'])
    .where(hasOneOf('uses', names))
    .orderBy('name')
    .execute()
  const overriding = owner === null ? await overridesOf(scope, names) : new Set<string>()
  const isReached = (project: string | null) => project === null || projects === null || projects.includes(project)
  const of = (
    name: string,
    kind: User['kind'],
    rows: readonly ((typeof drafts)[number] | (typeof subRules)[number])[],
  ) =>
    rows
      .filter(({ project_id: project, uses }) => {
        if (!uses.includes(name) || !isReached(project)) return false
        return owner === null ? !overriding.has(`${project ?? ''}/${name}`) : project === owner
      })
      .map((row): User => ({ kind, name: row.name }))
  return new Map(names.map((name) => [name, [...of(name, 'ruleset', drafts), ...of(name, 'sub_rule', subRules)]]))
}

/** `project/name` of each project sub-rule that overrides one of these names. */
async function overridesOf(scope: Scope, names: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await scope
    .read('sub_rules')
    .selectFrom('sub_rules')
    .select(['project_id', 'name'])
    .where('project_id', 'is not', null)
    .where('name', 'in', [...names])
    .execute()
  return new Set(rows.map(({ project_id, name }) => `${project_id}/${name}`))
}
