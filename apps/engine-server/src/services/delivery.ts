import { isObject, quote } from '@engine/expression'
import { parsedJson } from '@engine/process'
import type { RulesetCatalog } from '../catalog/catalog.ts'
import { bareDigest, documentDigest } from '../catalog/content-digest.ts'
import { EngineError } from '../errors.ts'
import type { Requester } from '../requester.ts'
import { type Applied, outcome } from './replication.ts'

/** Applies the platform's desired state of one tenant. Contents are identified by digest: 64 hexadecimal digits. */
export interface DeliveryService {
  /** The digest of the stored content; undefined if the name does not exist. */
  digest(name: string): Promise<string | undefined>
  put(delivered: Delivered, by: Requester): Promise<Applied>
  delete(name: string, by: Requester): Promise<Applied>
}

/** A content sent by the platform. */
export interface Delivered {
  readonly name: string
  /** Digest of the desired content. */
  readonly digest: string
  /** JSON text. */
  readonly text: string
}

/** The received content is not the requested one. A retry may help. */
const WRONG_CONTENT = 'the platform sent a content with another digest'

/**
 * Deliveries pass the signature gate like every other ruleset: with `--signature-require` the platform cannot deliver
 * unsigned rulesets. Content that is already stored is skipped: no new version, no publication.
 */
export function createDeliveryService(
  catalog: Pick<RulesetCatalog, 'admit' | 'get' | 'put' | 'delete'>,
): DeliveryService {
  const digest = async (name: string) => {
    const stored = catalog.get(name)
    return stored === undefined ? undefined : bareDigest(stored)
  }

  async function put({ name, digest: wanted, text }: Delivered, by: Requester): Promise<Applied> {
    if ((await digest(name)) === wanted) return { kind: 'unchanged' }
    const parsed = await parsedJson(text, { duplicateKeys: 'refuse', numbers: 'document' })
    if (parsed.kind === 'failed') return { kind: 'failed', reason: WRONG_CONTENT }
    const document = parsed.value
    if (!isObject(document) || (await documentDigest(document, text.length)) !== wanted)
      return { kind: 'failed', reason: WRONG_CONTENT }
    const { ruleset } = await catalog.admit(document, 'platform', { text, by })
    if (ruleset.name !== name) throw new EngineError('invalid-ruleset', `it holds the ruleset ${quote(ruleset.name)}`)
    await catalog.put(ruleset, { origin: 'platform', by })
    return { kind: 'applied' }
  }

  async function remove(name: string, by: Requester): Promise<Applied> {
    const deleted = await catalog.delete(name, { origin: 'platform', by })
    return { kind: deleted === undefined ? 'unchanged' : 'applied' }
  }

  return {
    digest,
    put: (delivered, by) => outcome(put(delivered, by)),
    delete: (name, by) => outcome(remove(name, by)),
  }
}
