import { byteChunks, StartError, systemReason } from '@engine/process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type BackupHead, backupLine, type BackupLine, readBackupLine } from './backup-format.ts'

/** One line of a backup that is consistent with the previous lines. */
export interface NumberedLine {
  /** Counted from 1. */
  readonly number: number
  readonly line: BackupLine
}

/** The metadata of a complete backup. */
export interface VerifiedBackup {
  readonly head: BackupHead
  readonly rows: number
  readonly checksum: string | undefined
}

const LINE_FEED = 0x0a

/**
 * The lines of a backup, from its head to its end. A file that is truncated, that lacks or repeats rows, or whose
 * checksum does not match causes a `StartError` that names the file and the line: rows must not be committed before the
 * end has been read.
 */
export async function* readBackup(file: string): AsyncGenerator<NumberedLine> {
  const hash = createHash('sha256')
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let head: BackupHead | undefined
  let rows = 0
  let isComplete = false
  let number = 0
  for await (const bytes of linesOf(file)) {
    number++
    const refusal = (reason: string) => backupRefusal(file, `line ${number}: ${reason}`)
    if (isComplete) throw refusal('there is something after the end of the backup')
    const text = textOf(decoder, bytes)
    if (text === undefined) throw refusal('it is no UTF-8')
    const line = readBackupLine(text)
    if (typeof line === 'string') throw refusal(line)
    if (head === undefined && line.kind !== 'head') throw refusal('it is not the head of a backup')
    switch (line.kind) {
      case 'head':
        if (head !== undefined) throw refusal('a second head')
        ;({ head } = line)
        break
      case 'row':
        rows++
        break
      case 'end':
        if (line.rows !== rows) throw backupRefusal(file, `it says that it has ${line.rows} rows, and has ${rows}`)
        if (head?.hasChecksum === true || line.checksum !== undefined)
          refuseChanged(file, text, backupLine({ kind: 'end', rows, checksum: hash.copy().digest('hex') }))
        isComplete = true
    }
    hash.update(bytes)
    yield { number, line }
  }
  if (head === undefined) throw backupRefusal(file, 'line 1: it is empty')
  if (!isComplete) throw backupRefusal(file, 'it was cut off: its last line is missing')
}

/** Reads a backup from its head to its end. Throws `StartError` like `readBackup`. */
export async function verifyBackup(file: string): Promise<VerifiedBackup> {
  let head: BackupHead | undefined
  let verified: VerifiedBackup | undefined
  for await (const { line } of readBackup(file)) {
    if (line.kind === 'head') ({ head } = line)
    if (line.kind === 'end' && head !== undefined) verified = { head, rows: line.rows, checksum: line.checksum }
  }
  if (verified === undefined) throw new Error('a backup was read without its head or its end')
  return verified
}

/** The error of a backup that cannot be used. */
export function backupRefusal(file: string, reason: string, cause?: unknown): StartError {
  return new StartError(`\`${file}\`: ${reason}`, { cause })
}

/** The last line is compared as a whole, so that changes in it are detected too. */
function refuseChanged(file: string, found: string, right: string): void {
  if (found !== right)
    throw backupRefusal(file, 'its checksum does not match: the file was changed or damaged after it was written')
}

function textOf(decoder: TextDecoder, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** Lines with their line feeds. No other character ends a line: a text may contain U+2028. */
async function* linesOf(file: string): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  try {
    for await (const chunk of byteChunks(createReadStream(file))) {
      let start = 0
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
        yield Buffer.concat([...pieces, chunk.subarray(start, end + 1)])
        pieces = []
        start = end + 1
      }
      if (start < chunk.length) pieces.push(chunk.subarray(start))
    }
  } catch (error) {
    const reason = systemReason(error)
    throw reason === undefined ? error : new StartError(`cannot read \`${file}\`: ${reason}`, { cause: error })
  }
  if (pieces.length > 0) yield Buffer.concat(pieces)
}
