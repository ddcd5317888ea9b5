import { Malformed, parseEntry, parseReceipt, type Receipt } from '@engine/receipts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import { requestMemory } from '../../memory/memory-budget.ts'
import { rulesetOf } from '../engines/candidate-names.ts'
import { discard } from './body-disposal.ts'
import { partsOf } from './buffered-body.ts'
import type { Destinations } from './destinations.ts'
import type { EngineAnswer } from './engine-answer.ts'
import type { ReceiptPlace } from './upstream-request.ts'

/** Maximum size of a receipt; an engine without tokens adds the stored evidence, which is not forwarded. */
const MAX_BYTES = 1024 * 1024
/** Memory per byte of a receipt: the byte itself, its text and its values. */
const MEMORY_PER_BYTE = 4

/** Finds the engine that keeps a chain of receipts; undefined if none has reported it. */
export type FindChain = (scope: Scope, instance: string) => Promise<string | undefined>

/** Looks up the chains reported by heartbeats (`features/engines/receipt-witness.ts`). */
export const findChain: FindChain = async (scope, instance) => {
  const row = await scope
    .read('receipt_chains')
    .selectFrom('receipt_chains')
    .select('server_id')
    .where('instance', '=', instance)
    .orderBy('reported_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.server_id
}

const noReceipt = ({ instance, seq }: ReceiptPlace) => failures.notFound('receipt', `${instance}#${seq}`)

/** An environment whose only engine is the one that keeps a chain. Throws `not-found` if none of its engines does. */
export function keptBy(destinations: Destinations, server: string | undefined, place: ReceiptPlace): Destinations {
  const engines = [...destinations.engines, ...destinations.canaries].filter(({ id }) => id === server)
  if (engines.length === 0) throw noReceipt(place)
  return { ...destinations, engines, canaries: [] }
}

/** The answer of an engine is not a valid receipt. */
export class UnreadableReceipt extends Error {}

/**
 * The receipt in the answer of an engine, rebuilt from its validated parts without evidence. Throws
 * `UnreadableReceipt`, and `not-found` for a ruleset that callers cannot access: engines may serve several projects.
 *
 * @param isShown returns true if callers can access a ruleset
 */
export async function receiptIn(
  { statusCode, headers, body }: EngineAnswer,
  place: ReceiptPlace,
  isShown: (ruleset: string) => boolean,
): Promise<Omit<Receipt, 'evidence'>> {
  if (statusCode !== 200 || headers['content-encoding'] !== undefined) {
    discard(body)
    if (statusCode === 404) throw noReceipt(place)
    if (statusCode === 409)
      throw failures.conflict(
        'not_signed_yet',
        `the receipt ${place.instance}#${place.seq} is not signed yet: retry later`,
      )
    throw new UnreadableReceipt(`it answered with the status ${statusCode} instead of a receipt`)
  }
  const text = await textOf(body)
  const receipt = readable(() => parseReceipt(text))
  const entry = readable(() => parseEntry(receipt.entry))
  if (entry.kind !== 'decision' || entry.instance !== place.instance || entry.seq !== place.seq)
    throw new UnreadableReceipt('it answered with another receipt')
  if (!isShown(rulesetOf(entry.ruleset.name))) throw noReceipt(place)
  const { evidence: _, ...bare } = receipt
  return bare
}

async function textOf(body: EngineAnswer['body']): Promise<string> {
  const memory = requestMemory()
  const parts: Buffer[] = []
  let size = 0
  for await (const part of partsOf(body)) {
    size += part.length
    if (size > MAX_BYTES)
      throw new UnreadableReceipt(`its receipt has more than ${MAX_BYTES} bytes: read it at the engine`)
    memory?.hold(size * MEMORY_PER_BYTE)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Malformed) throw new UnreadableReceipt(`its receipt cannot be read: ${error.message}`)
    throw error
  }
}
