import * as fs from 'node:fs'
import { promisify } from 'node:util'
import type { FileSystem, OpenFile } from '../store/disk.ts'

const fsync = promisify(fs.fsync)

/**
 * A file system for a thread that may wait for the disk: each step is a system call on this thread, which takes a tenth of
 * the processor time of a step in the pool of libuv. Only `fsync(2)` uses the pool, so that files are synced side by side.
 */
export const synchronousFileSystem: FileSystem = {
  open: async (path, flags, mode) => openFile(fs.openSync(path, flags, mode)),
  lstat: async (path) => fs.lstatSync(path),
  rename: async (from, to) => fs.renameSync(from, to),
  unlink: async (path) => fs.unlinkSync(path),
  mkdir: async (path, options) => fs.mkdirSync(path, options),
  access: async (path, mode) => fs.accessSync(path, mode),
  statfs: async (path) => fs.statfsSync(path),
}

function openFile(descriptor: number): OpenFile {
  return {
    stat: async () => fs.fstatSync(descriptor),
    read: async (buffer, offset, length, position) => ({
      bytesRead: fs.readSync(descriptor, buffer, offset, length, position),
    }),
    write: async (bytes, offset) => ({
      bytesWritten: fs.writeSync(descriptor, bytes, offset),
    }),
    truncate: async (length) => fs.ftruncateSync(descriptor, length),
    sync: () => fsync(descriptor),
    close: async () => fs.closeSync(descriptor),
  }
}
