// Takes the place of `@engine/process/launch` in packages. Plain JavaScript on purpose: an older Node must be able to read it.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

const WANTED = 26

/**
 * Run the bundled program of this package, or report that this Node is too old for it.
 *
 * @param {string} program as its user calls it
 * @param {string} _app its folder in the repository
 * @param {string} name of its first module
 * @param {number} status with which a process ends whose Node is too old
 */
export async function launch(program, _app, name, status) {
  if (Number(process.versions.node.split('.')[0]) < WANTED) {
    process.stderr.write(`${program} needs Node ${WANTED} or later, this is ${process.versions.node}\n`)
    process.exit(status)
  }
  // In the package's own folder: a folder that everybody shares would let others put their code into the cache.
  enableCompileCache(fileURLToPath(new URL('../.cache', import.meta.url)))
  await import(`../dist/program/${name}.js`)
}
