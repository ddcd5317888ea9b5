import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The parts of Emscripten's file system that PGlite exposes. */
interface NodeStream {
  /** The file descriptor of Node. */
  readonly nfd: number
}
interface StreamOperations {
  fsync?: (stream: NodeStream) => number
}
interface WithNodeFiles {
  readonly NODEFS: { readonly stream_ops: StreamOperations }
}

/**
 * The files of PGlite with `fsync`. Emscripten looks for this hook, which its file system over Node does not have:
 * otherwise `fsync` succeeds but syncs nothing, and a power loss loses acknowledged commits. Needs `START_PARAMETERS`
 * too: if either is missing, nothing is synced.
 */
export class DurableFiles extends NodeFS {
  override async init(...args: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const initialized = await super.init(...args)
    initialized.emscriptenOpts.preRun?.push((module) => {
      const { stream_ops: operations } = (module as unknown as WithNodeFiles).NODEFS
      operations.fsync = ({ nfd }) => {
        fsyncSync(nfd)
        return 0
      }
    })
    return initialized
  }
}

/**
 * The parameters of PGlite without `-F`, which turns syncing off; `fdatasync`, the default of Linux, does nothing in
 * Emscripten.
 */
export const START_PARAMETERS: readonly string[] = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  '-c',
  'wal_sync_method=fsync',
]

/** Syncs a folder with all files and folders below it: creating a database syncs few of its thousand files. */
export function syncFolder(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) syncFolder(path)
    else if (entry.isFile()) syncPath(path)
  }
  syncPath(folder)
}

/** Syncs one file or folder. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
