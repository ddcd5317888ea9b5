/**
 * Make the files of a released version, which later programs must open: a backup and a data directory of a database with one of
 * each resource. Run at the commit of the release: `node tests/platform/make-released-version.ts <version>`.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { writeBackup } from '../../apps/platform-server/src/database/backup.ts'
import { connectDatabase, openDatabase } from '../../apps/platform-server/src/database/connection.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { addCast, addWorld } from './world.testing.ts'

const version = process.argv[2]
if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version)) {
  process.stderr.write('usage: node tests/platform/make-released-version.ts <version>\n')
  process.exit(2)
}
const place = join(import.meta.dirname, 'released', version)
mkdirSync(place, { recursive: true })
const directory = mkdtempSync(join(tmpdir(), 'platform-released-'))
const location = { kind: 'embedded', directory, instanceId: 'release' } as const
const { log } = memoryLog()

const database = await openDatabase(location, log)
await addWorld(database, await addCast(database), 'project.read', {
  hasSub: true,
  hasProject: true,
  hasCatalog: true,
  hasServer: true,
  hasDrafts: true,
  hasRelease: true,
})
await database.close()

const connected = await connectDatabase(location, log)
await connected.pool.query('checkpoint')
rmSync(join(place, 'backup.ndjson'), { force: true })
await writeBackup(connected.pool, join(place, 'backup.ndjson'), '--data-dir')
await connected.close()

const archive = join(directory, 'database.tar')
execFileSync('tar', ['--sort=name', '--owner=0', '--group=0', '-cf', archive, '-C', directory, 'database'])
const bytes = readFileSync(archive)
const { BROTLI_PARAM_QUALITY, BROTLI_MAX_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_MAX_WINDOW_BITS } = constants
writeFileSync(
  join(place, 'database.tar.br'),
  brotliCompressSync(bytes, {
    params: { [BROTLI_PARAM_QUALITY]: BROTLI_MAX_QUALITY, [BROTLI_PARAM_LGWIN]: BROTLI_MAX_WINDOW_BITS },
  }),
)
rmSync(directory, { recursive: true, force: true })
