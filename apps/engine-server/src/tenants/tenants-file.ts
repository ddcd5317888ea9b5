import { unwatchFile, watchFile } from 'node:fs'
import { join } from 'node:path'
import type { Tenant } from '@engine/api'
import { type Disk, isMissing } from '../store/disk.ts'
import { attempt, moveDurably, writeTemporary } from '../store/files.ts'
import { parseTenants, TenantsFileError, tenantsText } from './tenant.ts'

const FILE = 'tenants.json'
/** Bytes of the file. */
const LARGEST = 16 * 1024 * 1024
/** Milliseconds between two looks: the file is replaced by editors and by us, and looked at by name. */
const WATCH_MS = 500

/** `tenants.json` in the rules directory. */
export interface TenantsFile {
  /** Undefined when there is none. Throws `TenantsFileError`, or rejects with the system's error. */
  read(): Promise<ReadonlyMap<string, Tenant> | undefined>
  /** Durable when it resolves. Rejects with the system's error. */
  write(tenants: Iterable<Tenant>): Promise<void>
  /** Told whenever the file may have changed. */
  watch(changed: () => void): void
  close(): void
}

export function createTenantsFile(disk: Disk, rulesDirectory: string): TenantsFile {
  const path = join(rulesDirectory, FILE)
  return {
    async read() {
      try {
        const content = await disk.read(path, LARGEST)
        if (content.kind === 'refused') throw new TenantsFileError(content.reason)
        return parseTenants(Buffer.from(content.bytes).toString('utf8'))
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },
    async write(tenants) {
      const temporary = await writeTemporary(disk, rulesDirectory, FILE, tenantsText(tenants))
      try {
        await moveDurably(disk, temporary, path)
      } catch (error) {
        await attempt(() => disk.unlink(temporary))
        throw error
      }
    },
    watch: (changed) => void watchFile(path, { interval: WATCH_MS, persistent: false }, changed),
    close: () => unwatchFile(path),
  }
}
