import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * A file of a package by its path relative to the package: works for sources and bundles.
 *
 * @param module a module of the package: its `import.meta.url`
 */
export function packageFile(module: string, path: string): string {
  return join(dirname(findPackageJSON(module) ?? ''), path)
}
