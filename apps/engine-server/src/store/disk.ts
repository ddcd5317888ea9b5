import { makeDirectory } from '@engine/process'
import { constants } from 'node:fs'
import { lstat, open, readdir, rename, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'

/** The kind of a directory entry, links not followed. */
export type EntryKind = 'file' | 'directory' | 'link' | 'other'

export interface Entry {
  readonly name: string
  readonly kind: EntryKind
}

/**
 * A new file being written. A failed call is never retried, the file is only closed: the kernel may have dropped pages.
 */
export interface NewFile {
  /** Appends to the previous writes. */
  write(bytes: Uint8Array): Promise<void>
  /** `fsync(2)`. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** The bytes of a regular file, or why it was not read. */
export type Content =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * The file system as the store uses it: one member per step that can fail. A port, so that tests can fail or
 * end the process at the n-th step. Every member rejects with the system's error (`code` as in `errno(3)`).
 */
export interface Disk {
  /** Creates a file that must not exist yet. */
  create(path: string, mode: number): Promise<NewFile>
  /** Follows no links, does not wait for pipes, and reads at most `limit` bytes. */
  read(path: string, limit: number): Promise<Content>
  list(path: string): Promise<Entry[]>
  kind(path: string): Promise<EntryKind | 'absent'>
  /** Atomic within one file system: after a crash the file is the old or the new one. */
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  /** The parent must exist. Does nothing if the name exists. */
  makeDirectory(path: string, mode: number): Promise<void>
  /** Makes renames and removals in a directory durable. */
  syncDirectory(path: string): Promise<void>
}

/** The file system of this machine. */
export const nodeDisk: Disk = {
  async create(path, mode) {
    const handle = await open(path, 'wx', mode)
    return {
      write: (bytes) => writeAll(handle, bytes),
      sync: () => handle.sync(),
      close: () => handle.close(),
    }
  },
  async read(path, limit) {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const status = await handle.stat()
      if (!status.isFile()) return { kind: 'refused', reason: 'it is not a regular file' }
      if (status.size > limit) {
        return { kind: 'refused', reason: `it has ${status.size} bytes, the limit is ${limit}` }
      }
      return { kind: 'bytes', bytes: await readAll(handle, status.size) }
    } finally {
      await handle.close()
    }
  },
  async list(path) {
    const entries = await readdir(path, { withFileTypes: true })
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
  },
  async kind(path) {
    try {
      return kindOf(await lstat(path))
    } catch (cause) {
      if (isMissing(cause)) return 'absent'
      throw cause
    }
  },
  rename,
  unlink,
  makeDirectory,
  async syncDirectory(path) {
    const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
}

/** Whether a system error means that the file does not exist. */
export function isMissing(cause: unknown): boolean {
  return isSystemError(cause, 'ENOENT')
}

function isSystemError(cause: unknown, code: string): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === code
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    written += (await handle.write(bytes, written, bytes.length - written, null)).bytesWritten
  }
}

/** Reads at most `size` bytes, so that a file that grows meanwhile cannot exceed the limit. */
async function readAll(handle: FileHandle, size: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(size)
  let filled = 0
  while (filled < size) {
    const { bytesRead } = await handle.read(bytes, filled, size - filled, filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

function kindOf(of: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): EntryKind {
  if (of.isFile()) return 'file'
  if (of.isDirectory()) return 'directory'
  return of.isSymbolicLink() ? 'link' : 'other'
}
