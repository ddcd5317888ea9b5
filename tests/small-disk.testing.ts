import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether small file systems can be mounted here: that takes root. */
export const canMount = process.getuid?.() === 0

/** A small separate file system. */
export interface SmallDisk {
  readonly folder: string
  /** Write to it until not a byte more fits. */
  fill(): void
  /** Make the room free again that `fill` has taken. */
  makeRoom(): void
  /** Refuse all writes, or accept them again. */
  makeReadOnly(isReadOnly: boolean): void
  unmount(): void
}

/**
 * Mount a small file system in memory.
 *
 * @param size as `mount` has it, such as `1m`
 * @param user whom its root folder belongs to
 */
export function mountSmallDisk(size: string, user: { readonly uid?: number; readonly gid?: number } = {}): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'))
  const { uid = 0, gid = 0 } = user
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0755,uid=${uid},gid=${gid}`, 'tmpfs', folder])
  const filler = join(folder, 'filler')
  return {
    folder,
    fill() {
      const file = openSync(filler, 'w', 0o600)
      try {
        for (const bytes of [65_536, 4096, 1]) writeUntilFull(file, Buffer.alloc(bytes))
      } finally {
        closeSync(file)
      }
    },
    makeRoom: () => rmSync(filler, { force: true }),
    makeReadOnly(isReadOnly) {
      execFileSync('mount', ['-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, folder])
    },
    unmount() {
      // Lazily: a process that a test has left behind may still have a file open.
      execFileSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(file, bytes)
  } catch {
    // Less than this number of bytes is free.
  }
}
