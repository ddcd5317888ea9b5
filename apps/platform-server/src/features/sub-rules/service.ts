import { stringifyJson, type Value } from '@engine/expression'
import { randomUUIDv7 } from 'node:crypto'
import type { Caller } from '../../access/caller.ts'
import type { Member } from '../../access/membership.ts'
import type { AuditRecord, Author } from '../../database/audit.ts'
import type { Change, Database } from '../../database/database.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import { creatorOf } from '../../http/author.ts'
import { recordOf } from '../../http/record.ts'
import type { SubRule } from './model.ts'
import { refuseNesting } from './nesting.ts'
import { refuseBroken } from './reading.ts'
import {
  contentsById,
  graphsFor,
  namesUsed,
  type Owner,
  type SubRuleContent,
  subRuleIn,
  type SubRuleRow,
  usersOf,
  usesSeenBy,
} from './repository.ts'

/** Who changes a sub-rule, and where. */
export interface Changing {
  readonly database: Database
  readonly member: Member
  readonly owner: Owner
  readonly caller: Caller
  readonly author: Author
}

/** Sub-rules of one owner as the interface shows them to a caller. */
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

/**
 * Make a sub-rule, or replace it when its number is the expected one. Throws 400 where it would not run, or would be nested
 * too deeply or endlessly.
 *
 * @param expected 0: it is new
 */
export async function saveSubRule(
  changing: Changing,
  name: string,
  version: string,
  content: SubRuleContent,
  expected: number,
): Promise<SubRule> {
  const { database, member, owner, caller, author } = changing
  return database.change(member.org, author, async (change) => {
    const { scope, audit, lock } = change
    // Others may change what this one uses meanwhile: both could be right by themselves, and a cycle together.
    await lock()
    const before = await subRuleIn(scope, owner, name)
    if (before === undefined && expected > 0) throw failures.notFound('sub-rule', name)
    if ((before?.rev ?? 0) !== expected) throw await stale(scope, owner, caller, before)
    const uses = [...namesUsed(content.graph)]
    const seen = await usesSeenBy(scope, owner)
    refuseNesting(
      seen.filter((one) => one.name !== name),
      { name, uses },
    )
    refuseBroken(content, await graphsFor(scope, owner, uses))
    const after = await store(change, changing, before, { name, version, uses }, content)
    await audit(recordOfSubRule(before === undefined ? 'created' : 'updated', before, after, after, owner))
    const [found] = await shown(scope, owner, caller, [after])
    return found as SubRule
  })
}

async function store(
  { scope }: Pick<Change, 'scope'>,
  { owner, caller }: Changing,
  before: SubRuleRow | undefined,
  columns: Pick<SubRuleRow, 'name' | 'version' | 'uses'>,
  content: SubRuleContent,
): Promise<SubRuleRow> {
  const by = creatorOf(caller)
  const row =
    before === undefined
      ? await scope
          .insert('sub_rules', { id: randomUUIDv7(), project_id: owner, ...columns, created_by: by })
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
      content: stringifyJson(content as unknown as Value),
      saved_by: by,
    })
    .execute()
  return row
}

/** Delete a sub-rule that nothing uses. */
export async function deleteSubRule(
  { database, member, owner, caller, author }: Changing,
  name: string,
  expected: number,
): Promise<void> {
  await database.change(member.org, author, async ({ scope, audit, lock }) => {
    await lock()
    const row = await subRuleIn(scope, owner, name)
    if (row === undefined) throw failures.notFound('sub-rule', name)
    if (row.rev !== expected) throw await stale(scope, owner, caller, row)
    const [user] = (await usersOf(scope, owner, [name], null)).get(name) ?? []
    if (user !== undefined)
      throw failures.conflict('in_use', 'rulesets or other sub-rules use it: `used_by` names them')
    await scope.delete('sub_rules').where('id', '=', row.id).execute()
    await audit(recordOfSubRule('deleted', row, undefined, row, owner))
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
  owner: Owner,
): AuditRecord {
  const summary = (row: SubRuleRow | undefined) => row && { name: row.name, seq: row.rev, version: row.version }
  return {
    action: `sub_rule.${verb}`,
    object,
    before: summary(before),
    after: summary(after),
    ...(owner === null ? {} : { projectId: owner }),
  }
}
