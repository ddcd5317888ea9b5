import { readdirSync, readFileSync, statSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { SCOPE } from '../../build/scope.ts'
import { run } from '../clients/command.ts'
import { prepareLibraries } from './libraries.ts'
import type { ConsumerCheck, Projects } from './project.ts'

/** Bytes, with gzip, of a page that decides without patterns, networks, hashes, versions and times. */
const MAX_CORE = 60_000

/** Decides once and prints the result code: no platform but the language is needed. */
const program = (entry: string) => `import { createEngine } from '${SCOPE}/${entry}'
const end = { id: 'end', type: 'terminal', result: { code: 'OK', message: '' } }
const engine = createEngine({ rulesets: [{ config: { name: 'hello', entry_step: 'end' }, steps: { end } }] })
console.log(engine.decideSync('hello', {}).code)
`

/** Runs a bundle. */
async function decides(file: string, most = Infinity): Promise<string> {
  const printed = await run(process.execPath, [file])
  if (printed !== 'OK\n') throw new Error(`the bundle printed ${printed}`)
  const bytes = gzipSync(readFileSync(file), { level: 9 }).length
  if (bytes > most) throw new Error(`${bytes} bytes with gzip, more than ${most}`)
  return `decides; ${statSync(file).size} bytes, ${bytes} with gzip`
}

async function prepare(projects: Projects): Promise<void> {
  await prepareLibraries(projects)
  projects.libraries.write('page/main.js', program('engine'))
  projects.libraries.write('page/core.js', program('engine/core'))
  projects.libraries.write('page/index.html', '<script type="module" src="./main.js"></script>')
}

/** Bundles for a page. */
export const BROWSER: readonly ConsumerCheck[] = [
  {
    name: 'esbuild',
    async run(projects) {
      const { libraries, tools } = projects
      await tools.install('esbuild')
      await prepare(projects)
      const options = ['--bundle', '--minify', '--format=esm', '--platform=browser', '--target=es2022']
      const bundle = async (name: string, most?: number) => {
        const args = [`page/${name}.js`, ...options, `--outfile=page/esbuild-${name}.js`, '--log-level=warning']
        await run(tools.bin('esbuild'), args, { cwd: libraries.folder })
        return decides(libraries.path(`page/esbuild-${name}.js`), most)
      }
      return `${await bundle('main')}; the core ${await bundle('core', MAX_CORE)}`
    },
  },
  {
    name: 'vite',
    async run(projects) {
      const { libraries, tools } = projects
      await tools.install('vite@8.3.8')
      await prepare(projects)
      // The polyfill needs a document; the bundle runs in Node here.
      libraries.write('page/vite.config.js', 'export default { build: { modulePreload: { polyfill: false } } }\n')
      await run(tools.bin('vite'), ['build', 'page', '--logLevel', 'warn'], { cwd: libraries.folder })
      const assets = libraries.path('page/dist/assets')
      const [file = ''] = readdirSync(assets).filter((name) => name.endsWith('.js'))
      return decides(`${assets}/${file}`)
    },
  },
]
