import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { openDirectoryStore } from '../apps/engine-server/src/store/directory.ts'
import { lockDirectory } from '../apps/engine-server/src/store/directory-lock.ts'
import { makeDirectoryDurably } from '../apps/engine-server/src/store/durable-files.ts'
import { nodeDisk } from '../apps/engine-server/src/store/disk.ts'
import { storedRuleset } from '../apps/engine-server/src/store/store.ts'
import { minimal } from './minimal-ruleset.testing.ts'

/**
 * The part of a server that uses its rules directory, alone, for a third of the processor time: on each SIGUSR2 it
 * tries to lock it; when it has it, it stores a ruleset, prints how many there are then, and keeps the lock until it is killed.
 * Its arguments: the directory and its instance.
 */
const [directory = '', instance = ''] = process.argv.slice(2)
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }
let tries = 0

process.on('SIGUSR2', () => {
  const number = ++tries
  attempt().then(
    (count) => writeSync(1, `try ${number}: stored ${count}\n`),
    (error: unknown) =>
      writeSync(1, `try ${number}: error: ${error instanceof Error ? error.message : String(error)}\n`),
  )
})
// Keeps the process.
setInterval(() => undefined, 60_000)
writeSync(1, 'ready\n')

async function attempt(): Promise<number> {
  await makeDirectoryDurably(nodeDisk, directory)
  await lockDirectory(directory, instance, quiet)
  const store = await openDirectoryStore({
    rulesDirectory: directory,
    maxVersions: 1,
    disk: nodeDisk,
    decode: async () => ({ faults: [] }),
    decodeLater: async () => ({ faults: [] }),
    log: quiet,
    now: Date.now,
  })
  await store.put(storedRuleset(minimal(randomUUID())))
  return [...store.list()].length
}
