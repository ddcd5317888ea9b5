import { type Concepts, type Contract, reachedConcepts, type WholeContract } from '@engine/authoring'
import type { Scope } from '../../database/scope.ts'

/** A self-contained copy of a contract, with the IDs of the concepts and facts that it refers to. */
export interface CopiedContract {
  readonly contract: WholeContract
  readonly referredIds: readonly string[]
}

/**
 * A contract with everything that determines its meaning: the concepts of its types, transitively, and the facts with the names
 * of its fields. Counters, dates and examples are omitted.
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
    // The concepts that the ruleset was checked with.
    concepts: named.map((concept) => ({ name: concept, fields: concepts.get(concept) ?? [] })),
    facts: factRows.map((row) => ({ name: row.name, type: row.type, description: row.description })),
  }
  return { contract, referredIds: [...conceptRows, ...factRows].map(({ id }) => id) }
}
