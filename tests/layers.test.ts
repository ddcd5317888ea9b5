import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/**
 * ARCHITECTURE.md says in one table which workspace may depend on which. This holds the table to the package.json
 * files, and these to the table, so that neither can drift.
 */
const root = join(import.meta.dirname, '..')

function layerTable(): Map<string, string[]> {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const rows = text.matchAll(/^\| `(@engine\/[a-z-]+)` \| ([^|]*)\|/gm)
  return new Map(
    [...rows].map(([, name = '', targets = '']) => [
      name,
      [...targets.matchAll(/`(@engine\/[a-z-]+)`/g)].map(([, target = '']) => target).sort(),
    ]),
  )
}

interface Manifest {
  readonly name: string
  readonly dependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
}

function manifests(): Map<string, string[]> {
  const folders = ['packages', 'apps'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((child) => join(parent, child)),
  )
  return new Map(
    [...folders, 'bench', 'examples'].map((folder) => {
      const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest
      const all = { ...manifest.dependencies, ...manifest.devDependencies }
      return [
        manifest.name,
        Object.keys(all)
          .filter((name) => name.startsWith('@engine/'))
          .sort(),
      ]
    }),
  )
}

test('the layer table of ARCHITECTURE.md is what the package.json files declare', () => {
  const table = layerTable()
  expect(table.size).toBeGreaterThan(0)
  expect(Object.fromEntries(table)).toEqual(Object.fromEntries(manifests()))
})

test('no package depends on an app', () => {
  for (const [name, targets] of manifests()) expect(targets, name).not.toContain('@engine/engine-server')
})
