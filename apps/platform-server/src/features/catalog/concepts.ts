import { decodeConcept, sameValue } from '@engine/authoring'
import { stringifyJson, type Value } from '@engine/expression'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import { recordOf } from '../../resources/resource-fields.ts'
import { documents } from './documents.ts'
import { dropExamples } from './examples.ts'
import { flagForConcept, usersOfConcepts } from './impact.ts'
import type { Concept, ConceptRequest } from './model.ts'
import { valueOf } from './decoded-document.ts'
import { conceptIn, type ConceptRow, conceptsOf, fieldsOf } from './repository.ts'

/** Concepts in the form of the public API, with their usages. */
export async function shownConcepts(
  scope: Scope,
  project: string,
  rows: readonly ConceptRow[],
): Promise<readonly Concept[]> {
  const names = rows.map(({ name }) => name)
  const users = await usersOfConcepts(scope, project, names)
  return rows.map((row) => ({
    ...recordOf(row),
    name: row.name,
    fields: fieldsOf(row),
    used_by: users.get(row.name) ?? [],
  }))
}

/**
 * A change of a concept's fields flags the contracts that use it until the fields are restored. A concept in use cannot be
 * deleted.
 */
export const {
  create: createConcept,
  replace: changeConcept,
  remove: deleteConcept,
  rowBy: conceptBy,
} = documents({
  noun: 'concept',
  rowIn: conceptIn,
  show: shownConcepts,
  columnsOf,
  insert: (scope, row) => scope.insert('concepts', row).returningAll().executeTakeFirstOrThrow(),
  update: (scope, id, row) =>
    scope.update('concepts').set(row).where('id', '=', id).returningAll().executeTakeFirstOrThrow(),
  delete: (scope, id) => scope.delete('concepts').where('id', '=', id).execute(),
  async replaced(change, project, before, after) {
    if (sameValue(typesOf(before), typesOf(after))) return { migrations: [] }
    const concepts = await conceptsOf(change.scope, project)
    await dropExamples(change, project, concepts)
    return { migrations: await flagForConcept(change, project, concepts, after.name, typesOf(before), typesOf(after)) }
  },
  async deleted(change, project, before) {
    // The concept has no usages left.
    const concepts = await conceptsOf(change.scope, project)
    await flagForConcept(change, project, concepts, before.name, typesOf(before), undefined)
  },
  deleting(shown: Concept) {
    const [first] = shown.used_by
    if (first !== undefined) throw failures.conflict('in_use', `the ${first.kind} \`${first.name}\` uses it`, shown)
  },
})

const typesOf = ({ fields }: Concept) => Object.fromEntries(fields.map(({ name, type }) => [name, type]))

/** The columns of a valid concept. Throws 400. */
async function columnsOf(scope: Scope, project: string, request: ConceptRequest) {
  const { name, fields } = valueOf(decodeConcept(request as Value, await conceptsOf(scope, project)))
  return { name, fields: stringifyJson(fields) }
}
