import { mkdirSync, globSync, copyFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from '../command.ts'
import type { Check } from '../check.ts'
import { GO_OPTIONS, type Generation, openApi, PROGRAMS } from '../generated/generated.ts'
import { go, goProgram, javaLibraries, npmPackages, pythonPrograms } from '../tools.ts'
import { withPlatformDocument } from './platform.ts'

/** Generates a client of the platform, and compiles all of it. */
const compiled = (name: string, compile: (given: Generation) => Promise<unknown>): Check => ({
  name: `platform: ${name}`,
  run: () =>
    withPlatformDocument(async (given) => {
      await compile(given)
      return 'compiles'
    }),
})

/** Compiles a package of Go, which lies in `<folder>/platform`. */
async function compileGo(folder: string): Promise<void> {
  for (const file of ['go.mod', 'go.sum']) copyFileSync(join(PROGRAMS, 'go', file), join(folder, file))
  await go(['vet', './...'], folder)
}

async function compileTypescript(files: readonly string[]): Promise<void> {
  const tsc = join(await npmPackages(), 'node_modules/.bin/tsc')
  // Generated modules import others without the endings that Node wants.
  const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'esnext']
  await run(tsc, ['--strict', '--noEmit', '--skipLibCheck', ...modules, ...files])
}

async function compilePython(folder: string): Promise<void> {
  await run(join(await pythonPrograms(), 'python'), ['-m', 'compileall', '-q', folder])
}

export const PLATFORM_GENERATED: readonly Check[] = [
  compiled('openapi-typescript', async ({ document, folder }) => {
    const client = join(folder, 'api.ts')
    await run(join(await npmPackages(), 'node_modules/.bin/openapi-typescript'), [document, '--output', client])
    await compileTypescript([client])
  }),

  compiled('oapi-codegen', async ({ document, folder }) => {
    mkdirSync(join(folder, 'platform'))
    const client = join(folder, 'platform/platform.go')
    const options = ['-generate', 'types,client', '-package', 'platform', '-o', client]
    await run(await goProgram('oapi-codegen'), [...options, document])
    await compileGo(folder)
  }),

  compiled('openapi-python-client', async ({ document, folder }) => {
    const bin = await pythonPrograms()
    const out = ['--output-path', join(folder, 'platform'), '--meta', 'none']
    const env = { PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` }
    await run(join(bin, 'openapi-python-client'), ['generate', '--path', document, ...out], { env })
    await compilePython(folder)
  }),

  compiled('openapi-generator, Go', async ({ document, folder }) => {
    await openApi('go', { document, folder: join(folder, 'platform') }, '--package-name', 'platform', GO_OPTIONS)
    await compileGo(folder)
  }),

  compiled('openapi-generator, TypeScript', async (given) => {
    await openApi('typescript-fetch', given)
    await compileTypescript([join(given.folder, 'index.ts')])
  }),

  compiled('openapi-generator, Python', async (given) => {
    await openApi('python', given, '--package-name', 'platform')
    await compilePython(given.folder)
  }),

  compiled('openapi-generator, Java', async (given) => {
    const { folder } = given
    const packages = ['--invoker-package', 'platform', '--api-package', 'platform.api']
    await openApi('java', given, '--library', 'native', ...packages, '--model-package', 'platform.model')
    const libraries = join(await javaLibraries(join(PROGRAMS, 'pom.xml')), '*')
    const sources = globSync('src/main/java/**/*.java', { cwd: folder })
    await run('javac', ['-nowarn', '-cp', libraries, '-d', 'classes', ...sources], { cwd: folder })
  }),
]
