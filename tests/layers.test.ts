import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { expect, test } from 'vitest'

/**
 * ARCHITECTURE.md has one table of the dependencies of workspaces. It must equal the package.json files, so that neither can
 * drift.
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

/** Folders whose folders are separate rooms, with everything below them. */
const HOUSES: Readonly<Record<string, string>> = {
  'apps/platform-server': 'features',
  'apps/studio': 'editor',
}

/** The room of a source: its first folder, or `features/<name>`; a file at the root of the sources is a separate room. */
function roomOf(workspace: string, file: string): string {
  const [first = file, second = '', ...below] = file.split(sep)
  return first === HOUSES[workspace] && below.length > 0 ? `${first}/${second}` : first
}

interface Import {
  readonly from: string
  readonly to: string
}

/** The imports of a workspace that lead from one room to another, as files below its sources; types count. */
function importsBetweenRooms(workspace: string): readonly Import[] {
  const sources = join(root, workspace, 'src')
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => /(?<!\.test|\.testing)\.tsx?$/.test(file))
    .flatMap((from) => {
      const text = readFileSync(join(sources, from), 'utf8')
      const paths = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
      return Array.from(paths, ([, path = '']) => ({ from, to: relative(sources, join(sources, dirname(from), path)) }))
    })
    .filter(({ from, to }) => roomOf(workspace, from) !== roomOf(workspace, to))
}

/** The shortest way from a room back to it, as its imports; undefined when there is none. Costs the number of imports. */
function cycleFrom(
  start: string,
  graph: ReadonlyMap<string, ReadonlyMap<string, Import>>,
): readonly string[] | undefined {
  const ways = new Map<string, readonly string[]>([[start, []]])
  for (const [at, way] of ways)
    for (const [next, { from, to }] of graph.get(at) ?? []) {
      const longer = [...way, `${from} imports ${to}`]
      if (next === start) return longer
      if (!ways.has(next)) ways.set(next, longer)
    }
  return undefined
}

test.each([
  'apps/engine-server',
  'apps/engine-tools',
  'apps/platform-server',
  'apps/studio',
  'packages/analysis',
  'packages/api',
  'packages/authoring',
  'packages/canary',
  'packages/client',
  'packages/egress',
  'packages/expression',
  'packages/filter',
  'packages/grpc-server',
  'packages/http-api',
  'packages/http-server',
  'packages/interchange',
  'packages/process',
  'packages/receipts',
  'packages/rule-file',
  'packages/ruleset',
  'packages/signing',
])('no folder of %s imports one that imports it back', (workspace) => {
  const graph = new Map<string, Map<string, Import>>()
  for (const one of importsBetweenRooms(workspace)) {
    const [from, to] = [roomOf(workspace, one.from), roomOf(workspace, one.to)]
    graph.getOrInsertComputed(from, () => new Map<string, Import>()).set(to, one)
  }
  expect(graph.size).toBeGreaterThan(1)
  const cycles = Array.from(graph.keys(), (room) => cycleFrom(room, graph)).filter((cycle) => cycle !== undefined)
  expect(cycles.toSorted((left, right) => left.length - right.length)).toEqual([])
})

test('the features of the platform are one level of folders, but for the rollback of a rollout', () => {
  const folders = readdirSync(join(root, 'apps', 'platform-server', 'src', 'features'), {
    recursive: true,
    withFileTypes: true,
  })
  const nested = folders
    .filter((entry) => entry.isDirectory() && !entry.parentPath.endsWith('features'))
    .map((entry) => entry.name)
  expect(nested).toEqual(['rollback'])
})

test('the adapter of gRPC has at most 600 lines of code', () => {
  const folder = join(root, 'packages', 'grpc-server', 'src')
  const files = readdirSync(folder).filter((file) => /(?<!\.test)\.ts$/.test(file))
  const lines = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
  expect(lines.filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)).length).toBeLessThanOrEqual(600)
})
