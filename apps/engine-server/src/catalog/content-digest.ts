import { type JsonForm, type ObjectValue, scalarText, writeJson } from '@engine/expression'
import { createPauses, inTurns, LATE, within } from '@engine/process'
import { SIGNATURE_FIELD } from '@engine/signing'
import { createHash } from 'node:crypto'
import { documentInTurns, type StoredRuleset } from '../store/store.ts'
import { LARGE } from './decoding.ts'

/** Stored objects never change, so each is hashed once. */
const digests = new WeakMap<StoredRuleset, Promise<string>>()
const tags = new WeakMap<StoredRuleset, string>()

/**
 * A digest of what a ruleset says: `sha256:` and the SHA-256, in hexadecimal, of its canonical JSON without `_signature`, the
 * bytes that are signed. So it is the same for JSON, YAML and binary, whatever their layout and the order of their keys.
 * Large rulesets are read and written in turns with other requests.
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
  const { [SIGNATURE_FIELD]: _signature, ...document } = ruleset
  const writing = writeJson(document, { form: CANONICAL })
  const text = (length > LARGE ? undefined : writing.advance(Infinity)) ?? (await inTurns(writing))
  return createHash('sha256').update(text).digest('hex')
}

/** The digest of a content as the platform writes it: without its prefix. */
export async function bareDigest(entry: StoredRuleset): Promise<string> {
  return (await contentDigest(entry)).slice('sha256:'.length)
}

/** That of signatures; a text that has no UTF-8, which cannot be signed, is written by its escapes. */
const CANONICAL: JsonForm = { keys: (object) => Object.keys(object).sort(), scalar: scalarText }

/** Milliseconds for which a digest of everything is waited for. */
const PATIENCE_MS = 200

/**
 * The digest of everything that is stored: `sha256:` and the SHA-256, in hexadecimal, of a line `<tenant> <name> <digest>` for each
 * ruleset, in the order of tenants and names. Null while the digests of many rulesets are made, which goes on meanwhile.
 * Takes a look at each ruleset, and reads those that it has not seen yet.
 *
 * @param entries all rulesets with their tenants, as they are at that moment
 */
export function digestOfAll(
  entries: () => readonly (readonly [tenant: string, entry: StoredRuleset])[],
): () => Promise<string | null> {
  let making: Promise<string> | undefined
  async function make(): Promise<string> {
    const pauses = createPauses()
    const hash = createHash('sha256')
    for (const [tenant, entry] of entries()) {
      hash.update(`${tenant} ${entry.name} ${await contentDigest(entry)}\n`)
      const pause = pauses()
      if (pause !== undefined) await pause
    }
    return `sha256:${hash.digest('hex')}`
  }
  return async () => {
    making ??= make().finally(() => (making = undefined))
    const made = await within(PATIENCE_MS, making)
    return made === LATE ? null : made
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
