import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Socket } from 'node:net'

/**
 * Removes the folder when the pipe at its standard input ends with the process of the run, however that ends. Servers of the
 * tests write until they have ended as well, so it tries until nothing is left.
 */
const REMOVE = 'cat; for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 1; rm -rf "$1" && exit; done'

/**
 * All temporary folders of a run of the tests are in one, which goes with it: also those of processes that a test has
 * killed, and those that a test that failed has left.
 */
export default function setup(): void {
  // A short name: addresses of sockets in it may have 103 characters.
  const folder = mkdtempSync(join(tmpdir(), 'tests-'))
  // PostgreSQL, which runs as another user, must be able to enter.
  chmodSync(folder, 0o755)
  process.env['TMPDIR'] = folder
  const remover = spawn('sh', ['-c', REMOVE, 'sh', folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  remover.unref()
  ;(remover.stdin as Socket).unref()
}
