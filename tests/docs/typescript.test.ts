import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../http/server.testing.ts'
import { blocksOf, ROOT } from './page.testing.ts'

/** The TypeScript of the packages' pages runs as it stands. `value // expected` is held to what it says. */

const directory = mkdtempSync(join(tmpdir(), 'engine-docs-ts-'))
let server: TestServer

beforeAll(async () => {
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
  server = await startServer('--seed-dir', join(ROOT, 'examples'))
  const limit = { code: 'APPROVED', message: '', output: [['limit', 'amount * 2']] }
  const start = { id: 'start', type: 'terminal', result: limit }
  await server.post('/api/v1/rulesets', { config: { name: 'credit-limit' }, steps: { start } })
})
afterAll(async () => {
  await server.stop()
  rmSync(directory, { recursive: true })
})

/** The ruleset of the README, which the page of `@engine/ruleset` reads from `text`. */
const readme = blocksOf('README.md').find(({ text }) => text.includes('adult-check'))?.text ?? ''
const ADULT = /-d '(\{[^]*?\n\})'/.exec(readme)?.[1] ?? ''

const PROGRAMS = [
  { page: 'packages/expression/README.md', before: '' },
  { page: 'packages/ruleset/README.md', before: `const text = ${JSON.stringify(ADULT)}\n` },
  { page: 'packages/client/README.md', before: '' },
  { page: 'docs/client.md', before: '' },
]

test.each(PROGRAMS)('$page', async ({ page, before }) => {
  const [block] = blocksOf(page).filter(({ language }) => language === 'ts')
  const checks = block?.text.match(/^\S.* \/\/ .*$/gm) ?? []
  expect(checks.length).toBeGreaterThan(0)
  const program = (block?.text ?? '')
    .replaceAll(/^(\S.*) \/\/ (.*)$/gm, 'same($1, $2)')
    .replaceAll('http://127.0.0.1:8080', server.url)
    .replaceAll('/var/cache/engine', join(directory, 'cache'))
  const file = join(directory, `${page.replaceAll(/\W/g, '-')}.ts`)
  writeFileSync(file, `import { deepEqual as same } from 'node:assert/strict'\n${before}${program}`)
  await promisify(execFile)(join(ROOT, 'node_modules/.bin/node'), [file])
})
