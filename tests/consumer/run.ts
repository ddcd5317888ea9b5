import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pack } from '../../build/pack.ts'
import { runChecks } from '../checks.testing.ts'
import { BROWSER } from './browser.ts'
import { LIBRARY_CHECKS } from './libraries.ts'
import { PROGRAM_CHECKS } from './programs.ts'
import { Project } from './project.ts'
import { TARBALLS } from './tarballs.ts'

/**
 * Packs the public packages, installs them into empty projects, and uses them there as their users do. It prints a line for each check.
 * `npm run test:consumer node` runs the checks whose names contain `node`; `MINUTES=5` limits the time of the run. Other
 * projects' tools come from the registry; their checks are left out when it cannot be reached.
 */
const tarballs = await pack()
const folder = mkdtempSync(join(tmpdir(), 'engine-consumer-'))
const project = (name: string) => new Project(join(folder, name), tarballs)
const all = {
  tarballs,
  libraries: project('libraries'),
  programs: project('programs'),
  tools: project('tools'),
}
try {
  const checks = [...TARBALLS, ...LIBRARY_CHECKS, ...BROWSER, ...PROGRAM_CHECKS]
  // One at a time: they share the projects.
  await runChecks(
    checks.map(({ name, run }) => ({ name, run: () => run(all) })),
    process.argv.slice(2),
    1,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
