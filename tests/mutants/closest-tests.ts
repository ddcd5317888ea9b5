import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** How sources import one another: the modules that import each module, by path from the root of the repository. */
export type Importers = ReadonlyMap<string, readonly string[]>

const IMPORT =
  /(?:^|[\s;])(?:import|export)\b[^'"`;]*?from\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'|new URL\('(\.[^']+\.ts)'/g

/**
 * @param files paths from `root`
 * @param packages the entry module of each package of the workspace, by its name
 */
export function readImporters(
  root: string,
  files: readonly string[],
  packages: ReadonlyMap<string, string>,
): Importers {
  const importers = new Map<string, string[]>()
  for (const file of files)
    for (const [, ...specifiers] of readFileSync(join(root, file), 'utf8').matchAll(IMPORT)) {
      const specifier = specifiers.find((one) => one !== undefined) ?? ''
      const imported = specifier.startsWith('.') ? join(dirname(file), specifier) : packages.get(specifier)
      if (imported !== undefined) importers.set(imported, [...(importers.get(imported) ?? []), file])
    }
  return importers
}

/**
 * Test files that execute a source, the closest first: the one of its own name, those of its folder, then by the number of
 * imports between. Takes time linear in the number of imports.
 */
export function closestTests(source: string, importers: Importers): readonly string[] {
  const distances = new Map([[source, 0]])
  const queue = [source]
  for (let at = 0; at < queue.length; at++) {
    const file = queue[at] ?? ''
    for (const importer of importers.get(file) ?? [])
      if (!distances.has(importer)) {
        distances.set(importer, (distances.get(file) ?? 0) + 1)
        queue.push(importer)
      }
  }
  const stem = basename(source).replace(/\.tsx?$/, '')
  const rank = (test: string) => {
    if (test === join(dirname(source), `${stem}.test.ts`)) return 0
    if (dirname(test) === dirname(source)) return (distances.get(test) ?? 0) / 1000
    return distances.get(test) ?? 0
  }
  return queue.filter((file) => /\.test\.tsx?$/.test(file)).toSorted((left, right) => rank(left) - rank(right))
}
