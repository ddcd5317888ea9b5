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

/** Facts in the form of the public API, with their usages. */
export async function shownFacts(scope: Scope, project: string, rows: readonly FactRow[]): Promise<readonly Fact[]> {
  const names = rows.map(({ name }) => name)
  const users = await usersOfFacts(scope, project, names)
  return rows.map((row) => factOf(row, users.get(row.name) ?? []))
}

function factOf(row: FactRow, used_by: UsedBy): Fact {
  const { name, type, description, example, tags } = row
  return { ...recordOf(row), name, type, description, ...(example === null ? {} : { example }), tags, used_by }
}

/** A change of a fact's type flags the contracts that use it until the type is restored. */
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
  // Facts of earlier versions keep an invalid type while other members change.
  const stored = await factIn(scope, project, fact.name)
  if (stored?.type !== fact.type) throw invalidDocument(problems.map((one) => ({ ...one, severity: 'error' })))
})

/** The same for archives, which may contain facts of earlier versions: problems with their types are only warnings there. */
export const { create: importFact, replace: reimportFact } = factDocuments(async () => {})

/** Decides whether an otherwise valid fact may have these warnings. Throws 400 to refuse it. */
type CheckFact = (scope: Scope, project: string, fact: FactDocument, problems: readonly Problem[]) => Promise<void>

/** The columns of a valid fact. Throws 400. */
async function columnsOf(scope: Scope, project: string, request: FactRequest, check: CheckFact) {
  const decoded = decodeFact(request, await conceptsOf(scope, project))
  const fact = valueOf(decoded)
  await check(scope, project, fact, decoded.problems)
  const { name, type, description = '', example, tags = [] } = fact
  return { name, type, description, example: example === undefined ? null : stringifyJson(example), tags: [...tags] }
}
