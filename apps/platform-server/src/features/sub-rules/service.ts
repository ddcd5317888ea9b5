import { jsonText } from '@engine/process'
import { randomUUIDv7 } from 'node:crypto'
import type { Caller } from '../../access/caller.ts'
import type { AuditRecord } from '../../database/audit.ts'
import type { Change } from '../../database/database.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import { recordOf } from '../../resources/resource-fields.ts'
import type { SubRule } from './model.ts'
import type { Compute } from '../../compute/compute.ts'
import { refuseNesting, type Uses } from './nesting.ts'
import { refuseBroken } from './sub-rule-content.ts'
import { ownerOf, type Place } from './sub-rule-scope.ts'
import {
  contentsById,
  graphsFor,
  namesUsed,
  type Owner,
  type SubRuleContent,
  subRuleIn,
  type SubRuleRow,
  type UsedSubRule,
  usersOf,
  usesSeenBy,
} from './repository.ts'

/** The author of a change of sub-rules, and the owner. */
type Changing = Acting<Pick<Place, 'member' | 'project'>>

/** Sub-rules of one owner in the form of the public API. */
export async function shown(
  scope: Scope,
  owner: Owner,
  caller: Caller,
  rows: readonly SubRuleRow[],
): Promise<readonly SubRule[]> {
  const names = rows.map(({ name }) => name)
  const users = await usersOf(scope, owner, names, caller.kind === 'key' ? caller.projectIds : null)
  const contents = await contentsById(scope, rows)
  return rows.map((row) => {
    const content = contents.get(row.id)
    if (content === undefined) throw new Error(`a sub-rule without its save: ${row.id}`)
    const { graph, bindings, outputs } = content
    return {
      ...recordOf(row),
      name: row.name,
      version: row.version,
      graph,
      bindings: [...bindings],
      outputs: [...outputs],
      seq: row.rev,
      used_by: [...(users.get(row.name) ?? [])],
    }
  })
}

/** Maximum number of checks of a sub-rule, which is checked again if a dependency changes during its check. */
const MAX_CHECKS = 5

/**
 * Create a sub-rule, or replace it if its sequence number is the expected one. Throws 400 if it would not run, or would
 * be nested too deeply or in a cycle.
 *
 * It is checked before the transaction, on a thread if it is large; the transaction succeeds only if its dependencies
 * are unchanged.
 *
 * @param expected 0 for a new sub-rule
 */
export async function saveSubRule(
  acting: Changing,
  compute: Compute,
  name: string,
  version: string,
  content: SubRuleContent,
  expected: number,
): Promise<SubRule> {
  const { member } = acting.place
  const owner = ownerOf(acting.place)
  const uses = [...namesUsed(content.graph)]
  const scope = acting.database.scope(member.org)
  for (let attempt = 1; ; attempt++) {
    await requireExpected(scope, acting, name, expected)
    await refuseNestingIn(scope, owner, { name, uses })
    const used = await graphsFor(scope, owner, uses)
    await refuseBroken(compute, content, used)
    const saved = await stored(acting, { name, version, uses }, content, expected, savesOf(used))
    if (saved !== undefined) return saved
    if (attempt === MAX_CHECKS)
      throw failures.conflict('busy', 'the sub-rules that it uses are being changed: try again')
  }
}

/** Undefined if a dependency has changed since the check. */
function stored(
  acting: Changing,
  columns: Pick<SubRuleRow, 'name' | 'version' | 'uses'>,
  content: SubRuleContent,
  expected: number,
  checkedWith: string,
): Promise<SubRule | undefined> {
  const owner = ownerOf(acting.place)
  // Under the lock: concurrent changes to its dependencies could each be valid alone, and form a cycle together.
  return acting.change(async (change) => {
    const { scope, audit } = change
    const before = await requireExpected(scope, acting, columns.name, expected)
    await refuseNestingIn(scope, owner, columns)
    if (savesOf(await graphsFor(scope, owner, columns.uses)) !== checkedWith) return undefined
    const after = await store(change, acting, before, columns, content)
    await audit(recordOfSubRule(before === undefined ? 'created' : 'updated', before, after, after))
    const [found] = await shown(scope, owner, acting.caller, [after])
    return found
  })
}

