import type { ArchiveFile } from '@engine/authoring'
import { quote } from '@engine/expression'
import { createGunzip } from 'node:zlib'
import { ARCHIVE_BYTES, MAX_FILES } from './archive-limits.ts'

/** Why an archive is refused. The message is a whole sentence. */
export class ArchiveFault extends Error {
  override readonly name = 'ArchiveFault'
  /** True if the archive exceeds a limit; otherwise it is malformed. */
  readonly isTooLarge: boolean

  constructor(message: string, isTooLarge = false) {
    super(message)
    this.isTooLarge = isTooLarge
  }
}

const unreadable = (reason: string) =>
  new ArchiveFault(`the archive is not a readable compressed tar archive: ${reason}`)
const tooLarge = (what: string) => new ArchiveFault(`the archive holds ${what}`, true)

/** Size of a block: a header takes one, and contents are padded to whole blocks. */
const BLOCK_BYTES = 512
/** Maximum number of entries of any kind: files, and the folders that contain them. */
const MAX_ENTRIES = 2 * MAX_FILES
/** Maximum size of one extended header: a path of 1,000 characters and some attributes fit. */
const MAX_EXTENDED_HEADER_BYTES = 4096
/** Maximum number of headers, including extended ones. */
const MAX_HEADERS = 2 * MAX_ENTRIES
/** Maximum size after decompression: contents with their padding, headers, and extended headers of a block each. */
const MAX_TAR_BYTES = ARCHIVE_BYTES + MAX_HEADERS * 2 * BLOCK_BYTES

/**
 * The files of a gzip-compressed tar archive (POSIX.1-2017 pax, ustar and the long names of GNU tar). Decompresses and
 * reads in one pass, and stops at the first entry, header or byte beyond a limit. Links, devices and paths that lead
 * out of the archive are refused. A single top-level folder, as `tar` creates it, is omitted from the paths.
 *
 * Rejects with an `ArchiveFault`. Linear in the decompressed size; keeps the texts of the files in memory.
 */
export async function readTar(bytes: Uint8Array): Promise<readonly ArchiveFile[]> {
  const source = new Decompressed(bytes)
  try {
    return withoutFolder(await filesIn(source))
  } finally {
    source.close()
  }
}

async function filesIn(source: Decompressed): Promise<readonly ArchiveFile[]> {
  const files: ArchiveFile[] = []
  let [headers, entries, contents] = [0, 0, 0]
  let extended: Extended = {}
  for (;;) {
    const block = await source.take(BLOCK_BYTES)
    if (block === undefined || block.every((byte) => byte === 0)) return files
    const header = headerIn(block)
    if (++headers > MAX_HEADERS) throw tooLarge(`more than ${MAX_HEADERS} headers`)
    switch (header.type) {
      case 'x':
        extended = { ...extended, ...paxRecords(await extendedHeader(source, header)) }
        continue
      case 'L':
        extended = { ...extended, path: textUpToNul(await extendedHeader(source, header)) }
        continue
      // Attributes for all entries, and the target of a link, which is refused below.
      case 'g':
      case 'K':
        await extendedHeader(source, header)
        continue
      default:
    }
    if (++entries > MAX_ENTRIES) throw tooLarge(`more than ${MAX_FILES} files`)
    const { path: name = header.path, size = header.size } = extended
    extended = {}
    contents += size
    if (contents > ARCHIVE_BYTES) throw tooLarge(`more than ${ARCHIVE_BYTES} bytes`)
    const path = name.replace(/^(?:\.\/)+/, '')
    if (header.type === DIRECTORY || path === '' || path === '.') await source.skip(padded(size))
    else {
      refuseOther(path, header.type)
      if (files.length >= MAX_FILES) throw tooLarge(`more than ${MAX_FILES} files`)
      files.push({ path, text: await textOf(source, path, size) })
    }
  }
}

/** The bytes of a gzip stream, which are decompressed as they are read. */
class Decompressed {
  readonly #gunzip = createGunzip()
  readonly #pieces: AsyncIterator<Buffer>
  #piece: Buffer = Buffer.alloc(0)
  #taken = 0

  constructor(bytes: Uint8Array) {
    this.#gunzip.end(bytes)
    this.#pieces = this.#gunzip[Symbol.asyncIterator]()
  }

  close(): void {
    this.#gunzip.destroy()
  }

  /** The next bytes; undefined at the end of the stream. The archive is refused if it ends within them. */
  async take(length: number): Promise<Buffer | undefined> {
    this.#charge(length)
    const pieces: Buffer[] = []
    let missing = length
    while (missing > 0) {
      if (this.#piece.length === 0 && !(await this.#next())) {
        if (missing === length) return undefined
        throw unreadable('it ends within a file')
      }
      const piece = this.#piece.subarray(0, missing)
      this.#piece = this.#piece.subarray(piece.length)
      missing -= piece.length
      pieces.push(piece)
    }
    return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
  }

