import { join } from 'node:path'
import { type Disk, isMissing } from './disk.ts'
import { moveDurably, writeTemporary } from './durable-files.ts'

const FILE = '.seeded'
/** Maximum size of the file. */
const MAX_BYTES = 64

/** The record of a directory's seeding, so that a deleted seed does not reappear. */
export interface SeedRecord {
  /** `begun`: seeding was interrupted, and the next start completes it. Rejects with the system's error. */
  read(): Promise<'none' | 'begun' | 'done'>
  /** Durable when it resolves. Rejects with the system's error. */
  write(state: 'begun' | 'done'): Promise<void>
}

/** The record in the file `.seeded`. */
export function createSeedRecord(disk: Disk, rulesDirectory: string): SeedRecord {
  const path = join(rulesDirectory, FILE)
  return {
    async read() {
      try {
        const content = await disk.read(path, MAX_BYTES)
        const isBegun = content.kind === 'bytes' && Buffer.from(content.bytes).toString().trim() === 'begun'
        return isBegun ? 'begun' : 'done'
      } catch (cause) {
        if (isMissing(cause)) return 'none'
        throw cause
      }
    },
    async write(state) {
      const temporary = await writeTemporary(disk, rulesDirectory, FILE.slice(1), `${state}\n`)
      await moveDurably(disk, temporary, path)
    },
  }
}
