import type { RulesetDocument } from '@engine/ruleset'
import { decodeRuleset } from '@engine/ruleset'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { openDirectoryStore } from './directory.ts'
import { type Disk, nodeDisk } from './disk.ts'
import type { Decode } from './rule-file-reader.ts'
import { type Store, type StoredRuleset, storedRuleset } from './store.ts'

/** The smallest ruleset of a name, identified by its version. */
export function sample(name: string, version: string): StoredRuleset {
  const document: RulesetDocument = {
    config: { name, version, entry_step: 'end', description: null },
    steps: { end: { id: 'end', type: 'terminal', result: { code: version, message: 'done' } } },
  }
  return storedRuleset(document)
}

/** A store in a directory, on the given disk, with a separate clock. */
export function openSampleStore(
  rulesDirectory: string,
  disk: Disk = nodeDisk,
  maxVersions = 10,
  now = Date.UTC(2026, 10, 20),
): Promise<Store> {
  const decode: Decode = async (document) => ({
    faults: decodeRuleset(document).problems.map(({ path, message }) => `\`${path}\` ${message}`),
  })
  return openDirectoryStore({
    rulesDirectory,
    maxVersions,
    disk,
    decode,
    decodeLater: decode,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    now: () => now,
  })
}

/** A disk that fails on demand. */
export interface FailingDisk extends Disk {
  /** Makes the n-th next step fail with a code of `errno(3)`, and with `lasting` all later ones too; 0: none. */
  failAt(n: number, code?: string, lasting?: boolean): void
  /** True if the fault occurred. */
  readonly hasFailed: boolean
}

/** The real disk until a fault is set. */
export function failingDisk(): FailingDisk {
  let left = 0
  let failure = { code: 'ENOSPC', lasting: false }
  let hasFailed = false
  const step = async <T>(run: () => Promise<T>): Promise<T> => {
    if (left === 0) return run()
    left--
    if (left > 0) return run()
    hasFailed = true
    if (failure.lasting) left = 1
    throw Object.assign(new Error(failure.code), { code: failure.code })
  }
  return {
    get hasFailed() {
      return hasFailed
    },
    failAt(n, code = 'ENOSPC', lasting = false) {
      left = n
      failure = { code, lasting }
      hasFailed = false
    },
    async create(path, mode) {
      const file = await step(() => nodeDisk.create(path, mode))
      return {
        write: (bytes) => step(() => file.write(bytes)),
        sync: () => step(() => file.sync()),
        close: async () => {
          await file.close()
          await step(() => Promise.resolve())
        },
      }
    },
    read: (path, limit) => step(() => nodeDisk.read(path, limit)),
    list: (path) => step(() => nodeDisk.list(path)),
    kind: (path) => step(() => nodeDisk.kind(path)),
    rename: (from, to) => step(() => nodeDisk.rename(from, to)),
    unlink: (path) => step(() => nodeDisk.unlink(path)),
    makeDirectory: (path, mode) => step(() => nodeDisk.makeDirectory(path, mode)),
    syncDirectory: (path) => step(() => nodeDisk.syncDirectory(path)),
  }
}

/** All files below a directory by relative path, except temporary ones. */
export async function filesIn(directory: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.name.includes('.tmp-'))
    .map((entry) => join(entry.parentPath, entry.name))
  const texts = await Promise.all(
    paths.map(async (path) => [relative(directory, path), await readFile(path, 'utf8')] as const),
  )
  return Object.fromEntries(texts)
}
