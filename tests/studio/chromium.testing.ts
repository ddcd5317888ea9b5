import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** Those without windows come first: the same pages cost them 70 % of the processor time. */
const NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
]

/**
 * Installs it where the system's package manager may: one of the test files that start together does, the others wait for it.
 * Servers that do not answer are given up soon.
 */
const INSTALL = `command -v chromium-headless-shell > /dev/null || command -v chromium > /dev/null || {
  options='-o Acquire::Retries=0 -o Acquire::http::Timeout=20 -o DPkg::Lock::Timeout=60'
  install="apt-get $options install --yes --no-install-recommends"
  apt-get $options update && { $install chromium-headless-shell || $install chromium; }
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

function onPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':')
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file))
}

/** Without a browser the stories are skipped, with a prominent message. */
export const CHROMIUM = findChromium()

let shared: Promise<Browser> | undefined

/** The browser that all tests of this process share, each with its own contexts. It ends with the process. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launch()
  return shared
}

async function launch(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] })
  // One that crashed fails its test, and no other.
  browser.on('disconnected', () => (shared = undefined))
  return browser
}
