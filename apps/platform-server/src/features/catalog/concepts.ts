import { decodeConcept, sameValue } from '@engine/authoring'
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
import { flagForConcept, usersOfConcepts } from './impact.ts'
import type { Concept, ConceptChange, ConceptRequest, Migrations, UsedBy } from './model.ts'
import { asDuplicate, refuseRenaming } from './names.ts'
import { valueOf } from './refusal.ts'
import { conceptIn, type ConceptRow, conceptsOf, fieldsOf } from './repository.ts'

/** Concepts as the interface shows them, with what uses each. */
export async function shownConcepts(
  scope: Scope,
  project: string,
  rows: readonly ConceptRow[],
): Promise<readonly Concept[]> {
  const names = rows.map(({ name }) => name)
  const users = await usersOfConcepts(scope, project, names)
  return rows.map((row) => conceptOf(row, users.get(row.name) ?? []))
}

const conceptOf = (row: ConceptRow, used_by: UsedBy): Concept => ({
  ...recordOf(row),
  name: row.name,
  fields: fieldsOf(row),
  used_by,
})

export function createConcept(
  database: Database,
  { member, project }: InProject,
  caller: Caller,
  author: Author,
  request: ConceptRequest,
): Promise<Concept> {
  return asDuplicate('concepts', request.name, () =>
    database.change(member.org, author, async ({ scope, audit, lock }) => {
      await lock()
      const columns = await columnsOf(scope, project.id, request)
      const row = { id: randomUUIDv7(), project_id: project.id, created_by: creatorOf(caller), ...columns }
      const made = await scope.insert('concepts', row).returningAll().executeTakeFirstOrThrow()
      const concept = conceptOf(made, [])
      await audit({ action: 'concept.created', object: made, after: concept, projectId: project.id })
      return concept
    }),
  )
}

/** Replace a concept, and flag the contracts that use it when its fields change. @param rev that it must have; undefined: any */
export function changeConcept(
  database: Database,
  { member, project }: InProject,
  author: Author,
  name: string,
  request: ConceptChange,
  rev: number | undefined,
): Promise<Concept & { readonly migrations: Migrations }> {
  refuseRenaming(name, request.name)
  return database.change(member.org, author, async (change) => {
    const { scope, audit, lock } = change
    await lock()
    const before = await conceptBy(scope, project.id, name)
    const used = (await usersOfConcepts(scope, project.id, [name])).get(name) ?? []
    if (rev !== undefined && before.rev !== rev) throw staleRevision(conceptOf(before, used))
    const columns = await columnsOf(scope, project.id, { ...request, name })
    const row = await scope
      .update('concepts')
      .set({ ...columns, updated_at: new Date(), rev: before.rev + 1 })
      .where('id', '=', before.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const concept = conceptOf(row, used)
    const was = conceptOf(before, used)
    await audit({ action: 'concept.updated', object: row, before: was, after: concept, projectId: project.id })
    return { ...concept, migrations: await migrationsOf(change, project.id, was, concept) }
  })
}

async function migrationsOf(change: Change, project: string, before: Concept, after: Concept): Promise<Migrations> {
  const typesOf = ({ fields }: Concept) => Object.fromEntries(fields.map(({ name, type }) => [name, type]))
  if (sameValue(typesOf(before), typesOf(after))) return []
  const concepts = await conceptsOf(change.scope, project)
  return flagForConcept(
    change,
    project,
    concepts,
    after.name,
    `the fields of the concept \`${after.name}\` were changed`,
  )
}

export async function deleteConcept(
  database: Database,
  { member, project }: InProject,
  author: Author,
  name: string,
  rev: number | undefined,
): Promise<void> {
  await database.change(member.org, author, async ({ scope, audit, lock }) => {
    await lock()
    const row = await conceptBy(scope, project.id, name)
    const used = (await usersOfConcepts(scope, project.id, [name])).get(name) ?? []
    const before = conceptOf(row, used)
    if (rev !== undefined && row.rev !== rev) throw staleRevision(before)
    const [first] = used
    if (first !== undefined) throw failures.conflict('in_use', `the ${first.kind} \`${first.name}\` uses it`, before)
    await scope.delete('concepts').where('id', '=', row.id).execute()
    await audit({ action: 'concept.deleted', object: row, before, projectId: project.id })
  })
}

/** The columns of a concept that is right. Throws 400. */
async function columnsOf(scope: Scope, project: string, request: ConceptRequest) {
  const { name, fields } = valueOf(decodeConcept(request as Value, await conceptsOf(scope, project)))
  return { name, fields: stringifyJson(fields) }
}

/** Throws `not-found`. */
export async function conceptBy(scope: Scope, project: string, name: string): Promise<ConceptRow> {
  const row = await conceptIn(scope, project, name)
  if (row === undefined) throw failures.notFound('concept', name)
  return row
}
