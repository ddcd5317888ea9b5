import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
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

/** All workspaces that one depends on, directly or by another. */
function closureOf(name: string, graph: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set(graph.get(name) ?? [])
  for (const one of found) for (const next of graph.get(one) ?? []) found.add(next)
  return found
}

test.each([
  ['@engine/process', ['@engine/expression']],
  ['@engine/http-server', ['@engine/expression', '@engine/process']],
  ['@engine/http-api', ['@engine/expression', '@engine/http-server', '@engine/process']],
  ['@engine/grpc-server', ['@engine/expression', '@engine/http-server', '@engine/process']],
])('what servers share knows nothing of rulesets: %s', (name, allowed) => {
  expect([...closureOf(name, manifests())].sort()).toEqual(allowed)
})

/** The folders of a workspace that import each other; a file at the root of its sources counts as a folder of its own. */
function importsOf(sources: string): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>()
  const roomOf = (file: string) => (dirname(file) === '.' ? file : (file.split(sep)[0] ?? file))
  for (const file of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
    if (!/(?<!\.test|\.testing)\.ts$/.test(file)) continue
    const text = readFileSync(join(sources, file), 'utf8')
    const from = roomOf(file)
    const targets = graph.get(from) ?? new Set()
    for (const [, path = ''] of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
      const to = roomOf(relative(sources, join(sources, dirname(file), path)))
      if (to !== from) targets.add(to)
    }
    graph.set(from, targets)
  }
  return graph
}

/** A way from a folder back to it, as the folders on it; undefined: there is none. In the number of imports. */
function cycleFrom(start: string, graph: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] | undefined {
  const ways = new Map<string, readonly string[]>([[start, [start]]])
  for (const [at, way] of ways)
    for (const next of graph.get(at) ?? []) {
      if (next === start) return [...way, start]
      if (!ways.has(next)) ways.set(next, [...way, next])
    }
  return undefined
}

test.each([
  'apps/engine-server',
  'apps/engine-tools',
  'apps/platform-server',
  'packages/http-server',
  'packages/process',
])('no folder of %s imports one that imports it back', (workspace) => {
  const graph = importsOf(join(root, workspace, 'src'))
  expect(graph.size).toBeGreaterThan(1)
  expect(Array.from(graph.keys(), (folder) => cycleFrom(folder, graph)).filter((cycle) => cycle !== undefined)).toEqual(
    [],
  )
})

test('the adapter of gRPC has at most 600 lines of code', () => {
  const folder = join(root, 'packages', 'grpc-server', 'src')
  const files = readdirSync(folder).filter((file) => /(?<!\.test)\.ts$/.test(file))
  const lines = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
  expect(lines.filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)).length).toBeLessThanOrEqual(600)
})
