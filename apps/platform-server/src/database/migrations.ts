import { packageFile } from '@engine/process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One step of the schema. */
export interface Migration {
  /** Counted from 1, without gaps. */
  readonly number: number
  readonly name: string
  readonly sql: string
  /** SHA-256, the same for both kinds of line breaks. */
  readonly checksum: string
}

const NAME = /^(\d{4})-([a-z-]+)\.sql$/

/** The migrations of this program, in order. */
export function readMigrations(folder = packageFile(import.meta.url, 'src/database/migrations')): readonly Migration[] {
  return readdirSync(folder)
    .toSorted()
    .flatMap((file) => {
      const [, number, name] = NAME.exec(file) ?? []
      if (number === undefined || name === undefined) return []
      const sql = readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n')
      return [{ number: Number(number), name, sql, checksum: createHash('sha256').update(sql).digest('hex') }]
    })
}
