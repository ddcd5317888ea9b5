import { type ObjectValue, writeJson } from '@engine/expression'
import { createPauses, inTurns, TIMED_OUT, within } from '@engine/process'
import { CANONICAL_FORM, withoutSignature } from '@engine/signing'
import { createHash } from 'node:crypto'
import { documentInTurns, type StoredRuleset } from '../store/store.ts'
import type { RulesetCatalog } from './catalog.ts'
import { LARGE } from './decoding.ts'

/** Stored objects never change, so each is hashed once. */
const digests = new WeakMap<StoredRuleset, Promise<string>>()
const tags = new WeakMap<StoredRuleset, string>()

/**
 * The digest of a ruleset's content: `sha256:` and the SHA-256, in hexadecimal, of its canonical JSON without
 * `_signature`, the signed bytes. So it is the same for JSON, YAML and binary, whatever their layout and the order of
 * their keys. Large rulesets are read and written in pieces between other requests.
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
 * The same of a document that is not stored, without its prefix.
 *
 * @param length characters of its text
 */
export async function documentDigest(ruleset: ObjectValue, length: number): Promise<string> {
  const writing = writeJson(withoutSignature(ruleset), { form: CANONICAL_FORM })
  const text = (length > LARGE ? undefined : writing.advance(Infinity)) ?? (await inTurns(writing))
  return createHash('sha256').update(text).digest('hex')
}

/** The digest of a content as the platform writes it: without its prefix. */
export async function bareDigest(entry: StoredRuleset): Promise<string> {
  return (await contentDigest(entry)).slice('sha256:'.length)
}

/** Milliseconds for which a digest of everything is waited for. */
const PATIENCE_MS = 200

/** The rulesets of a tenant. */
export interface TenantContents {
  readonly tenant: string
  readonly catalog: Pick<RulesetCatalog, 'list' | 'onShown'>
}

/** How often a catalog has changed since it was first looked at. */
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
 * The digest of everything that is stored: `sha256:` and the SHA-256, in hexadecimal, of a line `<tenant> <name>
 * <digest>` for each ruleset, in the order of tenants and names. Null while the digests of many rulesets are computed,
 * which continues in the background. Takes a look at each tenant, and after a change one at each ruleset, of which
 * those are read that are new.
 *
 * @param contents the rulesets of all tenants, as they are at that moment
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
    const digest = await within(PATIENCE_MS, making)
    return digest === TIMED_OUT ? null : digest
  }
}

/**
 * The entity tag (RFC 9110 section 8.8.3) of a ruleset as it is answered: another one for every other text, so also for the
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
