import { PGlite } from '@electric-sql/pglite'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DurableFiles, START_PARAMETERS } from '../../apps/platform-server/src/database/durable-files.ts'
import { IS_FULL_RUN } from '../cases.testing.ts'
import { newDataDirectory } from './databases.testing.ts'
import { type Image, RecordedDisk, RecordedFiles, writeImage } from './power-loss.testing.ts'

/** `PLATFORM_POWER_CUTS` sets a larger number. */
const CUTS = Number(process.env['PLATFORM_POWER_CUTS'] ?? (IS_FULL_RUN ? 5 : 2))

/** Operations of the disk between two losses. */
const MIN_OPERATIONS = 50
const MAX_OPERATIONS = 600

/** The disk at a loss, and the last change that was acknowledged before. */
interface Loss {
  readonly image: Image
  readonly acknowledged: number
}

/** Write changes with their audit, update old rows, make checkpoints, until the power has failed so often. */
async function losses(folder: string): Promise<readonly Loss[]> {
  const disk = new RecordedDisk(folder)
  const database = await PGlite.create({ fs: new RecordedFiles(folder, disk), startParams: [...START_PARAMETERS] })
  await database.exec(
    'create table change (id integer primary key, text text); create index on change (text); ' +
      'create table audit (id integer primary key); checkpoint',
  )
  disk.begin()
  const lost: Loss[] = []
  let acknowledged = 0
  const next = () => disk.operations + MIN_OPERATIONS + Math.floor(Math.random() * MAX_OPERATIONS)
  let due = next()
  disk.onOperation = () => {
    if (disk.operations < due || lost.length === CUTS) return
    lost.push({ image: disk.cut(), acknowledged })
    due = next()
  }
  for (let id = 1; lost.length < CUTS; id++) {
    await database.transaction(async (transaction) => {
      await transaction.query('insert into change values ($1, $2)', [id, 'x'.repeat(200) + id])
      await transaction.query('insert into audit values ($1)', [id])
    })
    acknowledged = id
    if (id % 60 === 0) await database.exec("update change set text = text || 'y' where id % 7 = 0")
    if (id % 90 === 0) await database.exec('checkpoint')
  }
  await database.close()
  return lost
}

interface Found {
  readonly changes: number
  readonly last: number
  readonly audits: number
  readonly kept: number
}

/** Open the files that the disk has kept, by tables and by the index. */
async function found(folder: string, acknowledged: number): Promise<Found | undefined> {
  const database = await PGlite.create({ fs: new DurableFiles(folder), startParams: [...START_PARAMETERS] })
  const { rows } = await database.query<Found>(
    `select count(*)::int as changes, coalesce(max(id), 0) as last, (select count(*)::int from audit) as audits,
      count(*) filter (where id <= $1)::int as kept from change`,
    [acknowledged],
  )
  await database.exec('set enable_seqscan = off; select count(*) from (select text from change order by text) sorted')
  await database.close()
  return rows[0]
}

test(`a power loss loses nothing acknowledged, and the database opens again (${CUTS} losses)`, async () => {
  const root = await newDataDirectory()
  const folder = join(root, 'database')
  for (const { image, acknowledged } of await losses(folder)) {
    const after = join(root, 'after')
    mkdirSync(after)
    writeImage(image, after, folder)
    const kept = await found(after, acknowledged)
    expect(kept?.kept).toBe(acknowledged)
    expect(kept?.changes).toBe(kept?.last)
    expect(kept?.audits).toBe(kept?.changes)
    rmSync(after, { recursive: true })
  }
}, 3_600_000)
