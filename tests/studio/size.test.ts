import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { buildOnce, SITE } from './build.testing.ts'

/** A file of the build, with the files that it imports. */
interface Chunk {
  readonly file: string
  readonly isEntry?: boolean
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

/** The scripts and styles that a browser fetches before a page is shown, in kilobytes as sent. */
const BUDGETS = [
  { page: 'the first page', parts: [], most: 200 },
  { page: 'the releases', parts: ['src/pages/releases.tsx'], most: 200 },
  { page: 'a release', parts: ['src/pages/release.tsx'], most: 200 },
  { page: 'the members', parts: ['src/pages/members.tsx'], most: 200 },
  { page: 'the editor', parts: ['src/pages/ruleset.tsx', 'src/editor/views/flow.tsx'], most: 340 },
]
const MAX_WORKER_SIZE = 112

const sizeOf = (file: string): number => statSync(join(SITE, `${file}.gz`)).size / 1000

let chunks: Readonly<Record<string, Chunk>>
beforeAll(async () => {
  await buildOnce()
  chunks = JSON.parse(readFileSync(join(SITE, '.vite/manifest.json'), 'utf8')) as typeof chunks
})

/** All files that chunks need, directly or through others. */
function filesOf(names: readonly string[]): ReadonlySet<string> {
  const files = new Set<string>()
  const waiting = [...names]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const chunk = chunks[name]
    if (chunk === undefined) throw new Error(`the build has no \`${name}\``)
    if (files.has(chunk.file)) continue
    files.add(chunk.file)
    for (const style of chunk.css ?? []) files.add(style)
    waiting.push(...(chunk.imports ?? []))
  }
  return files
}

test.each(BUDGETS)('$page takes at most $most kB', ({ parts, most }) => {
  const entries = Object.keys(chunks).filter((name) => chunks[name]?.isEntry === true)
  const size = [...filesOf([...entries, ...parts])].reduce((sum, file) => sum + sizeOf(file), 0)
  expect(size).toBeGreaterThan(most / 2)
  expect(size).toBeLessThanOrEqual(most)
})

/** A file of the worker, with those that it imports before it starts: the manifest has none of them. */
function filesOfWorker(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found
  found.add(name)
  const text = readFileSync(join(SITE, 'assets', name), 'utf8')
  for (const [, next = ''] of text.matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)) filesOfWorker(next, found)
  return found
}

test(`the worker takes at most ${MAX_WORKER_SIZE} kB`, () => {
  const workers = readdirSync(join(SITE, 'assets')).filter((name) => /^language\.worker.*\.js$/.test(name))
  expect(workers).toHaveLength(1)
  const size = [...filesOfWorker(workers[0] ?? '')].reduce((sum, name) => sum + sizeOf(`assets/${name}`), 0)
  expect(size).toBeGreaterThan(MAX_WORKER_SIZE / 2)
  expect(size).toBeLessThanOrEqual(MAX_WORKER_SIZE)
})
