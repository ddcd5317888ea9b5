import assert from 'node:assert/strict'
import { cpSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Check } from '../check.ts'
import { run } from '../command.ts'
import { type Server, withServer } from '../server.ts'
import { go, goProgram, javaLibraries, npmPackages, openApiGenerator, pythonPrograms } from '../tools.ts'

export const PROGRAMS = join(import.meta.dirname, 'programs')
const RULESET = join(import.meta.dirname, 'ruleset.json')

/** What the description of a server with the default options becomes at most: the client of oapi-codegen, in lines. */
const MAX_LINES = 11_500

/** A program that uses a generated client: its output is `{"ruleset": …, "code": …, "filter": …}`. */
type Program = (url: string, ruleset: string) => Promise<string>

/** What a generator of clients gets, and where its client goes. */
export interface Generation {
  /** The OpenAPI document. */
  readonly document: string
  /** An empty folder. */
  readonly folder: string
}

/**
 * Generates a client, compiles a program that uses it, and runs that: it stores two rulesets, reads one back, executes it and
 * makes a filter of it. What was read must be what the file has, also the fields that have no meaning to the server.
 */
const generated = (name: string, generate: (given: Generation) => Promise<readonly [Program, string]>): Check => ({
  name: `generated: ${name}`,
  run: () =>
    withServer(
      () => [],
      async (server) => {
        const folder = join(server.folder, 'client')
        mkdirSync(folder)
        const document = join(server.folder, 'openapi.json')
        writeFileSync(document, await (await fetch(`${server.url}/api/v1/openapi.json`)).text())
        const [program, seen] = await generate({ document, folder })
        const output: unknown = JSON.parse(await program(server.url, RULESET))
        assert.deepEqual(withoutAbsent(output), withoutAbsent(await expected(server)))
        return `${seen}compiles, stores, reads back whole, executes, filters`
      },
    ),
})

