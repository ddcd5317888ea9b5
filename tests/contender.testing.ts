import { writeSync } from 'node:fs'
import { openDirectoryStore } from '../apps/engine-server/src/store/directory.ts'
import { lockDirectory } from '../apps/engine-server/src/store/directory-lock.ts'
import { makeDirectoryDurably } from '../apps/engine-server/src/store/durable-files.ts'
import { nodeDisk } from '../apps/engine-server/src/store/disk.ts'
import { storedRuleset } from '../apps/engine-server/src/store/store.ts'
import { minimal } from './minimal-ruleset.testing.ts'

/**
 * What a server does with its rules directory and nothing else of it, for a third of the processor time: locks it, stores a
 * ruleset, says how many there are then, and keeps the lock until it is killed. Its arguments: the directory, its instance,
 * the name of the ruleset.
 */
const [directory = '', instance = '', name = ''] = process.argv.slice(2)
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }
try {
  await makeDirectoryDurably(nodeDisk, directory)
  await lockDirectory(directory, instance, quiet)
} catch (error) {
  writeSync(2, `error: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
const store = await openDirectoryStore({
  rulesDirectory: directory,
  maxVersions: 1,
  disk: nodeDisk,
  decode: async () => ({ faults: [] }),
  decodeLater: async () => ({ faults: [] }),
  log: quiet,
  now: Date.now,
})
await store.put(storedRuleset(minimal(name)))
writeSync(1, `stored ${[...store.list()].length}\n`)
setInterval(() => undefined, 60_000)
