import type { ReceiptsReport } from '@engine/api'
import { type ObjectValue, quote } from '@engine/expression'
import { Malformed } from '@engine/receipts'
import { EngineError, failures } from '../errors.ts'
import type { FoundReceipt, ReceiptArchive } from '../receipts/archive.ts'
import type { ReceiptKeeper } from '../receipts/keeper.ts'
import { keysIn } from '../receipts/key-history.ts'
import type { SignedCheckpoint } from '../receipts/recovery.ts'
import { DEFAULT_TENANT } from '../store/tenant-id.ts'

/** Reads the receipts of one tenant. All members reject with an `EngineError`. */
export interface ReceiptService {
  /**
   * The receipt as JSON text.
   *
   * @param withEvidence includes the stored evidence, if there is any
   */
  text(instance: string, seq: number, withEvidence: boolean): Promise<string>
  /** Deletes stored evidence; the receipt remains valid. */
  erase(instance: string, seq: number): Promise<void>
}

/** Checkpoints and keys of all chains. All members reject with an `EngineError`. */
export interface ReceiptDirectory {
  /** The latest checkpoint of each chain. */
  checkpoints(): Promise<readonly SignedCheckpoint[]>
  /** The public keys that signed receipts here, with their validity. */
  keys(): Promise<readonly ObjectValue[]>
}

export function createReceiptService(
  archive: ReceiptArchive,
  keeper: Pick<ReceiptKeeper, 'instance' | 'isPending'>,
  tenant: string = DEFAULT_TENANT,
): ReceiptService {
  const unknown = (instance: string, seq: number) =>
    new EngineError('not-found', `receipt ${seq} of ${quote(instance)} not found`)

  /** Tenants see only their own entries; entries of others count as missing. */
  async function found(instance: string, seq: number, withEvidence: boolean) {
    const unsigned = new EngineError(
      'not-signed-yet',
      `receipt ${seq} of ${quote(instance)} is not signed yet: retry after --receipts-interval-ms`,
    )
    if (instance === keeper.instance && keeper.isPending(seq)) throw unsigned
    const one: FoundReceipt = await readable(() => archive.find(instance, seq, withEvidence))
    if (one.kind === 'unsigned' && instance !== keeper.instance) throw unsigned
    if (one.kind !== 'found' || one.tenant !== tenant) throw unknown(instance, seq)
    return one.receipt
  }

  return {
    text: async (instance, seq, withEvidence) => JSON.stringify(await found(instance, seq, withEvidence)),
    async erase(instance, seq) {
      await found(instance, seq, false)
      if (!(await readable(() => archive.erase(instance, seq))))
        throw new EngineError('not-found', `receipt ${seq} of ${quote(instance)} has no stored evidence`)
    },
  }
}

/** Maximum number of keys in one report; earlier ones were reported before. */
const MAX_REPORTED_KEYS = 100

/** A report with the public keys of the directory; without keys if they cannot be read. */
export async function withKeys(
  report: ReceiptsReport,
  directory: Pick<ReceiptDirectory, 'keys'>,
): Promise<ReceiptsReport> {
  try {
    return { ...report, keys: (await directory.keys()).slice(-MAX_REPORTED_KEYS) }
  } catch (error) {
    if (error instanceof EngineError) return report
    throw error
  }
}

export function createReceiptDirectory(archive: ReceiptArchive): ReceiptDirectory {
  return {
    checkpoints: () => readable(() => archive.heads()),
    keys: () => readable(() => keysIn(archive.directory)),
  }
}

async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    const isKnown = cause instanceof Malformed || (cause instanceof Error && 'code' in cause)
    if (!isKnown) throw cause
    throw failures.storageFailed(`the log of receipts cannot be read: ${cause.message}`, cause)
  }
}
