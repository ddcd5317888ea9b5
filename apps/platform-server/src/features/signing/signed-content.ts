import { inTurns, jsonText, parsedJson } from '@engine/process'
import type { RulesetDocument } from '@engine/ruleset'
import { canonicalWriting, embedded, parsePrivateKey, type Signature, signatureOver } from '@engine/signing'
import type { SecretBox } from '../../access/secret-box.ts'
import type { Database } from '../../database/database.ts'
import { sealPurpose } from './service.ts'

/**
 * A content for delivery to an engine: with its external signature, otherwise signed with the key of the project that
 * delivers it. When several projects deliver the same content to one engine, the oldest one with a key signs it; the
 * engine must trust that key. Takes n log n in the size of the content, in pieces between other requests.
 */
export async function signedContent(
  database: Database,
  secretBox: SecretBox,
  serverId: string,
  digest: string,
  content: string,
): Promise<string> {
  const outside = await outsideSignature(database, serverId, digest)
  if (outside !== undefined) return jsonText(embedded(await documentOf(content, digest), outside))
  const key = await keyFor(database, serverId, digest)
  if (key === undefined) return content
  const privateKey = parsePrivateKey(secretBox.decrypt(key.sealed, sealPurpose(key.project)))
  const document = await documentOf(content, digest)
  const canonical = await inTurns(canonicalWriting(document))
  const signed = embedded(document, signatureOver(canonical, privateKey, new Date().toISOString()))
  return jsonText(signed)
}

async function documentOf(content: string, digest: string): Promise<RulesetDocument> {
  const parsed = await parsedJson(content, { duplicateKeys: 'refuse', numbers: 'document' })
  if (parsed.kind === 'failed') throw new Error(`the content ${digest} is no JSON`)
  return parsed.value as RulesetDocument
}

/** The newest external signature by a key that the organization currently trusts; undefined if there is none. */
async function outsideSignature(
  { unscoped }: Database,
  server: string,
  digest: string,
): Promise<Signature | undefined> {
  const row = await unscoped.tables
    .selectFrom('environment_servers as b')
    .innerJoin('desired_rulesets as d', (join) =>
      join.onRef('d.org_id', '=', 'b.org_id').onRef('d.environment_id', '=', 'b.environment_id'),
    )
    .innerJoin('release_signatures as s', (join) =>
      join.onRef('s.org_id', '=', 'd.org_id').onRef('s.digest', '=', 'd.digest'),
    )
    .innerJoin('trusted_keys as t', (join) =>
      join.onRef('t.org_id', '=', 's.org_id').onRef('t.public_key', '=', 's.public_key'),
    )
    .select(['s.public_key', 's.signature', 's.signed_at'])
    .where('b.server_id', '=', server)
    .where('d.digest', '=', digest)
    .orderBy('s.created_at', 'desc')
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { public_key, signature, signed_at } = row
  return { public_key, signature, ...(signed_at !== null && { signed_at }) }
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
