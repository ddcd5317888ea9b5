import { type Concepts, hasFittingExample } from '@engine/authoring'
import type { Value } from '@engine/expression'
import type { Change } from '../../database/database.ts'
import type { FactRow } from './repository.ts'

/**
 * After a change of a concept, remove fact examples that no longer match their types, so that an exported project can be
 * imported again unchanged. Cost: the facts whose types name a concept.
 */
export async function dropExamples({ scope, audit }: Change, project: string, concepts: Concepts): Promise<void> {
  const rows = await scope
    .read('facts')
    .selectFrom('facts')
    .selectAll()
    .where('project_id', '=', project)
    .where('type', 'like', '%concept:%')
    .where('example', 'is not', null)
    .execute()
  for (const row of rows) {
    if (hasFittingExample(factOf(row), concepts)) continue
    const changed = { example: null, updated_at: new Date(), rev: row.rev + 1 }
    await scope.update('facts').set(changed).where('id', '=', row.id).execute()
    const [before, after] = [factOf(row), factOf({ ...row, example: null })]
    await audit({ action: 'fact.updated', object: row, projectId: project, before, after })
  }
}

const factOf = ({ name, type, description, example, tags }: FactRow) => ({
  name,
  type,
  description,
  ...(example === null ? {} : { example: example as Value }),
  tags: [...tags],
})
