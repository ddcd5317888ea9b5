import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

/**
 * Installs it where the system's package manager may: one of the test files that start together does, the others wait for it.
 * Servers that do not answer are given up soon.
 */
const INSTALL = `command -v chromium > /dev/null || {
  options='-o Acquire::Retries=0 -o Acquire::http::Timeout=20 -o DPkg::Lock::Timeout=60'
  apt-get $options update && apt-get $options install --yes --no-install-recommends chromium
}`
const INSTALL_LIMIT_MS = 300_000

/** The browser of the system: `CHROMIUM`, else one of the usual names, else it is installed; undefined: there is none. */
function findChromium(): string | undefined {
  const found = process.env['CHROMIUM'] ?? onPath()
  if (found !== undefined) return found
  try {
    const lock = join(tmpdir(), 'studio-chromium.lock')
    execFileSync('flock', [lock, 'sh', '-c', INSTALL], { stdio: 'ignore', timeout: INSTALL_LIMIT_MS })
  } catch {
    console.warn(
      '\nTHE TESTS OF THE STUDIO ARE SKIPPED: no Chromium was found, nor could it be installed. Set CHROMIUM to its path.\n',
    )
    return undefined
  }
  return onPath()
}

const onPath = () =>
  (process.env['PATH'] ?? '')
    .split(':')
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((file) => existsSync(file))

/** Without a browser the stories are skipped, with a prominent message. */
export const CHROMIUM = findChromium()
