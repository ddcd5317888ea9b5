import { quote } from '@engine/expression'
import { Inflate } from 'fflate'
import { TooLarge } from '../size-error.ts'

/** Why an archive is rejected. */
export class ZipFault extends Error {}

/** A compressed file of an archive. */
export interface ZipEntry {
  /** 0: stored; 8: deflated. */
  readonly method: number
  readonly packed: Uint8Array
  /** Uncompressed size according to the archive. */
  readonly size: number
}

/** Files in an archive: workbooks have a few dozen. */
const MAX_ENTRIES = 10_000
/** Bytes inflated in one step: they expand to 16 MiB at most. */
const CHUNK_BYTES = 16_384

const END = 0x06054b50
const DIRECTORY = 0x02014b50
const LOCAL = 0x04034b50
const MAX_COMMENT = 65_535
const END_SIZE = 22
const ZIP64 = 0xffffffff

/**
 * The files of a zip archive by path, from its central directory. Rejects multi-part and encrypted archives, those
 * beyond 4 GiB, and duplicate paths, between which readers choose differently. Linear in the number of files.
 */
export function zipEntries(bytes: Uint8Array): ReadonlyMap<string, ZipEntry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = endOfDirectory(view)
  const count = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  if (count > MAX_ENTRIES) throw new ZipFault(`it has more than ${MAX_ENTRIES} files`)
  const entries = new Map<string, ZipEntry>()
  for (let index = 0; index < count; index++) {
    if (at + 46 > end || view.getUint32(at, true) !== DIRECTORY) throw new ZipFault('its directory is damaged')
    const nameLength = view.getUint16(at + 28, true)
    const name = text(bytes.subarray(at + 46, at + 46 + nameLength)).replace(/^\//, '')
    if (entries.has(name)) throw new ZipFault(`it has the file ${quote(name)} twice`)
    entries.set(name, entryAt(bytes, view, at))
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return entries
}

function endOfDirectory(view: DataView): number {
  const last = view.byteLength - END_SIZE
  for (let at = last; at >= 0 && last - at <= MAX_COMMENT; at--) if (view.getUint32(at, true) === END) return at
  throw new ZipFault('it is not a zip archive, or incomplete')
}

function entryAt(bytes: Uint8Array, view: DataView, at: number): ZipEntry {
  const flags = view.getUint16(at + 8, true)
  const method = view.getUint16(at + 10, true)
  const size = view.getUint32(at + 24, true)
  const packedSize = view.getUint32(at + 20, true)
  const local = view.getUint32(at + 42, true)
  if ((flags & 1) !== 0) throw new ZipFault('it is encrypted')
  if ([size, packedSize, local].includes(ZIP64)) throw new ZipFault('it is larger than 4 GiB')
  if (local + 30 > bytes.length || view.getUint32(local, true) !== LOCAL) throw new ZipFault('its directory is damaged')
  const begin = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
  if (begin + packedSize > bytes.length) throw new ZipFault('one of its files is truncated')
  return { method, packed: bytes.subarray(begin, begin + packedSize), size }
}

/** Paths of workbooks are ASCII; other paths are never needed. */
function text(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}

/** The total number of bytes that an archive may decompress to. */
export interface Allowance {
  left: number
}

/**
 * Decompresses a file in pieces. A file whose stated size exceeds the allowance is rejected, and one larger than its
 * stated size is aborted. Linear in the decompressed size; keeps 16 MiB in memory at most.
 */
export function* unfolded({ method, packed, size }: ZipEntry, allowance: Allowance): Generator<Uint8Array> {
  if (method !== 0 && method !== 8)
    throw new ZipFault(`a file is compressed by the method ${method} instead of deflate`)
  allowance.left -= size
  if (allowance.left < 0) throw new TooLarge('the workbook exceeds the size limit when decompressed')
  let left = size
  for (const piece of method === 0 ? [packed] : inflated(packed)) {
    left -= piece.length
    if (left < 0) throw new ZipFault('one of its files is longer than stated')
    yield piece
  }
}

function* inflated(packed: Uint8Array): Generator<Uint8Array> {
  const ready: Uint8Array[] = []
  const inflate = new Inflate((piece) => void ready.push(piece))
  for (let at = 0; at < packed.length; at += CHUNK_BYTES) {
    push(inflate, packed.subarray(at, at + CHUNK_BYTES), at + CHUNK_BYTES >= packed.length)
    yield* ready.splice(0)
  }
}

function push(inflate: Inflate, piece: Uint8Array, isLast: boolean): void {
  try {
    inflate.push(piece, isLast)
  } catch {
    throw new ZipFault('one of its files is damaged')
  }
}
