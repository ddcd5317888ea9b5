import { ReceiptsReport, ReportedChain } from '@engine/api'
import { shapeFaults } from '@engine/http-api'
import type { Static } from 'typebox'
import { type Checkpoint, checkpointHash, Malformed, parseCheckpoint } from '@engine/receipts'

/** The way in which a report contradicts the stored checkpoint of a chain. */
export type ChainFault = 'rolled_back' | 'rewritten' | 'missing'

/** The stored checkpoint of a chain. */
export interface KeptCheckpoint {
  readonly opening: string
  readonly checkpoint: string
}

/** A reported checkpoint with its text. */
export interface Reported {
  readonly text: string
  readonly signature: string
  readonly content: Checkpoint
}

/** A chain with valid checkpoints. */
export interface ReadChain {
  readonly instance: string
  readonly opening: string
  readonly opened: Reported | undefined
  readonly latest: Reported | undefined
  readonly continued: boolean
}

export interface Contradiction {
  readonly fault: ChainFault
  /** Undefined if the chain has no checkpoint. */
  readonly found: Reported | undefined
}

/** The result of comparing a report: the checkpoint to store, or the contradiction to the stored one. */
export type Compared =
  | { readonly kind: 'kept'; readonly latest: Reported | undefined }
  | ({ readonly kind: 'contradicted' } & Contradiction)

/**
 * Compares a chain with its stored checkpoint. A process never goes back, so an earlier checkpoint with the same
 * opening is a late report; with another opening it means that the end of the log was lost.
 *
 * @param known undefined if the chain was not reported before
 */
export function compareChain(known: KeptCheckpoint | undefined, { opening, opened, latest }: ReadChain): Compared {
  if (known === undefined) return { kind: 'kept', latest }
  const kept: Reported = { text: known.checkpoint, signature: '', content: parseCheckpoint(known.checkpoint) }
  if (opening !== known.opening) {
    const fault = faultOf(kept, opened)
    if (fault !== undefined) return { kind: 'contradicted', fault, found: opened }
  } else if (latest === undefined || latest.content.n < kept.content.n) return { kind: 'kept', latest: undefined }
  const fault = faultOf(kept, latest)
  return fault === undefined ? { kind: 'kept', latest } : { kind: 'contradicted', fault, found: latest }
}

/** Undefined if the reported checkpoint is the stored one or can follow it. */
function faultOf(kept: Reported, reported: Reported | undefined): ChainFault | undefined {
  if (reported === undefined) return 'rolled_back'
  const [before, after] = [kept.content, reported.content]
  const between = after.n - before.n
  if (between < 0) return 'rolled_back'
  if (between === 0) return reported.text === kept.text ? undefined : 'rewritten'
  // Each checkpoint has at least one entry.
  const leastFirst = before.first + before.count + between - 1
  const follows = between > 1 || after.prev === checkpointHash(kept.text)
  return follows && after.first >= leastFirst && after.time >= before.time ? undefined : 'rewritten'
}

/** The chains of a heartbeat; malformed ones are omitted. */
export function chainsIn(report: unknown): {
  readonly chains: readonly ReadChain[]
  readonly kept: ReadonlySet<string>
} {
  if (!isReport(report)) return { chains: [], kept: new Set() }
  const { chains, kept } = report
  const read = new Map<string, ReadChain>()
  for (const chain of chains) {
    const one = readChain(chain)
    if (one !== undefined) read.set(one.instance, one)
  }
  return { chains: [...read.values()], kept: new Set(kept) }
}

const isReport = (report: unknown): report is Static<typeof ReceiptsReport> =>
  shapeFaults(ReceiptsReport, report).length === 0

const isChain = (chain: unknown): chain is ReportedChain => shapeFaults(ReportedChain, chain).length === 0

/** Undefined if it is malformed. */
function readChain(chain: unknown): ReadChain | undefined {
  if (!isChain(chain)) return undefined
  const { instance, opening, opened, latest, continued } = chain
  if (!/^[^/\s]+\/[0-9a-f-]{36}$/.test(instance)) return undefined
  try {
    return {
      instance,
      opening,
      opened: readCheckpoint(instance, opened),
      latest: readCheckpoint(instance, latest),
      continued,
    }
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

function readCheckpoint(instance: string, signed: ReportedChain['latest']): Reported | undefined {
  if (signed === null) return undefined
  const content = parseCheckpoint(signed.checkpoint)
  if (content.instance !== instance) throw new Malformed('the checkpoint is of another chain')
  return { text: signed.checkpoint, signature: signed.signature, content }
}
