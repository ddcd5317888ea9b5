import { makeDirectory, readStartFile, StartError, starting } from '@engine/process'
import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Configuration } from '../config/config.ts'

const BYTES = 32

/**
 * The key of the platform, from `--secret-key-file` or from the data directory, where the first start creates it.
 * Rejects with a `StartError` if the key is missing or unusable.
 */
export async function secretKey({
  secretKeyFile,
  databaseUrl,
  dataDir,
}: Pick<Configuration, 'secretKeyFile' | 'databaseUrl' | 'dataDir'>): Promise<Buffer> {
  if (secretKeyFile === undefined && databaseUrl !== undefined)
    throw new StartError(
      '--secret-key-file: is missing, and --database-url needs it: 32 bytes in base64, the same for all replicas (`openssl rand -base64 32`)',
    )
  const file = secretKeyFile ?? join(dataDir, 'secret.key')
  return starting('--secret-key-file', file, async () => {
    if (secretKeyFile === undefined) await makeKey(file)
    const key = Buffer.from((await readStartFile('--secret-key-file', file)).toString().trim(), 'base64')
    if (key.length === BYTES) return key
    throw new StartError(`--secret-key-file: \`${file}\` holds ${key.length} bytes in base64, not ${BYTES}`)
  })
}

/**
 * Creates the key file unless it exists. The file is durable before it is used: otherwise a power failure would
 * invalidate everything signed with the key.
 */
async function makeKey(file: string): Promise<void> {
  await makeDirectory(dirname(resolve(file)), 0o700)
  try {
    const handle = await open(file, 'wx', 0o600)
    try {
      await handle.writeFile(`${randomBytes(BYTES).toString('base64')}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
