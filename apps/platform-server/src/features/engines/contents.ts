import { inTurns, jsonText, parsedJson } from '@engine/process'
import type { RulesetDocument } from '@engine/ruleset'
import { canonicalWriting } from '@engine/signing'
import { createHash } from 'node:crypto'
import type { Database } from '../../database/database.ts'

/** Hexadecimal SHA-256 of the canonical JSON; equal digests mean equal contents. */
export async function digestOf(document: RulesetDocument): Promise<string> {
  return createHash('sha256')
    .update(await inTurns(canonicalWriting(document)))
    .digest('hex')
}

/**
 * Contents by digest. Contents belong to no organization, so the caller must take the digests from rows of its own one.
 * Missing contents are omitted.
 */
export async function contentsOf(
  database: Database,
  digests: readonly string[],
): Promise<ReadonlyMap<string, RulesetDocument>> {
  const texts = await contentTexts(database, digests)
  const parsed = await Promise.all(
    Array.from(texts, async ([digest, content]) => {
      const found = await parsedJson(content, { duplicateKeys: 'refuse', numbers: 'document' })
      if (found.kind === 'failed') throw new Error(`the content ${digest} is no JSON`)
      return [digest, found.value as unknown as RulesetDocument] as const
    }),
  )
  return new Map(parsed)
}

/** Contents by digest, as JSON text. */
export async function contentTexts(
  { unscoped }: Database,
  digests: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (digests.length === 0) return new Map()
  const rows = await unscoped.tables
    .selectFrom('ruleset_contents')
    .select(['digest', 'content'])
    .where('digest', 'in', [...new Set(digests)])
    .execute()
  return new Map(rows.map(({ digest, content }) => [digest, content]))
}

/**
 * Store a ruleset in the engine format for engines to fetch. It belongs to no organization; an engine can fetch it only while
 * it should have it. Storing an existing content renews its age, so that the retention job keeps it until it is wanted
 * (jobs/retention.ts). Call this before the transaction that wants the content: inside one, it would wait for a second
 * connection.
 *
 * @returns its digest
 */
export async function keepContent({ unscoped }: Database, document: RulesetDocument): Promise<string> {
  const digest = await digestOf(document)
  await unscoped.tables
    .insertInto('ruleset_contents')
    .values({ digest, content: await jsonText(document) })
    .onConflict((conflict) => conflict.column('digest').doUpdateSet({ created_at: new Date() }))
    .execute()
  return digest
}
