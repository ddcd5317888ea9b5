import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readError } from '../files.ts'
import { ToolError } from '../tool.ts'

/** A file of audit events; `day` is that of its name, undefined for a file that was named otherwise. */
export interface AuditFile {
  readonly path: string
  readonly day: string | undefined
}

const NAME = /^audit-(\d{4}-\d\d-\d\d)\.jsonl(?:\.gz)?$/

/**
 * The audit files of folders, those of tenants in their folders below, by day; files themselves stay as they are named. Throws
 * `ToolError` for a path that cannot be read, and for a folder without audit files.
 */
export async function auditFiles(paths: readonly string[]): Promise<readonly AuditFile[]> {
  const files: AuditFile[] = []
  for (const path of paths) {
    if (!(await isFolder(path))) files.push({ path, day: undefined })
    else {
      const found = await filesIn(path)
      if (found.length === 0) throw new ToolError(`${path}: has no audit files (audit-YYYY-MM-DD.jsonl)`)
      files.push(...found)
    }
  }
  return files
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (cause) {
    throw readError(path, cause)
  }
}

async function filesIn(folder: string): Promise<readonly AuditFile[]> {
  const entries = await readdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw readError(folder, cause)
  })
  return entries
    .flatMap((entry) => {
      const day = NAME.exec(entry.split(/[\\/]/).at(-1) ?? '')?.[1]
      return day === undefined ? [] : { path: join(folder, entry), day }
    })
    .toSorted((one, next) => (`${one.day}${one.path}` < `${next.day}${next.path}` ? -1 : 1))
}
