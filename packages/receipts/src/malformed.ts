import { isObject, type ObjectValue, parseJson, quote, type Value } from '@engine/expression'
import { bytesOf, HASH_BYTES } from './base64url.ts'

/** A text does not have the required form. The message names the part. */
export class Malformed extends Error {
  override readonly name = 'Malformed'
}

/** The version of entries and checkpoints. */
const VERSION = 1

/** Parses an object with exactly the known members. Throws `Malformed`, also for duplicate members. */
export function objectOf(text: string, what: string): ObjectValue {
  const parsed = parseJson(text, { duplicateKeys: 'refuse' })
  if (parsed.kind === 'failed') throw new Malformed(`the ${what} is not valid JSON: ${parsed.problem.message}`)
  return requireObject(parsed.value, what)
}

export function requireObject(value: Value | undefined, what: string): ObjectValue {
  if (value === undefined) throw new Malformed(`the ${what} is missing`)
  if (!isObject(value)) throw new Malformed(`the ${what} must be an object`)
  return value
}

/**
 * Throws `Malformed` for a member that is missing or unknown: an unknown one might be trusted without having been
 * verified.
 */
export function requireMembers(
  object: ObjectValue,
  what: string,
  required: readonly string[],
  optional: readonly string[] = [],
): void {
  for (const name of required) if (!Object.hasOwn(object, name)) throw new Malformed(`the ${what} has no \`${name}\``)
  for (const name of Object.keys(object))
    if (!required.includes(name) && !optional.includes(name))
      throw new Malformed(`the ${what} has an unknown member ${quote(name)}`)
}

/** Requires an integer from 0 to 2^53 - 1. */
export function requireCount(object: ObjectValue, name: string, what: string): number {
  const value = object[name]
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new Malformed(`\`${name}\` of the ${what} must be a whole number from 0 to 2^53 - 1`)
  return value
}

export function requireText(object: ObjectValue, name: string, what: string): string {
  const value = object[name]
  if (typeof value !== 'string') throw new Malformed(`\`${name}\` of the ${what} must be a text`)
  return value
}

export function requireName(object: ObjectValue, name: string, what: string): string {
  const value = requireText(object, name, what)
  if (value === '') throw new Malformed(`\`${name}\` of the ${what} must not be empty`)
  return value
}

/** Requires a text that can be hashed: a lone surrogate has no UTF-8. */
export function requireHashedText(object: ObjectValue, name: string, what: string): string {
  const value = requireText(object, name, what)
  if (!value.isWellFormed()) throw new Malformed(`\`${name}\` of the ${what} has half a surrogate pair`)
  return value
}

/** Requires base64url of 32 bytes. */
export function requireHash(object: ObjectValue, name: string, what: string): string {
  const value = requireText(object, name, what)
  if (bytesOf(value, HASH_BYTES) === undefined)
    throw new Malformed(`\`${name}\` of the ${what} must be base64url of ${HASH_BYTES} bytes`)
  return value
}

const DIGEST = /^[0-9a-f]{64}$/

/** Requires a SHA-256 in hexadecimal. */
export function requireDigest(object: ObjectValue, name: string, what: string): string {
  const value = requireText(object, name, what)
  if (!DIGEST.test(value)) throw new Malformed(`\`${name}\` of the ${what} must be 64 hexadecimal digits`)
  return value
}

/** Throws `Malformed` if `v` is not 1. */
export function requireVersion(object: ObjectValue, what: string): void {
  if (object['v'] !== VERSION) throw new Malformed(`the ${what} has another version than ${VERSION}`)
}
