import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * A file of a package by its path from the folder of the package: the same for its sources and for what is bundled of them.
 *
 * @param module the address of a module of the package: its `import.meta.url`
 */
export function packageFile(module: string, path: string): string {
  return join(dirname(findPackageJSON(module) ?? ''), path)
}
