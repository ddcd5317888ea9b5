import { isObject, parseJson, stringifyJson, type Value } from '@engine/expression'

/**
 * A backup is a file of lines, each a JSON object that ends at a line feed: a head, one line per row, an end with the
 * number of rows and a checksum of all previous bytes. Values are in PostgreSQL's text format, so that nothing is lost
 * and every database of the platform can read the backup of any other.
 */

const FORMAT = 'engine-platform-backup'
const VERSION = 1
const CHECKSUM = 'sha256'

/** The first line. */
export interface BackupHead {
  /** The migration to which the rows correspond. */
  readonly migration: number
  readonly madeAt: string
  /** True if the last line has a checksum. Backups of earlier programs have none. */
  readonly hasChecksum: boolean
}

/** Values in PostgreSQL's text format. */
export type BackupRow = Readonly<Record<string, string | null>>

export type BackupLine =
  | { readonly kind: 'head'; readonly head: BackupHead }
  | { readonly kind: 'row'; readonly table: string; readonly row: BackupRow }
  /** A file without this line is truncated. */
  | {
      readonly kind: 'end'
      readonly rows: number
      /** SHA-256 of the bytes of all previous lines, in hexadecimal. */
      readonly checksum: string | undefined
    }

/** One line, with its end. */
export function backupLine(line: BackupLine): string {
  return `${stringifyJson(valueOf(line))}\n`
}

function valueOf(line: BackupLine): Value {
  switch (line.kind) {
    case 'head':
      return {
        format: FORMAT,
        version: VERSION,
        migration: line.head.migration,
        made_at: line.head.madeAt,
        ...(line.head.hasChecksum ? { checksum: CHECKSUM } : {}),
      }
    case 'row':
      return { table: line.table, row: { ...line.row } }
    case 'end':
      return { end: true, rows: line.rows, ...(line.checksum === undefined ? {} : { sha256: line.checksum }) }
  }
}

/** A parsed line, or a description of its fault. */
export function readBackupLine(text: string): BackupLine | string {
  const parsed = parseJson(text, { duplicateKeys: 'refuse' })
  if (parsed.kind === 'failed') return parsed.problem.message
  if (!isObject(parsed.value)) return 'it is no object'
  const { format, version, migration, made_at: madeAt, checksum, table, row, end, rows, sha256 } = parsed.value
  if (format !== undefined) {
    if (format !== FORMAT || typeof migration !== 'number' || typeof madeAt !== 'string') return 'it is no backup'
    if (version !== VERSION) return `its format has another version than ${VERSION}, which this program reads`
    if (checksum !== undefined && checksum !== CHECKSUM)
      return `its checksum is of another kind than ${CHECKSUM}, which this program reads`
    return { kind: 'head', head: { migration, madeAt, hasChecksum: checksum !== undefined } }
  }
  if (end === true && typeof rows === 'number')
    return { kind: 'end', rows, checksum: typeof sha256 === 'string' ? sha256 : undefined }
  if (typeof table === 'string' && isRow(row)) return { kind: 'row', table, row }
  return 'it is neither a head nor a row nor the end'
}

function isRow(value: Value | undefined): value is Record<string, string | null> {
  return (
    value !== undefined &&
    isObject(value) &&
    Object.values(value).every((one) => one === null || typeof one === 'string')
  )
}
