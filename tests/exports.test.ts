import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/** Values that no workspace imports yet, by package, and for whom they are. */
const PUBLIC: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '@engine/analysis': {
    CONSTRUCT_TREATMENTS: 'programs show which constructs are modelled',
    FUNCTION_TREATMENTS: 'programs show which functions are modelled',
  },
  '@engine/api': {
    BatchItem: 'part of the schema of a batch',
    DesiredChange: 'part of the schema of answers to heartbeats',
    ERROR_CODES: 'programs tell errors apart by them',
    RecordingRule: 'part of the schema of answers to heartbeats',
    RecordingRules: 'part of the schema of answers to heartbeats',
    RulesetSummary: 'part of the schema of a list',
    Trace: 'part of the schema of an execution',
  },
  '@engine/authoring': {
    insertOnEdge: 'an edit of the studio',
    renameCode: 'an edit of the studio',
    renameVariable: 'an edit of the studio',
    reorder: 'an edit of the studio',
  },
  '@engine/client': {
    ClientError: 'programs tell failures apart by it',
    createClient: 'the entry of the package, for programs',
  },
  '@engine/engine-server': { runServer: 'host programs start the server with capabilities of their own' },
  '@engine/engine': {
    createEngine: 'the entry of the package, for programs',
    NoRulesetError: 'an error that programs handle',
    RulesetProblems: 'an error that programs handle',
    WaitingRuleError: 'an error that programs handle',
  },
  '@engine/expression': {
    typeOf: 'editors state the types of fields, which `check` takes',
  },
  '@engine/filter': { createDecisionSql: 'the query at once, for programs that serve nothing else meanwhile' },
  '@engine/receipts': {
    pathOf: 'programs verify parts of a log by themselves',
    rootByPath: 'programs verify parts of a log by themselves',
  },
  '@engine/ruleset': {
    cycles: 'analysis of the step graph in editors',
    reachable: 'analysis of the step graph in editors',
  },
  '@engine/signing': { decodeBinary: 'the counterpart of `encodeBinary`' },
}

/** Names of the values that a module exports, those of `export *` included. */
function valuesOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8')
  const inner = [...text.matchAll(/^export \* from '(\.[^']+)'/gm)].flatMap(([, path = '']) =>
    valuesOf(join(dirname(file), path)),
  )
  const named = [...text.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, list = '']) => namesIn(list))
  const spaces = [...text.matchAll(/^export \* as (\w+)/gm)].map(([, name = '']) => name)
  const declared = [
    ...text.matchAll(/^export (?:const|class|abstract class|async function|function)\s?\*? ?(\w+)/gm),
  ].map(([, name = '']) => name)
  return [...inner, ...named, ...spaces, ...declared]
}

/** The values in a list of imports or exports: `type` and `@internal` ones are omitted, new names of `as` taken. */
function namesIn(list: string): readonly string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && !entry.startsWith('type '))
    .map((entry) => entry.split(/\s+as\s+/).at(-1) ?? entry)
}

const WORKSPACES = ['packages', 'apps'].flatMap((parent) =>
  readdirSync(join(root, parent)).map((name) => join(parent, name)),
)

/** Sources that ship, and the programs in `bench`, `examples` and `deploy`: a test alone makes nothing public. */
const sources = [...WORKSPACES.map((workspace) => join(workspace, 'src')), 'bench', 'examples', 'deploy'].flatMap(
  (folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !/node_modules|\bdist\b|\.test\.ts$/.test(path))
      .map((path) => join(folder, path)),
)

/** Names that other workspaces import from a package. */
function importedFrom(name: string, folder: string): ReadonlySet<string> {
  const importing = new RegExp(`import \\{([^}]*)\\} from '${name}(?:/core)?'`, 'g')
  const exporting = new RegExp(`export \\{([^}]*)\\} from '${name}(?:/core)?'`, 'g')
  const found = new Set<string>()
  for (const path of sources) {
    if (path.startsWith(folder + sep)) continue
    const text = readFileSync(join(root, path), 'utf8')
    for (const pattern of [importing, exporting])
      for (const [, list = ''] of text.matchAll(pattern))
        for (const entry of list.split(',')) found.add(entry.trim().split(/\s+as\s+/)[0] ?? '')
  }
  return found
}

const packages = WORKSPACES.filter((workspace) => existsSync(join(root, workspace, 'src', 'index.ts')))

test.each(packages)('every value that %s exports is used by another workspace, or public for a reason', (folder) => {
  const { name } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as { name: string }
  const exported = valuesOf(join(root, folder, 'src', 'index.ts'))
  expect(exported.length).toBeGreaterThan(0)
  const imported = importedFrom(name, folder)
  const unused = exported.filter((value) => !imported.has(value))
  expect(unused.sort()).toEqual(Object.keys(PUBLIC[name] ?? {}).sort())
})