/** The same by `fetch`, after the program has stored its rulesets. */
async function expected({ url }: Server): Promise<unknown> {
  const body = '{"known_input": {}, "target_results": ["ADULT"]}'
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/api/v1/rulesets/made-by-a-client/filter`, { method: 'POST', headers, body })
  const { filter } = JSON.parse(await response.text()) as { readonly filter: unknown }
  assert.equal(typeof filter, 'string')
  return { ruleset: JSON.parse(readFileSync(RULESET, 'utf8')), code: 'ADULT', filter }
}

/** A value without members that are null or empty: clients send these for what their caller has left out. */
function withoutAbsent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAbsent)
  if (typeof value !== 'object' || value === null) return value
  const isAbsent = (member: unknown) =>
    member === null || (typeof member === 'object' && Object.keys(member).length === 0)
  const present = Object.entries(value).filter(([, member]) => !isAbsent(member))
  return Object.fromEntries(present.map(([name, member]) => [name, withoutAbsent(member)]))
}

/** A program in Go, compiled with the client in `<folder>/engine`. */
async function goClient(folder: string, program: string): Promise<Program> {
  for (const file of ['go.mod', 'go.sum']) copyFileSync(join(PROGRAMS, 'go', file), join(folder, file))
  copyFileSync(join(PROGRAMS, 'go', program), join(folder, 'main.go'))
  await go(['vet', './...'], folder)
  await go(['build', '-o', 'main', '.'], folder)
  return (...args) => run(join(folder, 'main'), args)
}

/** A client of openapi-generator. */
export async function openApi(language: string, { document, folder }: Generation, ...options: readonly string[]) {
  const jar = await openApiGenerator()
  const only = ['apiTests', 'modelTests', 'apiDocs', 'modelDocs'].map((part) => `${part}=false`).join(',')
  const args = ['generate', '-i', document, '-g', language, '-o', folder, `--global-property=${only}`]
  await run('java', ['-jar', jar, ...args, ...options])
}

/** Without the second, a step is of the one kind whose fields fit, and a `metric` also fits `set_variable`. */
export const GO_OPTIONS = '--additional-properties=withGoMod=false,useOneOfDiscriminatorLookup=true'

/** One object holds the parameters of a call, so that a new optional parameter leaves the calls of users as they are. */
const JAVA_OPTIONS = '--additional-properties=useSingleRequestParameter=true'

export const GENERATED: readonly Check[] = [
  generated('openapi-typescript', async ({ document, folder }) => {
    const modules = join(await npmPackages(), 'node_modules')
    await run(join(modules, '.bin/openapi-typescript'), [document, '--output', join(folder, 'api.ts')])
    symlinkSync(modules, join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    const program = join(folder, 'main.ts')
    copyFileSync(join(PROGRAMS, 'openapi-typescript.mts'), program)
    const out = join(folder, 'out')
    const options = ['--strict', '--rewriteRelativeImportExtensions', '--skipLibCheck', '--outDir', out]
    const language = ['--module', 'nodenext', '--target', 'esnext']
    // Of this repository: the types of Node.
    const types = ['--typeRoots', join(import.meta.dirname, '../../../node_modules/@types'), '--types', 'node']
    await run(join(modules, '.bin/tsc'), [...options, ...language, ...types, program])
    return [(...args) => run('node', [join(out, 'main.js'), ...args]), '']
  }),

  generated('oapi-codegen', async ({ document, folder }) => {
    const client = join(folder, 'engine/engine.go')
    mkdirSync(join(folder, 'engine'))
    const options = ['-generate', 'types,client', '-package', 'engine', '-o', client]
    await run(await goProgram('oapi-codegen'), [...options, document])
    const lines = readFileSync(client, 'utf8').split('\n').length
    assert(lines < MAX_LINES, `the client of oapi-codegen has ${lines} lines, not less than ${MAX_LINES}`)
    return [await goClient(folder, 'oapi-codegen.go'), `${lines} lines; `]
  }),

  generated('openapi-python-client', async ({ document, folder }) => {
    const bin = await pythonPrograms()
    const out = ['--output-path', join(folder, 'engine'), '--meta', 'none']
    const env = { PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` }
    await run(join(bin, 'openapi-python-client'), ['generate', '--path', document, ...out], { env })
    const program = join(folder, 'main.py')
    copyFileSync(join(PROGRAMS, 'openapi-python-client.py'), program)
    await run(join(bin, 'python'), ['-m', 'compileall', '-q', folder])
    return [(...args) => run(join(bin, 'python'), [program, ...args]), '']
  }),

  generated('openapi-generator, Python', async (given) => {
    const bin = await pythonPrograms()
    await openApi('python', given, '--package-name', 'engine')
    const program = join(given.folder, 'main.py')
    copyFileSync(join(PROGRAMS, 'openapi-generator.py'), program)
    await run(join(bin, 'python'), ['-m', 'compileall', '-q', given.folder])
    return [(...args) => run(join(bin, 'python'), [program, ...args]), '']
  }),

  generated('openapi-generator, Go', async ({ document, folder }) => {
    const client = { document, folder: join(folder, 'engine') }
    await openApi('go', client, '--package-name', 'engine', GO_OPTIONS)
    return [await goClient(folder, 'openapi-generator.go'), '']
  }),

  generated('openapi-generator, Java', async (given) => {
    const { folder } = given
    const packages = ['--invoker-package', 'engine', '--api-package', 'engine.api', '--model-package', 'engine.model']
    await openApi('java', given, '--library', 'native', JAVA_OPTIONS, ...packages)
    const libraries = join(await javaLibraries(join(PROGRAMS, 'pom.xml')), '*')
    const sources = join(folder, 'src/main/java')
    cpSync(join(PROGRAMS, 'OpenApiGenerator.java'), join(sources, 'OpenApiGenerator.java'))
    const classes = join(folder, 'classes')
    const paths = ['-cp', libraries, '-sourcepath', sources, '-d', classes]
    await run('javac', ['-nowarn', ...paths, join(sources, 'OpenApiGenerator.java')])
    return [(...args) => run('java', ['-cp', `${classes}${delimiter}${libraries}`, 'OpenApiGenerator', ...args]), '']
  }),
]
