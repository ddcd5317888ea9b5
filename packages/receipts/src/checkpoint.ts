import { hash, type KeyObject, sign } from 'node:crypto'
import { HASH_BYTES } from './base64url.ts'
import {
  Malformed,
  objectOf,
  requireCount,
  requireHash,
  requireMembers,
  requireName,
  requireText,
  requireVersion,
} from './malformed.ts'

/** Signs the root of the tree of all entries since the previous checkpoint. */
export interface Checkpoint {
  /** Number of entries in the tree. */
  readonly count: number
  /** `seq` of the first entry. */
  readonly first: number
  readonly instance: string
  /** Id of the signing key: `keyId`. */
  readonly key: string
  /** Number in the chain, from 0. */
  readonly n: number
  /** `checkpointHash` of checkpoint n - 1; `NO_CHECKPOINT` for n = 0. */
  readonly prev: string
  /** Base64url of the root. */
  readonly root: string
  /** Epoch milliseconds. */
  readonly time: number
}

/** `prev` of the first checkpoint. */
export const NO_CHECKPOINT = Buffer.alloc(HASH_BYTES).toString('base64url')

/** A signed prefix of the text, so that no other message signed by the key can be taken for a checkpoint. */
const DOMAIN = 'engine-checkpoint/1\n'

/** The signed bytes. */
export const signedBytes = (text: string): Buffer => Buffer.from(DOMAIN + text)

/** Binds the next checkpoint to this one: base64url of the SHA-256 of the text. */
export const checkpointHash = (text: string): string => hash('sha256', text, 'base64url')

/** Members in the order of RFC 8785. */
export function checkpointText({ count, first, instance, key, n, prev, root, time }: Checkpoint): string {
  return JSON.stringify({ count, first, instance, key, n, prev, root, time, v: 1 })
}

/** The signature of a checkpoint: base64url of 64 bytes. */
export function signCheckpoint(text: string, privateKey: KeyObject): string {
  return sign(null, signedBytes(text), privateKey).toString('base64url')
}

const WHAT = 'checkpoint'
const KEY_ID = /^[0-9a-f]{16}$/

/** Reads the text of a checkpoint. Throws `Malformed`. */
export function parseCheckpoint(text: string): Checkpoint {
  const checkpoint = objectOf(text, WHAT)
  requireMembers(checkpoint, WHAT, ['count', 'first', 'instance', 'key', 'n', 'prev', 'root', 'time', 'v'])
  requireVersion(checkpoint, WHAT)
  const key = requireText(checkpoint, 'key', WHAT)
  if (!KEY_ID.test(key)) throw new Malformed('`key` of the checkpoint must be 16 hexadecimal digits')
  const count = requireCount(checkpoint, 'count', WHAT)
  if (count === 0) throw new Malformed('`count` of the checkpoint must be at least 1')
  return {
    count,
    first: requireCount(checkpoint, 'first', WHAT),
    instance: requireName(checkpoint, 'instance', WHAT),
    key,
    n: requireCount(checkpoint, 'n', WHAT),
    prev: requireHash(checkpoint, 'prev', WHAT),
    root: requireHash(checkpoint, 'root', WHAT),
    time: requireCount(checkpoint, 'time', WHAT),
  }
}
