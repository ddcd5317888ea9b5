import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isFresh, sourceLine } from '@engine/process/launch'
import { type Plugin, rolldown } from 'rolldown'
import { packageFolder, PACKAGES_FILE } from './third-party.ts'

const ROOT = join(import.meta.dirname, '..')

/** The first modules of the programs of each workspace. */
const PROGRAMS = {
  'engine-server': ['main'],
  'platform-server': ['main'],
  'engine-start': ['main'],
  'engine-tools': ['engine'],
} as const

/** `new URL('NAME-thread.ts', import.meta.url)`: the first module of a thread. */
const THREAD = /new URL\('([\w-]+-thread)\.[jt]s', import\.meta\.url\)/g

/** Bundles threads like programs, next to them, where all chunks look for them. */
const threads: Plugin = {
  name: 'threads',
  transform(code, id) {
    return code.replace(THREAD, (found, name: string) => {
      const extension = found.includes('.js') ? 'js' : 'ts'
      this.emitFile({ type: 'chunk', id: join(dirname(id), `${name}.${extension}`), fileName: `${name}.js` })
      return `new URL('${name}.js', import.meta.url)`
    })
  },
}

/** Beyond Latin-1: one such character makes V8 keep the whole file with two bytes a character. */
const WIDE = /[^\0-\xFF]/g

/** A raw template with a wide character, which an escape would change. */
const WIDE_RAW = /\braw`[^`]*[^\0-\xFF`]/

/** Writes wide characters as escapes. Comments are removed before, so that they are in texts, patterns and names only. */
const narrowCharacters: Plugin = {
  name: 'narrow-characters',
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk') continue
      if (WIDE_RAW.test(file.code)) throw new Error(`${file.fileName}: a raw template has characters beyond Latin-1`)
      file.code = file.code.replace(WIDE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    }
  },
}

/**
 * Make one file, and few that are loaded later, of all modules of each program.
 *
 * @param isDue which of them, by the folder of their bundle; without it those whose sources have changed
 */
export async function bundlePrograms(isDue = (folder: URL) => !isFresh(folder)): Promise<void> {
  for (const [app, names] of Object.entries(PROGRAMS)) {
    const folder = join(ROOT, 'apps', app, 'dist/program')
    if (isDue(pathToFileURL(`${folder}/`))) await bundle(app, names, folder)
  }
}

async function bundle(app: string, names: readonly string[], folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  const build = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, join(ROOT, 'apps', app, 'src', `${name}.ts`)])),
    platform: 'node',
    // Of dependencies.
    checks: { eval: false },
    // It reads files next to its own.
    external: ['@electric-sql/pglite'],
    plugins: [threads, narrowCharacters],
  })
  // A program keeps its source in memory. The names of the files stay.
  const comments = { legal: false, annotation: false, jsdoc: false }
  await build.write({ dir: folder, entryFileNames: '[name].js', comments })
  const sources = (await build.watchFiles).map((file) => relative(ROOT, file))
  await build.close()
  const own = sources.filter((file) => !file.includes('node_modules'))
  const others = new Set(sources.filter((file) => file.includes('node_modules')).map(packageFolder))
  writeFileSync(join(folder, PACKAGES_FILE), [...others].map((path) => `${path}\n`).join(''))
  // Written last: without it there is no bundle.
  writeFileSync(join(folder, 'sources.txt'), own.map((file) => `${sourceLine(file)}\n`).join(''))
}

if (import.meta.main) await bundlePrograms()
