import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../store/disk.ts'

/** A file of a chain: entries, each tree followed by the line of its checkpoint. */
export interface Segment {
  /** Number of its first checkpoint. */
  readonly n: number
  readonly path: string
}

const SEGMENT = /^receipts-(\d{1,16})\.jsonl$/
const CHAIN = /^([A-Za-z0-9_-]{1,64}(?:\.w\d{1,2})?)\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** The folder of a chain. */
export interface ChainFolder {
  /** `<instance id>/<UUID>`. */
  readonly instance: string
  /** The instance id alone. */
  readonly id: string
  readonly path: string
}

export const segmentName = (n: number): string => `receipts-${n}.jsonl`
export const evidenceName = (n: number): string => `evidence-${n}.jsonl`

/** The folder of a chain; undefined if the name is invalid. */
export function chainFolder(directory: string, instance: string): ChainFolder | undefined {
  const name = instance.replace('/', '.')
  const [, id = '', uuid = ''] = CHAIN.exec(name) ?? []
  return instance === `${id}/${uuid}` ? { instance, id, path: join(directory, name) } : undefined
}

/** The chains in a directory, oldest first for each instance: version 7 UUIDs sort by time. */
export async function chainsOf(directory: string): Promise<readonly ChainFolder[]> {
  const names = (await namesOf(directory)).toSorted()
  return names.flatMap((name) => {
    const [, id, uuid] = CHAIN.exec(name) ?? []
    return id === undefined || uuid === undefined
      ? []
      : [{ instance: `${id}/${uuid}`, id, path: join(directory, name) }]
  })
}

/** The segments of a chain in order. */
export async function segmentsOf(folder: string): Promise<readonly Segment[]> {
  const segments = (await namesOf(folder)).flatMap((name) => {
    const [, n] = SEGMENT.exec(name) ?? []
    return n === undefined ? [] : [{ n: Number(n), path: join(folder, name) }]
  })
  return segments.toSorted((left, right) => left.n - right.n)
}

async function namesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (cause) {
    if (isMissing(cause)) return []
    throw cause
  }
}

/** Start of a checkpoint line; every other line is an entry. */
const CHECKPOINT_LINE = '{"checkpoint":'

export const isCheckpointLine = (text: string): boolean => text.startsWith(CHECKPOINT_LINE)

/** A complete line of a file. */
export interface Line {
  readonly text: string
  /** Offsets in bytes of the line and of the following one. */
  readonly start: number
  readonly end: number
}

const LINE_FEED = 0x0a

/** The lines of a file from an offset, each as soon as it is read. An incomplete last line is skipped. */
export async function* linesOf(path: string, from = 0): AsyncGenerator<Line> {
  let begun: Buffer[] = []
  let start = from
  let at = from
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { start: from })
  for await (const chunk of chunks) {
    let used = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, used)) {
      const bytes =
        begun.length === 0 ? chunk.subarray(used, end) : Buffer.concat([...begun, chunk.subarray(used, end)])
      begun = []
      used = end + 1
      yield { text: bytes.toString(), start, end: at + used }
      start = at + used
    }
    if (used < chunk.length) begun.push(chunk.subarray(used))
    at += chunk.length
  }
}
