import { type Concepts, type Contract, reachedConcepts, type WholeContract } from '@engine/authoring'
import type { Scope } from '../../database/scope.ts'

/** A contract with copies of what it refers to, and the ids of these. */
export interface CopiedContract {
  readonly contract: WholeContract
  readonly referredIds: readonly string[]
}

/**
 * A contract with all that decides what it means: the concepts that its types name, also through others, and the facts with the
 * names of its fields. What counts and dates changes, and what is only an example, is left out.
 */
export async function copiedContract(
  scope: Scope,
  project: string,
  { name, version, input, outputs }: Contract,
  concepts: Concepts,
): Promise<CopiedContract> {
  const own = { name, version, input, outputs }
  const named = reachedConcepts(own, concepts)
  const conceptRows = await scope
    .read('concepts')
    .selectFrom('concepts')
    .select('id')
    .where('project_id', '=', project)
    .where('name', 'in', [...named, ''])
    .execute()
  const fields = [...input.fields, ...outputs.flatMap((output) => output.fields)].map((field) => field.name)
  const factRows = await scope
    .read('facts')
    .selectFrom('facts')
    .select(['id', 'name', 'type', 'description'])
    .where('project_id', '=', project)
    .where('name', 'in', [...new Set(fields), ''])
    .orderBy('name')
    .execute()
  const contract: WholeContract = {
    ...own,
    // Those that the ruleset was checked with.
    concepts: named.map((concept) => ({ name: concept, fields: concepts.get(concept) ?? [] })),
    facts: factRows.map((row) => ({ name: row.name, type: row.type, description: row.description })),
  }
  return { contract, referredIds: [...conceptRows, ...factRows].map(({ id }) => id) }
}
