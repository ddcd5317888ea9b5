import type { Value } from '@engine/expression'
import { inTurns, jsonText, parsedJson } from '@engine/process'
import type { RulesetDocument } from '@engine/ruleset'
import { canonicalWriting, embedded, parsePrivateKey, signatureOver } from '@engine/signing'
import type { Seal } from '../../access/seal.ts'
import type { Database } from '../../database/database.ts'
import { sealPurpose } from './service.ts'

/**
 * A content as an engine should get it: signed with the key of the project that wants it there. Where several projects want the
 * same content on one engine the oldest of those with a key signs it; the engine has to trust that one. Takes n log n in the
 * size of the content, in turns with other requests.
 */
export async function signedContent(
  database: Database,
  seal: Seal,
  serverId: string,
  digest: string,
  content: string,
): Promise<string> {
  const key = await keyFor(database, serverId, digest)
  if (key === undefined) return content
  const privateKey = parsePrivateKey(seal.open(key.sealed, sealPurpose(key.project)))
  const parsed = await parsedJson(content, { duplicateKeys: 'refuse' })
  if (parsed.kind === 'failed') throw new Error(`the content ${digest} is no JSON`)
  const document = parsed.value as RulesetDocument
  const canonical = await inTurns(canonicalWriting(document))
  const signed = embedded(document, signatureOver(canonical, privateKey, new Date().toISOString()))
  return jsonText(signed)
}

interface ProjectKey {
  readonly project: string
  readonly sealed: Buffer
}

async function keyFor({ unscoped }: Database, server: string, digest: string): Promise<ProjectKey | undefined> {
  const row = await unscoped.tables
    .selectFrom('environment_servers as b')
    .innerJoin('desired_rulesets as d', (join) =>
      join.onRef('d.org_id', '=', 'b.org_id').onRef('d.environment_id', '=', 'b.environment_id'),
    )
    .innerJoin('environments as e', (join) =>
      join.onRef('e.org_id', '=', 'b.org_id').onRef('e.id', '=', 'b.environment_id'),
    )
    .innerJoin('projects as p', (join) => join.onRef('p.org_id', '=', 'e.org_id').onRef('p.id', '=', 'e.project_id'))
    .select(['p.id', 'p.private_key_encrypted'])
    .where('b.server_id', '=', server)
    .where('d.digest', '=', digest)
    .where('p.private_key_encrypted', 'is not', null)
    .orderBy('p.id')
    .executeTakeFirst()
  if (row === undefined || row.private_key_encrypted === null) return undefined
  return { project: row.id, sealed: row.private_key_encrypted }
}
