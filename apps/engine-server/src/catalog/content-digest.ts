import { type ObjectValue, writeJson } from '@engine/expression'
import { createPauses, inTurns, TIMED_OUT, within } from '@engine/process'
import { CANONICAL_FORM, withoutSignature } from '@engine/signing'
import { createHash } from 'node:crypto'
import { documentInTurns, type StoredRuleset } from '../store/store.ts'
import type { RulesetCatalog } from './catalog.ts'
import { LARGE } from './decoding.ts'

/** Stored objects are immutable, so each is hashed once. */
const digests = new WeakMap<StoredRuleset, Promise<string>>()
const tags = new WeakMap<StoredRuleset, string>()

/**
 * The digest of a ruleset's content: `sha256:` and the SHA-256, in hexadecimal, of its canonical JSON without
 * `_signature`, the signed bytes. It is therefore the same for JSON, YAML and binary, whatever their layout and key
 * order. Large rulesets are parsed and serialized in pieces between other requests.
 */
export function contentDigest(entry: StoredRuleset): Promise<string> {
  let digest = digests.get(entry)
  if (digest === undefined) {
    digest = digestOf(entry)
    digests.set(entry, digest)
  }
  return digest
}

async function digestOf(entry: StoredRuleset): Promise<string> {
  return `sha256:${await documentDigest(await documentInTurns(entry), entry.text.length)}`
}

/**
 * The digest of a document that is not stored, without its prefix.
 *
 * @param length number of characters of its text
 */
export async function documentDigest(ruleset: ObjectValue, length: number): Promise<string> {
  const writing = writeJson(withoutSignature(ruleset), { form: CANONICAL_FORM })
  const text = (length > LARGE ? undefined : writing.advance(Infinity)) ?? (await inTurns(writing))
  return createHash('sha256').update(text).digest('hex')
}

/** The digest of a content in the form of the platform, without its prefix. */
export async function bareDigest(entry: StoredRuleset): Promise<string> {
  return (await contentDigest(entry)).slice('sha256:'.length)
}

/** Longest wait for the digest of all rulesets. */
const TIMEOUT_MS = 200

/** The rulesets of a tenant. */
export interface TenantContents {
  readonly tenant: string
  readonly catalog: Pick<RulesetCatalog, 'list' | 'onShown'>
}

/** Number of changes of each catalog since its first digest. */
const changes = new WeakMap<TenantContents['catalog'], { count: number }>()

function changesOf(catalog: TenantContents['catalog']): number {
  let known = changes.get(catalog)
  if (known === undefined) {
    const counter = { count: 0 }
    catalog.onShown(() => counter.count++)
    changes.set(catalog, (known = counter))
  }
  return known.count
}

/**
 * The digest of all stored rulesets: `sha256:` and the SHA-256, in hexadecimal, of a line `<tenant> <name> <digest>`
 * for each ruleset, sorted by tenant and name. Null while the digests of many rulesets are computed, which continues in
 * the background. Visits each tenant, and after a change each ruleset, of which it reads only the new ones.
 *
 * @param contents the rulesets of all tenants, at the time of the call
 */
export function digestOfAll(contents: () => Iterable<TenantContents>): () => Promise<string | null> {
  let made: { readonly of: readonly unknown[]; readonly digest: string } | undefined
  let making: Promise<string> | undefined
  async function make(): Promise<string> {
    const tenants = [...contents()].sort((left, right) => (left.tenant < right.tenant ? -1 : 1))
    const state = tenants.flatMap(({ tenant, catalog }) => [tenant, catalog, changesOf(catalog)])
    if (made?.of.length === state.length && state.every((part, index) => part === made?.of[index])) return made.digest
    const pauses = createPauses()
    const hash = createHash('sha256')
    // A copy: the rulesets may change during the pauses.
    const entries = tenants.flatMap(({ tenant, catalog }) =>
      Array.from(catalog.list(), (entry) => [tenant, entry] as const),
    )
    for (const [tenant, entry] of entries) {
      hash.update(`${tenant} ${entry.name} ${await contentDigest(entry)}\n`)
      const pause = pauses()
      if (pause !== undefined) await pause
    }
    made = { of: state, digest: `sha256:${hash.digest('hex')}` }
    return made.digest
  }
  return async () => {
    making ??= make().finally(() => (making = undefined))
    const digest = await within(TIMEOUT_MS, making)
    return digest === TIMED_OUT ? null : digest
  }
}

/**
 * The entity tag (RFC 9110 section 8.8.3) of a ruleset in a response: it differs for every different text, also for the
 * same content with another signature.
 */
export function entityTag(entry: StoredRuleset): string {
  let tag = tags.get(entry)
  if (tag === undefined) {
    tag = `"${createHash('sha256').update(entry.text).digest('hex').slice(0, 32)}"`
    tags.set(entry, tag)
  }
  return tag
}
