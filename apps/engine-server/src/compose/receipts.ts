import { type Log, type ShutdownList, starting } from '@engine/process'
import { parsePrivateKey } from '@engine/signing'
import type { Configuration } from '../config/config.ts'
import { ReceiptArchive } from '../receipts/archive.ts'
import { KeptContents } from '../receipts/contents.ts'
import { ReceiptKeeper } from '../receipts/keeper.ts'
import { createBackoff } from '../platform/backoff.ts'
import { WitnessHook } from '../witness/witness-hook.ts'
import { KeyHistoryError, noteKey } from '../receipts/key-history.ts'
import type { SignedCheckpoint } from '../receipts/recovery.ts'
import { createReceiptDirectory, type ReceiptDirectory } from '../services/receipts.ts'
import { lockDirectory } from '../store/directory-lock.ts'
import { nodeDisk } from '../store/disk.ts'
import { makeDirectoryDurably } from '../store/durable-files.ts'
import type { MetricsRegistry } from '../telemetry/metrics.ts'
import { VERSION } from '../version.ts'

/** A process that decides and keeps receipts. */
export interface OpenReceipts {
  readonly keeper: ReceiptKeeper
  readonly contents: KeptContents
  readonly archive: ReceiptArchive
  /** Signs the following checkpoints with another key. */
  rotate(key: string | undefined): void
}

/** The directory of receipts as its only server sees it. */
export interface ReceiptsHere {
  /** Undefined: workers decide. */
  readonly own: OpenReceipts | undefined
  readonly directory: ReceiptDirectory
  /**
   * The key file was read again.
   *
   * @param others makes other processes sign with it
   */
  rotate(key: string | undefined, others?: () => Promise<void>): Promise<void>
}

interface ReceiptParts {
  readonly configuration: Configuration
  readonly log: Log
  readonly metrics: Pick<MetricsRegistry, 'receiptsLost' | 'receiptsHookFailed'>
  readonly shutdown: ShutdownList
}

/** Milliseconds between two removals of old segments. */
const RETENTION_INTERVAL_MS = 60 * 60 * 1000

/**
 * Lock the directory of receipts, and note which key signs. Undefined: no receipts are kept. Rejects with a `StartError`.
 *
 * @param hasWorkers other processes decide
 */
export async function openReceiptsHere(
  { configuration, instanceId, log, shutdown }: Omit<ReceiptParts, 'metrics'> & { readonly instanceId: string },
  key: string | undefined,
  metrics: ReceiptParts['metrics'],
  hasWorkers: boolean,
): Promise<ReceiptsHere | undefined> {
  const { receiptsDir: directory, receiptsRetainDays, receiptsEvidenceRetainDays } = configuration
  if (key === undefined || directory === undefined) return undefined
  const note = async (text: string, from: number) => noteKey(directory, parsePrivateKey(text), from, Date.now())
  const opening = async () => {
    await makeDirectoryDurably(nodeDisk, directory)
    const lock = await lockDirectory(directory, instanceId, log, '--receipts-dir')
    shutdown.add('lock of the directory of receipts', 1, async () => lock.release())
    await note(key, Date.now())
  }
  await starting('--receipts-dir', directory, opening, (error) =>
    error instanceof KeyHistoryError ? error.message : undefined,
  )
  const own = hasWorkers ? undefined : await openReceipts({ configuration, log, metrics, shutdown }, instanceId, key)
  const archive = own?.archive ?? new ReceiptArchive(directory)
  const retain = async () => {
    try {
      const removed = await archive.retain(receiptsRetainDays, Date.now(), receiptsEvidenceRetainDays)
      if (removed > 0) log.info({ removed }, 'old receipts were removed (--receipts-retain-days)')
    } catch (err) {
      log.error({ err }, 'old receipts cannot be removed')
    }
  }
  await retain()
  const timer = setInterval(() => void retain(), RETENTION_INTERVAL_MS).unref()
  shutdown.add('retention of receipts', 1, async () => clearInterval(timer))
  return {
    own,
    directory: createReceiptDirectory(archive),
    async rotate(text, others) {
      const from = Date.now()
      own?.rotate(text)
      await others?.()
      // After the last checkpoint by the key before.
      if (text !== undefined) await note(text, from)
    },
  }
}

/** Continue the chain of an instance. Undefined: no receipts are kept. Rejects with a `StartError`. */
export async function openReceipts(
  { configuration, log, metrics, shutdown }: ReceiptParts,
  id: string,
  key: string | undefined,
): Promise<OpenReceipts | undefined> {
  const { receiptsDir: directory } = configuration
  if (key === undefined || directory === undefined) return undefined
  const settings = {
    directory,
    id,
    engine: VERSION,
    keepsAll: configuration.receipts === 'all',
    keepsEvidence: configuration.receiptsEvidence === 'keep',
    intervalMs: configuration.receiptsIntervalMs,
    isSynced: configuration.receiptsFsync === 'checkpoint',
    continuesOnFailure: configuration.receiptsOnFailure === 'continue',
  }
  const hook = openHook({ configuration, log, metrics, shutdown })
  const parts = {
    privateKey: parsePrivateKey(key),
    log,
    lost: metrics.receiptsLost,
    written: hook && ((head: SignedCheckpoint) => hook.written(head)),
  }
  const keeper = await starting('--receipts-dir', directory, () => ReceiptKeeper.open(settings, parts))
  shutdown.add('receipts', 0.5, () => keeper.close())
  return {
    keeper,
    contents: new KeptContents(directory),
    archive: new ReceiptArchive(directory),
    rotate(text) {
      if (text !== undefined) keeper.rotate(parsePrivateKey(text))
    },
  }
}

/** Closed after the keeper, whose last checkpoint it sends. */
function openHook({ configuration, log, metrics, shutdown }: ReceiptParts): WitnessHook | undefined {
  const { receiptsHook: url } = configuration
  if (url === undefined) return undefined
  const hook = new WitnessHook({ url, backoff: createBackoff(Math.random), log, failed: metrics.receiptsHookFailed })
  shutdown.add('witness of receipts', 0.5, (milliseconds) => hook.close(milliseconds))
  return hook
}
