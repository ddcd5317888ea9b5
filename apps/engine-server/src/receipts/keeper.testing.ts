import { programParts, type Decided } from '@engine/receipts'
import { generateKeys, parsePrivateKey } from '@engine/signing'
import { createPublicKey, type KeyObject } from 'node:crypto'
import { type KeeperParts, type KeeperSettings, ReceiptKeeper } from './keeper.ts'

const HASH = Buffer.alloc(32, 1).toString('base64url')

/** A decision with a code with this number. */
export const decidedAs = (number: number, tenant = 'default'): Decided => ({
  parts: programParts({ digest: '0'.repeat(64), name: 'adult', version: '1.0.0' }, undefined),
  now: 1,
  outcome: { code: `C${number}`, message: HASH, output: HASH },
  tenant,
  trust: { calls: '', input: HASH },
  uses: [],
})

export const newKey = (): KeyObject => parsePrivateKey(generateKeys().privateKey)

export const publicTextOf = (key: KeyObject): string =>
  createPublicKey(key).export({ format: 'raw-public' }).toString('base64')

/** A keeper of `eu-1` in a directory. */
export function openKeeper(
  directory: string,
  privateKey: KeyObject,
  settings: Partial<KeeperSettings> = {},
  parts: Partial<KeeperParts> = {},
): Promise<ReceiptKeeper> {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  return ReceiptKeeper.open(
    {
      directory,
      id: 'eu-1',
      engine: '0.2.0',
      keepsAll: false,
      keepsEvidence: false,
      intervalMs: 1000,
      isSynced: true,
      continuesOnFailure: false,
      ...settings,
    },
    { privateKey, log, lost: () => undefined, retryMs: 5, ...parts },
  )
}
