import { chmodSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * All temporary folders of a run of the tests are in one, which goes with it: also those of processes that a test has
 * killed, and those that a test that failed has left.
 */
export default function setup(): () => Promise<void> {
  // A short name: addresses of sockets in it may have 103 characters.
  const folder = mkdtempSync(join(tmpdir(), 'tests-'))
  // PostgreSQL, which runs as another user, must be able to enter.
  chmodSync(folder, 0o755)
  process.env['TMPDIR'] = folder
  return () =>
    // Servers that end with the processes of the tests write until they have ended.
    rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }).catch((error: unknown) =>
      console.warn(`cannot remove ${folder}: ${String(error)}`),
    )
}
