import { type ChildProcess, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'

/** A server that a test starts. */
export interface Watched {
  /** Removed when the server has ended because this process did. */
  readonly folder: string
  /** The program and its arguments. */
  readonly command: readonly string[]
  /** What ends the server when this process has ended without ending it. */
  readonly signal: 'KILL' | 'INT'
  readonly stderr: 'ignore' | 'pipe'
  readonly user?: { readonly uid?: number; readonly gid?: number }
}

/**
 * Becomes the server, and leaves behind a watcher. When this process dies, however that happens, the pipe at descriptor
 * 3 ends without the line that dismisses the watcher, and it ends the server and removes its folder. The server keeps
 * the shell's process id, so that signals go to it and not to a shell around it.
 */
const WATCHED = `signal=$1; folder=$2; shift 2
{ read -r _ <&3 || { kill -$signal $$; sleep 1; rm -rf "$folder"; } } >/dev/null 2>&1 &
exec "$@" 3<&-`

/** Start a server that does not outlive this process. */
export function spawnWatched({ folder, command, signal, stderr, user = {} }: Watched): ChildProcess {
  const stdio = ['ignore', 'ignore', stderr, 'pipe'] as const
  const child = spawn('sh', ['-c', WATCHED, 'sh', signal, folder, ...command], {
    ...user,
    cwd: folder,
    stdio: [...stdio],
  })
  const watcher = child.stdio[3] as Writable
  // Dismissed now: at the end of this process the watcher would kill the process that has its id by then.
  child.once('exit', () => watcher.end('\n'))
  watcher.on('error', () => {})
  return child
}
