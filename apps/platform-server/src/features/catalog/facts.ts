import { decodeFact } from '@engine/authoring'
import { stringifyJson, type Value } from '@engine/expression'
import { randomUUIDv7 } from 'node:crypto'
import type { Caller } from '../../access/caller.ts'
import type { Author } from '../../database/audit.ts'
import { type Change, type Database } from '../../database/database.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import { creatorOf } from '../../http/author.ts'
import { recordOf } from '../../http/record.ts'
import { staleRevision } from '../../http/revision.ts'
import type { InProject } from '../projects/place.ts'
import { flagForFact, usersOfFacts } from './impact.ts'
import type { Fact, FactChange, FactRequest, Migrations, UsedBy } from './model.ts'
import { asDuplicate, refuseRenaming } from './names.ts'
import { valueOf } from './refusal.ts'
import { conceptsOf, factIn, type FactRow } from './repository.ts'

/** Facts as the interface shows them, with what uses each. */
export async function shownFacts(scope: Scope, project: string, rows: readonly FactRow[]): Promise<readonly Fact[]> {
  const names = rows.map(({ name }) => name)
  const users = await usersOfFacts(scope, project, names)
  return rows.map((row) => factOf(row, users.get(row.name) ?? []))
}

function factOf(row: FactRow, used_by: UsedBy): Fact {
  const { name, type, description, example, tags } = row
  return { ...recordOf(row), name, type, description, ...(example === null ? {} : { example }), tags, used_by }
}

export function createFact(
  database: Database,
  { member, project }: InProject,
  caller: Caller,
  author: Author,
  request: FactRequest,
): Promise<Fact> {
  return asDuplicate('facts', request.name, () =>
    database.change(member.org, author, async ({ scope, audit, lock }) => {
      await lock()
      const columns = await columnsOf(scope, project.id, request)
      const row = { id: randomUUIDv7(), project_id: project.id, created_by: creatorOf(caller), ...columns }
      const made = await scope.insert('facts', row).returningAll().executeTakeFirstOrThrow()
      const [fact] = await shownFacts(scope, project.id, [made])
      await audit({ action: 'fact.created', object: made, after: fact, projectId: project.id })
      return fact as Fact
    }),
  )
}

/** Replace a fact, and flag the contracts that use it when its type changes. @param rev that it must have; undefined: any */
export function changeFact(
  database: Database,
  { member, project }: InProject,
  author: Author,
  name: string,
  request: FactChange,
  rev: number | undefined,
): Promise<Fact & { readonly migrations: Migrations }> {
  refuseRenaming(name, request.name)
  return database.change(member.org, author, async (change) => {
    const { scope, audit, lock } = change
    await lock()
    const before = await factBy(scope, project.id, name)
    const used = (await usersOfFacts(scope, project.id, [name])).get(name) ?? []
    if (rev !== undefined && before.rev !== rev) throw staleRevision(factOf(before, used))
    const columns = await columnsOf(scope, project.id, { ...request, name })
    const row = await scope
      .update('facts')
      .set({ ...columns, updated_at: new Date(), rev: before.rev + 1 })
      .where('id', '=', before.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const fact = factOf(row, used)
    await audit({
      action: 'fact.updated',
      object: row,
      before: factOf(before, used),
      after: fact,
      projectId: project.id,
    })
    return { ...fact, migrations: await migrationsOf(change, project.id, before, row) }
  })
}

async function migrationsOf(change: Change, project: string, before: FactRow, after: FactRow): Promise<Migrations> {
  if (before.type === after.type) return []
  const reason = `the type of the fact was changed from \`${before.type}\` to \`${after.type}\``
  return flagForFact(change, project, after.name, reason)
}

export async function deleteFact(
  database: Database,
  { member, project }: InProject,
  author: Author,
  name: string,
  rev: number | undefined,
): Promise<void> {
  await database.change(member.org, author, async ({ scope, audit, lock }) => {
    await lock()
    const row = await factBy(scope, project.id, name)
    const before = factOf(row, [])
    if (rev !== undefined && row.rev !== rev) throw staleRevision(before)
    await scope.delete('facts').where('id', '=', row.id).execute()
    await audit({ action: 'fact.deleted', object: row, before, projectId: project.id })
  })
}

/** The columns of a fact that is right. Throws 400. */
async function columnsOf(scope: Scope, project: string, request: FactRequest) {
  const fact = valueOf(decodeFact(request as Value, await conceptsOf(scope, project)))
  const { name, type, description = '', example, tags = [] } = fact
  return { name, type, description, example: example === undefined ? null : stringifyJson(example), tags: [...tags] }
}

/** Throws `not-found`. */
export async function factBy(scope: Scope, project: string, name: string): Promise<FactRow> {
  const row = await factIn(scope, project, name)
  if (row === undefined) throw failures.notFound('fact', name)
  return row
}
