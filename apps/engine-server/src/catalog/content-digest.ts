import { type JsonForm, scalarText, writeJson } from '@engine/expression'
import { inTurns } from '@engine/process'
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
  const { [SIGNATURE_FIELD]: _signature, ...document } = await documentInTurns(entry)
  const writing = writeJson(document, { form: CANONICAL })
  const text = (entry.text.length > LARGE ? undefined : writing.advance(Infinity)) ?? (await inTurns(writing))
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

/** That of signatures; a text that has no UTF-8, which cannot be signed, is written by its escapes. */
const CANONICAL: JsonForm = { keys: (object) => Object.keys(object).sort(), scalar: scalarText }

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
