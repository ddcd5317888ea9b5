// Plain JavaScript on purpose: an older Node must be able to read this file and say what is wrong.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const WANTED = 26
/** Of the repository. */
const ROOT = new URL('../../', import.meta.url)

/**
 * Run a program, or say that this Node is too old for it.
 *
 * What `npm ci` has bundled of it starts in less than half of the time of its sources: one file instead of a thousand. It is
 * run as long as none of the sources has changed since.
 *
 * @param {string} program as its user calls it
 * @param {string} app the folder of its workspace
 * @param {string} name of its first module in `src`
 * @param {number} status with which a process ends whose Node is too old
 */
export async function launch(program, app, name, status) {
  const major = Number(process.versions.node.split('.')[0])
  if (major < WANTED) {
    process.stderr.write(
      `${program} needs Node ${WANTED} or later, this is ${process.versions.node}. ` +
        `Run it through npm (\`npx --no-install ${program}\`), which uses the Node that \`npm ci\` installed.\n`,
    )
    process.exit(status)
  }
  // What was compiled once is not compiled again at the next start: a third of its time. Beside the code, where only those can
  // write who can change the code as well; a folder that everybody shares would let others put their code into the cache.
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(fileURLToPath(new URL('node_modules/.cache/compiled', ROOT)))
  const bundled = new URL(`apps/${app}/dist/program/`, ROOT)
  await import(isFresh(bundled) ? new URL(`${name}.js`, bundled) : new URL(`apps/${app}/src/${name}.ts`, ROOT))
}

/**
 * Whether a bundle was made of the sources as they are.
 *
 * @param {URL} bundled its folder, with the list of its sources: size, second of the last change and path of each
 */
export function isFresh(bundled) {
  const list = new URL('sources.txt', bundled)
  if (!existsSync(list)) return false
  return readFileSync(list, 'utf8')
    .trimEnd()
    .split('\n')
    .every((line) => line === sourceLine(line.slice(line.indexOf('\t') + 1)))
}

/** @param {string} path from the root of the repository */
export function sourceLine(path) {
  const stat = statSync(new URL(path, ROOT), { throwIfNoEntry: false })
  return `${stat?.size} ${Math.floor((stat?.mtimeMs ?? 0) / 1000)}\t${path}`
}
