import { isObject, type ObjectValue, quote, type Value } from '@engine/expression'
import { bytesOf } from './base64url.ts'
import { SALT_BYTES, type SaltedText } from './commitment.ts'
import {
  Malformed,
  objectOf,
  requireCount,
  requireHashedText,
  requireMembers,
  requireObject,
  requireText,
} from './malformed.ts'

export const RECEIPT_FORMAT = 'engine-receipt/1'

/** Committed texts with their salts, limited to those that the reader may see. */
export interface Evidence {
  readonly input?: SaltedText
  readonly output?: SaltedText
  readonly message?: SaltedText
  readonly calls?: SaltedText
  /** Fields of the input that have their own commitments (`config.receipt_fields`), by path. */
  readonly fields?: { readonly [path: string]: SaltedText }
}

/** Proves the position of one entry in a signed tree. */
export interface Receipt {
  readonly format: typeof RECEIPT_FORMAT
  /** The hashed text. */
  readonly entry: string
  /** Index of the entry in the tree. */
  readonly index: number
  /** Base64url of the siblings up to the root. */
  readonly path: readonly string[]
  /** The signed text. */
  readonly checkpoint: string
  readonly signature: string
  readonly evidence?: Evidence
}

/** The parts of the evidence that an entry commits to directly. */
export const COMMITTED_PARTS = ['input', 'output', 'message', 'calls'] as const

const WHAT = 'receipt'

/** Reads the JSON of a receipt. Throws `Malformed`. */
export function parseReceipt(text: string): Receipt {
  const receipt = objectOf(text, WHAT)
  requireMembers(receipt, WHAT, ['format', 'entry', 'index', 'path', 'checkpoint', 'signature'], ['evidence'])
  const format = requireText(receipt, 'format', WHAT)
  if (format !== RECEIPT_FORMAT)
    throw new Malformed(`the receipt has the format ${quote(format)} instead of ${quote(RECEIPT_FORMAT)}`)
  return {
    format,
    entry: requireHashedText(receipt, 'entry', WHAT),
    index: requireCount(receipt, 'index', WHAT),
    path: textsOf(receipt['path']),
    checkpoint: requireHashedText(receipt, 'checkpoint', WHAT),
    signature: requireText(receipt, 'signature', WHAT),
    ...(Object.hasOwn(receipt, 'evidence')
      ? { evidence: parseEvidence(requireObject(receipt['evidence'], '`evidence` of the receipt')) }
      : {}),
  }
}

function textsOf(value: Value | undefined): readonly string[] {
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string'))
    throw new Malformed('`path` of the receipt must be a list of texts')
  return value
}

/** Reads evidence. Throws `Malformed`. */
export function parseEvidence(value: ObjectValue): Evidence {
  requireMembers(value, 'evidence', [], [...COMMITTED_PARTS, 'fields'])
  const evidence: { -readonly [Part in keyof Evidence]: Evidence[Part] } = {}
  for (const part of COMMITTED_PARTS) if (Object.hasOwn(value, part)) evidence[part] = saltedText(value[part], part)
  if (Object.hasOwn(value, 'fields')) {
    const fields = requireObject(value['fields'], '`fields` of the evidence')
    evidence.fields = Object.fromEntries(
      Object.entries(fields).map(([path, one]) => [path, saltedText(one, `fields.${path}`)] as const),
    )
  }
  return evidence
}

function saltedText(value: Value | undefined, part: string): SaltedText {
  if (!Array.isArray(value) || value.length !== 2)
    throw new Malformed(`the evidence ${quote(part)} must be [salt, text]`)
  const [salt, text] = value as readonly Value[]
  if (typeof salt !== 'string' || bytesOf(salt, SALT_BYTES) === undefined)
    throw new Malformed(`the salt of the evidence ${quote(part)} must be base64url of ${SALT_BYTES} bytes`)
  if (typeof text !== 'string' || !text.isWellFormed())
    throw new Malformed(`the evidence ${quote(part)} must be [salt, text]`)
  return [salt, text]
}

/** True if a value represents a field that has its own commitment. */
export const isCommitment = (value: Value | undefined): value is { readonly $commitment: string } =>
  isObject(value ?? null) &&
  Object.keys(value as ObjectValue).length === 1 &&
  typeof (value as ObjectValue)['$commitment'] === 'string'