  async skip(length: number): Promise<void> {
    this.#charge(length)
    for (let missing = length; missing > 0;) {
      if (this.#piece.length === 0 && !(await this.#next())) throw unreadable('it ends within a file')
      const skipped = Math.min(missing, this.#piece.length)
      this.#piece = this.#piece.subarray(skipped)
      missing -= skipped
    }
  }

  /** Charges the requested bytes before they arrive: the size in a header is not trusted. */
  #charge(length: number): void {
    this.#taken += length
    if (this.#taken > MAX_TAR_BYTES) throw tooLarge(`more than ${ARCHIVE_BYTES} bytes`)
  }

  async #next(): Promise<boolean> {
    try {
      const { done, value } = await this.#pieces.next()
      if (done === true) return false
      this.#piece = value
      return true
    } catch {
      throw unreadable('it is not compressed with gzip')
    }
  }
}

interface Header {
  readonly path: string
  readonly size: number
  /** The type flag; NUL means a file in old archives. */
  readonly type: string
}

const DIRECTORY = '5'
/** Types of plain files: of ustar, of old archives, and contiguous ones. */
const FILES: ReadonlySet<string> = new Set(['0', '\0', '7'])
const TYPE_NAMES: Readonly<Record<string, string>> = {
  '1': 'link',
  '2': 'symbolic link',
  '3': 'character device',
  '4': 'block device',
  '6': 'named pipe',
}

/** The fields of a header block, by their offsets in POSIX.1-2017 (pax, ustar interchange format). */
function headerIn(block: Buffer): Header {
  const sum = octal(block.subarray(148, 156))
  // The checksum counts its own field as spaces.
  let found = 8 * 32
  for (let at = 0; at < BLOCK_BYTES; at++) if (at < 148 || at >= 156) found += block[at] ?? 0
  if (sum !== found) throw unreadable('a header is damaged')
  const size = octal(block.subarray(124, 136))
  if (size === undefined) throw unreadable('the size of a file is no octal number')
  const name = textUpToNul(block.subarray(0, 100))
  const hasPrefix = block.toString('latin1', 257, 263) === 'ustar\0'
  const prefix = hasPrefix ? textUpToNul(block.subarray(345, 500)) : ''
  return { path: prefix === '' ? name : `${prefix}/${name}`, size, type: String.fromCharCode(block[156] ?? 0) }
}

/** Undefined if the field is not octal. Sizes of 8 GiB and more have another format, and are refused with it. */
function octal(field: Buffer): number | undefined {
  const text = textUpToNul(field).trim()
  return /^[0-7]*$/.test(text) ? Number.parseInt(text || '0', 8) : undefined
}

function textUpToNul(bytes: Buffer): string {
  const end = bytes.indexOf(0)
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end)
}

/** Attributes that an extended header sets for the next entry. */
interface Extended {
  readonly path?: string
  readonly size?: number
}

async function extendedHeader(source: Decompressed, { size }: Header): Promise<Buffer> {
  if (size > MAX_EXTENDED_HEADER_BYTES)
    throw tooLarge(`an extended header of ${size} bytes: at most ${MAX_EXTENDED_HEADER_BYTES} are read`)
  const bytes = await source.take(padded(size))
  if (bytes === undefined) throw unreadable('it ends within a header')
  return bytes.subarray(0, size)
}

/** Records `<length> <keyword>=<value>\n`, of which the length counts all bytes (POSIX.1-2017, pax extended header). */
function paxRecords(bytes: Buffer): Extended {
  let extended: Extended = {}
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at)
    const length = Number(bytes.toString('latin1', at, Math.max(at, space)))
    const record = bytes.toString('utf8', space + 1, at + length - 1)
    const equals = record.indexOf('=')
    if (space < 0 || !Number.isInteger(length) || length <= space + 1 - at || at + length > bytes.length || equals < 0)
      throw unreadable('an extended header is damaged')
    const [keyword, value] = [record.slice(0, equals), record.slice(equals + 1)]
    if (keyword === 'path') extended = { ...extended, path: value }
    if (keyword === 'size') {
      if (!/^\d{1,12}$/.test(value)) throw unreadable('an extended header has a size that is no number')
      extended = { ...extended, size: Number(value) }
    }
    at += length
  }
  return extended
}

const padded = (size: number) => Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES

function refuseOther(path: string, type: string): void {
  if (!FILES.has(type))
    throw unreadable(
      `${quote(path)} is a ${TYPE_NAMES[type] ?? 'file of an unknown type'}: an archive has plain files only`,
    )
  const isInside =
    !path.startsWith('/') &&
    !/[\\\0]/.test(path) &&
    path.split('/').every((part) => part !== '' && part !== '..' && part !== '.')
  if (!isInside) throw unreadable(`the path ${quote(path)} leads out of the archive`)
}

/** The text of a file. Its reader reports a file that is not text, if the file belongs to the project. */
async function textOf(source: Decompressed, path: string, size: number): Promise<string> {
  if (!path.endsWith('.json') && !path.endsWith('.yaml')) {
    await source.skip(padded(size))
    return ''
  }
  const bytes = await source.take(padded(size))
  if (bytes === undefined && size > 0) throw unreadable('it ends within a file')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes?.subarray(0, size))
  } catch {
    return '\uFFFD'
  }
}

function withoutFolder(files: readonly ArchiveFile[]): readonly ArchiveFile[] {
  const [first] = files
  const folder = first === undefined ? '' : first.path.slice(0, first.path.indexOf('/') + 1)
  const isCommon = folder !== '' && files.every(({ path }) => path.startsWith(folder))
  const holdsProject = files.some(({ path }) => path === `${folder}project.json`)
  if (!isCommon || !holdsProject) return files
  return files.map(({ path, text }) => ({ path: path.slice(folder.length), text }))
}
