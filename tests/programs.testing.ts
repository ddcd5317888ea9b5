import { execFile, execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** The repository's root: where `npx --no-install engine sign` and the others run. */
const ROOT = join(import.meta.dirname, '..')
const BIN = join(ROOT, 'node_modules/.bin')

/** The exit and the output of a program. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Run one of our command line tools in a directory until it exits. */
export function runTool(name: string, args: readonly string[], cwd: string): Promise<Ended> {
  const env = { PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}`, TMPDIR: tmpdir() }
  return new Promise((resolve) => {
    execFile(join(BIN, name), [...args], { cwd, env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr })
    })
  })
}

/** The path of a program of the system; installs its Debian package when it is missing. */
export function systemProgram(name: string, debianPackage = name): string {
  // Debian keeps servers where the PATH of ordinary users does not look.
  const find = `PATH="$PATH:/usr/sbin:/usr/local/sbin"; command -v ${name} || true`
  const found = () => execFileSync('sh', ['-c', find], { encoding: 'utf8' }).trim()
  if (found() === '')
    // Test files run side by side, and only one at a time may install.
    execFileSync(
      'apt-get',
      ['-o', 'DPkg::Lock::Timeout=120', 'install', '--yes', '--no-install-recommends', debianPackage],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
  return found()
}
