import { decodeFact, type Fact as FactDocument, type Problem } from '@engine/authoring'
import { stringifyJson } from '@engine/expression'
import type { Scope } from '../../database/scope.ts'
import { invalidDocument } from '../../resources/invalid-document.ts'
import { recordOf } from '../../resources/resource-fields.ts'
import { documents } from './documents.ts'
import { flagForFact, usersOfFacts } from './impact.ts'
import type { Fact, FactRequest, UsedBy } from './model.ts'
import { valueOf } from './decoded-document.ts'
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

/** A fact whose type changes flags the contracts that use it, until it has its earlier type again. */
const factDocuments = (check: CheckFact) =>
  documents({
    noun: 'fact',
    rowIn: factIn,
    show: shownFacts,
    columnsOf: (scope: Scope, project: string, request: FactRequest) => columnsOf(scope, project, request, check),
    insert: (scope, row) => scope.insert('facts', row).returningAll().executeTakeFirstOrThrow(),
    update: (scope, id, row) =>
      scope.update('facts').set(row).where('id', '=', id).returningAll().executeTakeFirstOrThrow(),
    delete: (scope, id) => scope.delete('facts').where('id', '=', id).execute(),
    async created(change, project, after) {
      await flagForFact(change, project, after.name, undefined, after.type)
    },
    async replaced(change, project, before, after) {
      if (before.type === after.type) return { migrations: [] }
      return { migrations: await flagForFact(change, project, after.name, before.type, after.type) }
    },
    async deleted(change, project, before) {
      await flagForFact(change, project, before.name, before.type, undefined)
    },
  })

export const {
  create: createFact,
  replace: changeFact,
  remove: deleteFact,
  rowBy: factBy,
} = factDocuments(async (scope, project, fact, problems) => {
  if (problems.length === 0) return
  // Facts of earlier versions keep their types while the rest of them changes.
  const stored = await factIn(scope, project, fact.name)
  if (stored?.type !== fact.type) throw invalidDocument(problems.map((one) => ({ ...one, severity: 'error' })))
})

/** The same for archives, which may hold facts of earlier versions: what is wrong with their types is a warning there. */
export const { create: importFact, replace: reimportFact } = factDocuments(async () => {})

/** Throws 400 for a fact that is right but for `problems`, its warnings. */
type CheckFact = (scope: Scope, project: string, fact: FactDocument, problems: readonly Problem[]) => Promise<void>

/** The columns of a fact that is right. Throws 400. */
async function columnsOf(scope: Scope, project: string, request: FactRequest, check: CheckFact) {
  const decoded = decodeFact(request, await conceptsOf(scope, project))
  const fact = valueOf(decoded)
  await check(scope, project, fact, decoded.problems)
  const { name, type, description = '', example, tags = [] } = fact
  return { name, type, description, example: example === undefined ? null : stringifyJson(example), tags: [...tags] }
}
