import { isObject, type ObjectValue, parseJson, stringifyJson } from '@engine/expression'
import { keyId, Malformed, parseReceiptKeys } from '@engine/receipts'
import { BadKey } from '@engine/signing'
import { createPublicKey, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { nodeDisk } from '../store/disk.ts'
import { moveDurably, writeTemporary } from '../store/durable-files.ts'

const FILE = 'keys.json'
/** Maximum size of the file: about ten thousand keys. */
const MAX_BYTES = 4 * 1024 * 1024

/** The public keys that signed receipts in a directory, oldest first, as `engine verify-receipt --key` reads them. */
export async function keysIn(directory: string): Promise<readonly ObjectValue[]> {
  const path = join(directory, FILE)
  if ((await nodeDisk.kind(path)) === 'absent') return []
  const content = await nodeDisk.read(path, MAX_BYTES)
  if (content.kind === 'refused') throw new KeyHistoryError(`\`${path}\`: ${content.reason}`)
  const text = Buffer.from(content.bytes).toString()
  try {
    parseReceiptKeys(text)
  } catch (error) {
    if (!(error instanceof Malformed || error instanceof BadKey)) throw error
    throw new KeyHistoryError(
      `\`${path}\` is not a list of keys: ${error.message}. Restore it, or remove it to begin a new list`,
      { cause: error },
    )
  }
  const parsed = parseJson(text, { duplicateKeys: 'refuse' })
  const keys = parsed.kind === 'parsed' && isObject(parsed.value) ? parsed.value['keys'] : undefined
  if (!Array.isArray(keys) || !keys.every(isObject)) throw new KeyHistoryError(`\`${path}\` is one key, and no list`)
  return keys
}

/** The key list of a directory was changed by another program. */
export class KeyHistoryError extends Error {
  override readonly name = 'KeyHistoryError'
}

/**
 * Records the key of the following checkpoints. The validity of the previous key ends, unless it is the same. Rejects
 * with the system's error.
 *
 * @param from epoch milliseconds: before the first checkpoint signed with the key
 * @param until epoch milliseconds: not before the last checkpoint signed with the previous key
 */
export async function noteKey(directory: string, privateKey: KeyObject, from: number, until: number): Promise<void> {
  const publicKey = createPublicKey(privateKey)
  const key = keyId(publicKey)
  const known = await keysIn(directory)
  if (known.at(-1)?.['key'] === key) return
  const before = known
    .filter((one) => one['key'] !== key)
    .map((one) => (one['until'] === null ? { ...one, until } : one))
  const again = known.find((one) => one['key'] === key)
  const text = publicKey.export({ format: 'raw-public' }).toString('base64')
  const keys = [...before, { public_key: text, key, from: again?.['from'] ?? from, until: null }]
  const temporary = await writeTemporary(nodeDisk, directory, FILE, `${stringifyJson({ keys })}\n`)
  await moveDurably(nodeDisk, temporary, join(directory, FILE))
}
