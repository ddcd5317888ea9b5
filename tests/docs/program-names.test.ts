import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './page.testing.ts'

/**
 * `npx NAME` installs and runs the registry's package of this name where the repository is not installed. The names of our programs are
 * taken by unrelated packages or still free.
 */
test('no file shows npx with a program of ours without --no-install', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(?:md|ts|tsx|js|mts|sh|json|ya?ml|service)$/.test(file))
    .filter((file) => !/^(?:docs\/specification|tests\/docs\/program-names)/.test(file))
  const found = files.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        /npx (?:-y |--yes )?(?:engine\b|\$\{program\})/.test(line) ? [`${file}:${index + 1}`] : [],
      ),
  )
  expect(files.length).toBeGreaterThan(500)
  expect(found).toEqual([])
})
