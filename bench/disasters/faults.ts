import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Channel } from './callers.ts'
import type { ChangeLog } from './change-log.ts'
import { type DatabaseKind, until, type World } from './world.ts'

/** Duration of an outage in milliseconds. */
const OUTAGE_MS = 5000

/** A disaster: what fails, and how it is repaired. */
export interface Fault {
  readonly name: string
  readonly database: DatabaseKind
  /** What callers can do without: requests to it may fail while the fault lasts. */
  readonly takes: readonly Channel[]
  run(world: World, log: ChangeLog): Promise<void>
}

/** The engine that is called first. */
const primary = ({ engines }: World) => {
  const [first] = engines
  if (first === undefined) throw new Error('there is no engine')
  return first
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'the platform is killed',
    database: 'server',
    takes: ['proxy'],
    async run({ platform }) {
      await platform.kill()
      await wait(OUTAGE_MS)
      await platform.start()
    },
  },
  {
    name: 'an engine is killed',
    database: 'server',
    takes: ['first'],
    async run(world) {
      const { program } = primary(world)
      await program.kill()
      await wait(OUTAGE_MS)
      await program.start()
    },
  },
  {
    name: 'an engine hangs',
    database: 'server',
    takes: ['first'],
    async run(world) {
      const { program } = primary(world)
      program.suspend()
      await wait(OUTAGE_MS)
      program.resume()
    },
  },
  {
    name: 'the database is killed',
    database: 'server',
    takes: [],
    async run({ database }) {
      await database?.kill()
      await wait(OUTAGE_MS)
      await database?.start()
    },
  },
  {
    name: 'the database hangs',
    database: 'server',
    takes: [],
    async run({ database }) {
      database?.suspend()
      await wait(OUTAGE_MS)
      database?.resume()
    },
  },
  {
    name: 'a backup is restored',
    database: 'server',
    takes: ['proxy'],
    async run(world, log) {
      const file = join(world.folder, `backup-${Date.now()}.ndjson`)
      const rewind = await log.whileNothingIsWritten(() => world.backUp(file))
      await wait(OUTAGE_MS / 3)
      await world.restore(file)
      rewind()
      rmSync(file)
    },
  },
  {
    name: 'the disk of the platform is full',
    database: 'embedded',
    takes: [],
    async run(world) {
      await whileFull(join(world.folder, 'platform'), () => wait(OUTAGE_MS))
    },
  },
  {
    name: 'the platform is killed while its disk is full',
    database: 'embedded',
    takes: ['proxy'],
    async run(world) {
      await whileFull(join(world.folder, 'platform'), async () => {
        await wait(OUTAGE_MS / 3)
        await world.platform.kill()
      })
      await world.platform.start()
    },
  },
  {
    name: 'the disk of an engine is full',
    database: 'embedded',
    takes: [],
    async run(world) {
      await whileFull(primary(world).folder, () => wait(OUTAGE_MS))
    },
  },
]

/** Fill the file system of a folder to its last byte, and make room again. */
async function whileFull(folder: string, work: () => Promise<void>): Promise<void> {
  const filler = join(folder, 'filler')
  const file = openSync(filler, 'w', 0o600)
  try {
    for (const size of [1_048_576, 4096, 1])
      try {
        for (const bytes = Buffer.alloc(size); ;) writeSync(file, bytes)
      } catch {
        // The disk is full: no space is left for the bytes.
      }
    await work()
  } finally {
    closeSync(file)
    rmSync(filler)
  }
}

/** Wait until a write is acknowledged again. */
export function awaitWrites(acknowledged: () => number): Promise<void> {
  const before = acknowledged()
  return until(() => Promise.resolve(acknowledged() > before), 'a write that is acknowledged')
}
