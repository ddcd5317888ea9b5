import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { buildStudio } from '../../apps/studio/build/build.ts'

const ROOT = join(import.meta.dirname, '../..')
const STUDIO = join(ROOT, 'apps/studio')
/** The pages as they are served. */
export const SITE = join(STUDIO, 'dist/site')

/** When the newest file of a folder was changed, in epoch milliseconds. */
function newest(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  return Math.max(0, ...files.map((file) => statSync(file).mtimeMs))
}

/** Milliseconds after which a lock is considered abandoned: a build takes seconds. */
const STALE_MS = 60_000

/** Build changed sources. Test files run in parallel: the first one builds, the others wait for it. */
export async function buildOnce(): Promise<void> {
  const page = join(SITE, 'index.html')
  const parts = [
    join(STUDIO, 'src'),
    ...['expression', 'ruleset', 'authoring', 'interchange'].map((name) => join(ROOT, 'packages', name, 'src')),
  ]
  const sources = Math.max(...parts.map(newest))
  const isFresh = () => existsSync(page) && statSync(page).mtimeMs >= sources
  // Not in the temporary folder, which each run of the tests has for itself.
  const lock = join(ROOT, 'node_modules/.cache/studio-build')
  mkdirSync(dirname(lock), { recursive: true })
  for (;;) {
    if (isFresh() && !existsSync(lock)) return
    try {
      mkdirSync(lock)
    } catch {
      // A process that was killed while it built has left its lock.
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
      if (Date.now() - since > STALE_MS) rmSync(lock, { recursive: true, force: true })
      await delay(100)
      continue
    }
    try {
      if (!isFresh()) await buildStudio()
    } finally {
      rmSync(lock, { recursive: true, force: true })
    }
  }
}
