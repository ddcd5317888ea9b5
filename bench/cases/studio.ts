import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildStudio } from '../../apps/studio/build/build.ts'
import { table } from '../measure.ts'
import { pages } from './studio-pages.ts'

const SITE = join(import.meta.dirname, '../../apps/studio/dist/site')

/** An entry of the manifest that the bundler writes. */
interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

/** What pages load, in kB after gzip: scripts and styles, without fonts. Then how fast large rulesets are, in Chromium. */
export async function studio(): Promise<void> {
  await buildStudio()
  const chunks = JSON.parse(readFileSync(join(SITE, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>
  const entry = filesOf(chunks, 'index.html')
  const editor = new Set([
    ...entry,
    ...filesOf(chunks, 'src/pages/ruleset.tsx'),
    ...filesOf(chunks, 'src/editor/views/flow.tsx'),
  ])
  const withForms = new Set([...editor, ...filesOf(chunks, 'src/editor/forms/details.tsx')])
  table(
    ['what', 'kB gzip', 'budget'],
    [
      ['entry: sign-in and lists', kilobytes(entry), '200'],
      ['editor as a flow', kilobytes(editor), '380'],
      ['the same with a selected step', kilobytes(withForms), ''],
      ['worker of the editor', kilobytes(workerIn(editor)), '110'],
    ],
  )
  await pages()
}

/** The files of a chunk and of all that it imports. */
function filesOf(chunks: Readonly<Record<string, Chunk>>, name: string, seen = new Set<string>()): ReadonlySet<string> {
  const chunk = chunks[name]
  if (chunk === undefined) throw new Error(`the build has no ${name}`)
  if (seen.has(chunk.file)) return seen
  seen.add(chunk.file)
  for (const file of chunk.css ?? []) seen.add(file)
  for (const other of chunk.imports ?? []) filesOf(chunks, other, seen)
  return seen
}

/** The worker is not a chunk of the manifest: its address stands in the script that starts it, and its parts in itself. */
function workerIn(files: ReadonlySet<string>): ReadonlySet<string> {
  const names = [...files].flatMap((file) => /language\.worker-[\w-]+\.js/.exec(textOf(file))?.[0] ?? [])
  const [name] = names
  if (name === undefined) throw new Error('no script starts the worker')
  const found = new Set([`assets/${name}`])
  for (const file of found)
    for (const [, part] of textOf(file).matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g))
      found.add(`assets/${part}`)
  return found
}

const textOf = (file: string) => readFileSync(join(SITE, file), 'utf8')

function kilobytes(files: ReadonlySet<string>): number {
  const bytes = [...files].map((file) => gzipSync(readFileSync(join(SITE, file)), { level: 9 }).length)
  return bytes.reduce((sum, one) => sum + one, 0) / 1000
}
