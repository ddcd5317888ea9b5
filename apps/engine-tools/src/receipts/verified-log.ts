import { type Fault, LogVerification, type LogSummary, type ReceiptKeys } from '@engine/receipts'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readError } from '../files.ts'
import { ToolError } from '../tool.ts'
import { textLines } from './text-lines.ts'

/** A fault with its place: a file with the number of the line. */
export interface PlacedFault extends Fault {
  readonly place: string
}

/** A log that was read to its end. */
export interface VerifiedLog {
  readonly directory: string
  readonly summary: LogSummary
  /** The first `MAX_FAULTS`. */
  readonly faults: readonly PlacedFault[]
  readonly faultCount: number
}

/** Faults of a log that are listed. */
const MAX_FAULTS = 1000
const SEGMENT = /^receipts-(\d+)\.jsonl$/

/**
 * Verify the logs in a directory: its own segments, or those of the folders in it, one for each instance. Reads each file
 * once. Throws `ToolError` when there is no segment.
 */
export async function verifyLogs(directory: string, keys: ReceiptKeys): Promise<readonly VerifiedLog[]> {
  const segments = await segmentsOf(directory)
  if (segments.length > 0) return [await verifyLog(directory, segments, keys)]
  const logs: VerifiedLog[] = []
  for (const { name } of (await entriesOf(directory)).filter((entry) => entry.isDirectory())) {
    const folder = join(directory, name)
    const inner = await segmentsOf(folder)
    if (inner.length > 0) logs.push(await verifyLog(folder, inner, keys))
  }
  if (logs.length === 0) throw new ToolError(`${directory}: there is no receipts-<n>.jsonl`)
  return logs
}

async function entriesOf(directory: string) {
  const entries = await readdir(directory, { withFileTypes: true }).catch((cause: unknown) => {
    throw readError(directory, cause)
  })
  return entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))
}

/** Names in the order of their numbers. */
async function segmentsOf(directory: string): Promise<readonly string[]> {
  const numberOf = (name: string) => Number(SEGMENT.exec(name)?.[1])
  return (await entriesOf(directory))
    .map(({ name }) => name)
    .filter((name) => SEGMENT.test(name))
    .toSorted((left, right) => numberOf(left) - numberOf(right))
}

async function verifyLog(directory: string, segments: readonly string[], keys: ReceiptKeys): Promise<VerifiedLog> {
  const verification = new LogVerification(keys)
  const faults: PlacedFault[] = []
  let faultCount = 0
  const add = (place: string, found: readonly Fault[]) => {
    faultCount += found.length
    for (const fault of found) if (faults.length < MAX_FAULTS) faults.push({ ...fault, place })
  }
  for (const name of segments) {
    const path = join(directory, name)
    let number = 0
    for await (const { text, isComplete } of textLines(path)) {
      const place = `${path}:${++number}`
      if (text === undefined) add(place, [{ code: 'malformed', message: 'the line is not UTF-8' }])
      else add(place, verification.line(text))
      if (!isComplete) add(place, [{ code: 'malformed', message: 'the last line is not complete' }])
    }
  }
  add(directory, verification.end())
  return { directory, summary: verification.summary, faults, faultCount }
}
