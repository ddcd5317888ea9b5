import { decodeFact } from '@engine/authoring'
import { stringifyJson, type Value } from '@engine/expression'
import type { Scope } from '../../database/scope.ts'
import { recordOf } from '../../http/record.ts'
import { documents } from './documents.ts'
import { flagForFact, usersOfFacts } from './impact.ts'
import type { Fact, FactRequest, UsedBy } from './model.ts'
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

/** A fact whose type changes flags the contracts that use it. */
export const {
  create: createFact,
  replace: changeFact,
  remove: deleteFact,
  rowBy: factBy,
} = documents({
  noun: 'fact',
  rowIn: factIn,
  show: shownFacts,
  columnsOf,
  insert: (scope, row) => scope.insert('facts', row).returningAll().executeTakeFirstOrThrow(),
  update: (scope, id, row) =>
    scope.update('facts').set(row).where('id', '=', id).returningAll().executeTakeFirstOrThrow(),
  delete: (scope, id) => scope.delete('facts').where('id', '=', id).execute(),
  async replaced(change, project, before, after) {
    if (before.type === after.type) return { migrations: [] }
    const reason = `the type of the fact was changed from \`${before.type}\` to \`${after.type}\``
    return { migrations: await flagForFact(change, project, after.name, reason) }
  },
})

/** The columns of a fact that is right. Throws 400. */
async function columnsOf(scope: Scope, project: string, request: FactRequest) {
  const fact = valueOf(decodeFact(request as Value, await conceptsOf(scope, project)))
  const { name, type, description = '', example, tags = [] } = fact
  return { name, type, description, example: example === undefined ? null : stringifyJson(example), tags: [...tags] }
}
