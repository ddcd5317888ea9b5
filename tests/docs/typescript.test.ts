import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../http/server.testing.ts'
import { blocksOf, ROOT } from './page.testing.ts'

/** The TypeScript of the packages' pages runs unchanged. `value // expected` is checked. */

const directory = mkdtempSync(join(tmpdir(), 'engine-docs-ts-'))
let server: TestServer

beforeAll(async () => {
  for (const name of ['node_modules', 'examples']) symlinkSync(join(ROOT, name), join(directory, name))
  server = await startServer('--seed-dir', join(ROOT, 'examples'))
  const limit = { code: 'APPROVED', message: '', output: [['limit', 'amount * 2']] }
  const start = { id: 'start', type: 'terminal', result: limit }
  await server.post('/api/v1/rulesets', { config: { name: 'credit-limit' }, steps: { start } })
})
afterAll(async () => {
  await server.stop()
  rmSync(directory, { recursive: true })
})

/** The ruleset of the first page, which the page of `@engine/ruleset` reads from `text`. */
const firstPage = blocksOf('docs/getting-started.md').find(({ text }) => text.includes('adult-check'))?.text ?? ''
const ADULT = /-d '(\{[^]*?\n\})'/.exec(firstPage)?.[1] ?? ''

const PROGRAMS: readonly { page: string; before?: string; after?: string; block?: number }[] = [
  { page: 'packages/expression/README.md' },
  { page: 'packages/ruleset/README.md', before: `const text = ${JSON.stringify(ADULT)}\n` },
  { page: 'packages/engine/README.md' },
  { page: 'docs/get-started/developer.md' },
  { page: 'docs/get-started/developer.md', block: 1 },
  { page: 'packages/filter/README.md' },
  { page: 'packages/signing/README.md' },
  { page: 'packages/api/README.md' },
  { page: 'packages/client/README.md' },
  { page: 'docs/client.md' },
  {
    page: 'docs/capabilities.md',
    before: 'const others = {}, scoreOf = async (id) => id * 100\n',
    after:
      "(await scores.call({ payload: { id: 7 } })).payload // 700\nhost.capabilities.get('team.scores') // scores\n",
  },
]

test.each(PROGRAMS)('$page', async ({ page, before = '', after = '', block = 0 }) => {
  const text = (blocksOf(page).filter(({ language }) => language === 'ts')[block]?.text ?? '') + after
  const checks = text.match(/^\S.* \/\/ .*$/gm) ?? []
  expect(checks.length).toBeGreaterThan(0)
  const program = text
    .replaceAll(/^(\S.*) \/\/ (.*)$/gm, 'same($1, $2)')
    .replaceAll('http://127.0.0.1:8080', server.url)
    // The limit of the page is for an idle machine.
    .replaceAll('timeoutMs: 500', 'timeoutMs: 60_000')
    .replaceAll('/var/cache/engine', join(directory, 'cache'))
  const file = join(directory, `${page.replaceAll(/\W/g, '-')}-${block}.ts`)
  writeFileSync(file, `import { deepEqual as same } from 'node:assert/strict'\n${before}${program}`)
  await promisify(execFile)(join(ROOT, 'node_modules/.bin/node'), [file], { cwd: directory })
})
