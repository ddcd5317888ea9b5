import { stringifyJson } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { canonicalJson } from '@engine/signing'
import { createHash } from 'node:crypto'
import type { Database } from '../../database/database.ts'

/**
 * Keep a ruleset of the engine's format for engines to fetch. It belongs to no organization, and an engine gets it only when
 * it should have it. Called before the change that wants it: within a change it would wait for a second connection.
 *
 * @returns its digest
 */
export async function keepContent({ unscoped }: Database, document: RulesetDocument): Promise<string> {
  const digest = createHash('sha256').update(canonicalJson(document)).digest('hex')
  await unscoped.tables
    .insertInto('ruleset_contents')
    .values({ digest, content: stringifyJson(document) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return digest
}
