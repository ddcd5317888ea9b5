import { constants } from 'node:fs'
import { access, lstat, mkdir, open, readdir, rename, statfs, unlink } from 'node:fs/promises'

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
 * The steps with which files are changed, one member per step that can fail. A port, so that tests can fail or end the
 * process at the n-th step. Every member rejects with the system's error (`code` as in `errno(3)`).
 */
export interface DiskWriter {
  /** Creates a file that must not exist yet. */
  create(path: string, mode: number): Promise<NewFile>
  kind(path: string): Promise<EntryKind | 'absent'>
  /** Atomic within one file system: after a crash the file is the old or the new one. */
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  /** The parent must exist. Does nothing if the name exists. */
  makeDirectory(path: string, mode: number): Promise<void>
  /** Makes renames and removals in a directory durable. */
  syncDirectory(path: string): Promise<void>
}

/** The file system as the store uses it. */
export interface Disk extends DiskWriter {
  /** Follows no links, does not wait for pipes, and reads at most `limit` bytes. */
  read(path: string, limit: number): Promise<Content>
  list(path: string): Promise<Entry[]>
}

/** What `lstat(2)` reports of an entry, as far as the store needs it. */
export interface EntryStatus {
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
}

/** An open file, as `node:fs/promises` has it. */
export interface OpenFile {
  stat(): Promise<{ readonly size: number }>
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>
  /** Appends, or writes to the current position. */
  write(bytes: Uint8Array, offset: number): Promise<{ readonly bytesWritten: number }>
  truncate(length: number): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/** The functions of `node:fs/promises` with which files are changed: the disk thread calls the system itself. */
export interface FileSystem {
  open(path: string, flags: string | number, mode?: number): Promise<OpenFile>
  lstat(path: string): Promise<EntryStatus>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  mkdir(path: string, options: { readonly mode: number }): Promise<unknown>
  access(path: string, mode: number): Promise<void>
  statfs(path: string): Promise<{ readonly bavail: number; readonly bsize: number }>
}

/** The file system by the threads of libuv: a slow disk does not block the event loop. */
export const pooledFileSystem: FileSystem = { open, lstat, rename, unlink, mkdir, access, statfs }

/** Changes files by the functions of a file system. */
export function createDiskWriter(system: FileSystem): DiskWriter {
  return {
    async create(path, mode) {
      const file = await system.open(path, 'wx', mode)
      return { write: (bytes) => writeAll(file, bytes), sync: () => file.sync(), close: () => file.close() }
    },
    async kind(path) {
      try {
        return kindOf(await system.lstat(path))
      } catch (cause) {
        if (isMissing(cause)) return 'absent'
        throw cause
      }
    },
    rename: (from, to) => system.rename(from, to),
    unlink: (path) => system.unlink(path),
    async makeDirectory(path, mode) {
      try {
        await system.mkdir(path, { mode })
      } catch (cause) {
        if (!isSystemError(cause, 'EEXIST')) throw cause
      }
    },
    async syncDirectory(path) {
      const directory = await system.open(path, constants.O_RDONLY | constants.O_DIRECTORY)
      try {
        await directory.sync()
      } finally {
        await directory.close()
      }
    },
  }
}

/** The file system of this machine. */
export const nodeDisk: Disk = {
  ...createDiskWriter(pooledFileSystem),
  async read(path, limit) {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const status = await file.stat()
      if (!status.isFile()) return { kind: 'refused', reason: 'it is not a regular file' }
      if (status.size > limit) {
        return { kind: 'refused', reason: `it has ${status.size} bytes, the limit is ${limit}` }
      }
      return { kind: 'bytes', bytes: await readAll(file, status.size) }
    } finally {
      await file.close()
    }
  },
  async list(path) {
    const entries = await readdir(path, { withFileTypes: true })
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
  },
}

/** Whether a system error means that the file does not exist. */
export function isMissing(cause: unknown): boolean {
  return isSystemError(cause, 'ENOENT')
}

function isSystemError(cause: unknown, code: string): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === code
}

async function writeAll(file: OpenFile, bytes: Uint8Array): Promise<void> {
  let written = 0
  while (written < bytes.length) written += (await file.write(bytes, written)).bytesWritten
}

/** Reads at most `size` bytes, so that a file that grows meanwhile cannot exceed the limit. */
async function readAll(file: OpenFile, size: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(size)
  let filled = 0
  while (filled < size) {
    const { bytesRead } = await file.read(bytes, filled, size - filled, filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

function kindOf(of: EntryStatus): EntryKind {
  if (of.isFile()) return 'file'
  if (of.isDirectory()) return 'directory'
  return of.isSymbolicLink() ? 'link' : 'other'
}