/** The ids and sequence numbers of these sub-rules, as a key. */
const savesOf = (used: ReadonlyMap<string, UsedSubRule>): string =>
  Array.from(used.values(), ({ id, seq }) => `${id}/${seq}`)
    .toSorted()
    .join(' ')

/** The sub-rule to change; undefined if it is new. Throws if its sequence number is not the expected one. */
async function requireExpected(
  scope: Scope,
  { place, caller }: Changing,
  name: string,
  expected: number,
): Promise<SubRuleRow | undefined> {
  const owner = ownerOf(place)
  const before = await subRuleIn(scope, owner, name)
  if (before === undefined && expected > 0) throw failures.notFound('sub-rule', name)
  if ((before?.rev ?? 0) !== expected) throw await stale(scope, owner, caller, before)
  return before
}

async function refuseNestingIn(scope: Scope, owner: Owner, changed: Uses): Promise<void> {
  const seen = await usesSeenBy(scope, owner)
  refuseNesting(
    seen.filter((one) => one.name !== changed.name),
    changed,
  )
}

async function store(
  { scope }: Pick<Change, 'scope'>,
  { place, by }: Changing,
  before: SubRuleRow | undefined,
  columns: Pick<SubRuleRow, 'name' | 'version' | 'uses'>,
  content: SubRuleContent,
): Promise<SubRuleRow> {
  const row =
    before === undefined
      ? await scope
          .insert('sub_rules', { id: randomUUIDv7(), project_id: ownerOf(place), ...columns, created_by: by })
          .returningAll()
          .executeTakeFirstOrThrow()
      : await scope
          .update('sub_rules')
          .set({ ...columns, updated_at: new Date(), rev: before.rev + 1 })
          .where('id', '=', before.id)
          .returningAll()
          .executeTakeFirstOrThrow()
  await scope
    .insert('sub_rule_saves', {
      sub_rule_id: row.id,
      seq: row.rev,
      version: row.version,
      content: await jsonText(content),
      saved_by: by,
    })
    .execute()
  return row
}

/** Delete an unused sub-rule. */
export async function deleteSubRule(acting: Changing, name: string, expected: number): Promise<void> {
  const { caller } = acting
  const owner = ownerOf(acting.place)
  await acting.change(async ({ scope, audit }) => {
    const row = await subRuleIn(scope, owner, name)
    if (row === undefined) throw failures.notFound('sub-rule', name)
    if (row.rev !== expected) throw await stale(scope, owner, caller, row)
    const [user] = (await usersOf(scope, owner, [name], null)).get(name) ?? []
    if (user !== undefined)
      throw failures.conflict('in_use', 'rulesets or other sub-rules use it: `used_by` names them')
    await scope.delete('sub_rules').where('id', '=', row.id).execute()
    await audit(recordOfSubRule('deleted', row, undefined, row))
  })
}

async function stale(scope: Scope, owner: Owner, caller: Caller, row: SubRuleRow | undefined): Promise<Error> {
  const [current] = row === undefined ? [] : await shown(scope, owner, caller, [row])
  return failures.conflict('stale', `it is at seq ${row?.rev ?? 0}`, current)
}

function recordOfSubRule(
  verb: 'created' | 'updated' | 'deleted',
  before: SubRuleRow | undefined,
  after: SubRuleRow | undefined,
  object: SubRuleRow,
): AuditRecord {
  const summary = (row: SubRuleRow | undefined) => row && { name: row.name, seq: row.rev, version: row.version }
  return {
    action: `sub_rule.${verb}`,
    object,
    before: summary(before),
    after: summary(after),
  }
}
