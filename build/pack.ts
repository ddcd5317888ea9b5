import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { jsonValue } from '@engine/expression'
import { rolldown } from 'rolldown'
import { buildStudio } from '../apps/studio/build/build.ts'
import { bundlePrograms } from './programs.ts'
import { SCOPE } from './scope.ts'
import { installedPackage, licencesOf, PACKAGES_FILE, packagesOf, SBOM_FILE, sbomOf } from './third-party.ts'

/**
 * `npm run pack`: the public packages as tarballs in `out/npm`, ready to be installed elsewhere. Nothing is published, and
 * nothing is written outside of `out/npm` and the bundles of the programs.
 */
const ROOT = join(import.meta.dirname, '..')

/** Where the folders and tarballs of the packages are. */
const OUT = join(ROOT, 'out/npm')

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly engines?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly files?: readonly string[]
  readonly sideEffects?: false | readonly string[]
}

/** Libraries: compiled file by file, with declarations. */
const LIBRARIES = ['expression', 'ruleset', 'engine', 'filter', 'signing', 'api', 'client'] as const

/** Entries of libraries that use packages which are not public: bundled with them, by `tsconfig.NAME.json`. */
const BUNDLED_ENTRIES: Readonly<Record<string, string>> = { engine: 'files' }

/** Libraries whose declarations name types of Node. */
const NODE_TYPES: ReadonlySet<string> = new Set(['signing', 'client'])

/** Programs: a bundle of everything but `external`, under the name of a package. `files` are copied as they are. */
const PROGRAMS = [
  { name: 'cli', app: 'engine-tools', external: ['yaml'], files: {} },
  { name: 'server', app: 'engine-server', external: ['yaml'], files: {} },
  {
    name: 'platform',
    app: 'platform-server',
    external: ['yaml', '@electric-sql/pglite'],
    files: {
      'apps/platform-server/templates': 'templates',
      'apps/platform-server/src/database/migrations': 'src/database/migrations',
      'apps/studio/dist/site': 'dist/site',
    },
  },
] as const

/** Names of packages where their folders have others. */
const RENAMED: Readonly<Record<string, string>> = Object.fromEntries(
  PROGRAMS.map(({ name, app }) => [`@engine/${app}`, `${SCOPE}/${name}`]),
)

/** Versions of Node. Signing needs raw keys and zstd. */
const ENGINES = { library: { node: '>=20.19' }, signing: { node: '>=26' }, program: { node: '>=26' } }

const manifestOf = (folder: string): Manifest =>
  jsonValue(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as unknown as Manifest

/** Text with the names of packages as they are published. */
function published(text: string): string {
  return text.replaceAll(/@engine\/[a-z-]+/g, (name) => RENAMED[name] ?? `${SCOPE}${name.slice('@engine'.length)}`)
}

/** Replaces names in all files of a folder that are text. */
function publishNames(folder: string): void {
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, path)
    if (!['.js', '.ts', '.md', '.json'].includes(extname(file)) || path.startsWith(join('dist', 'site'))) continue
    const text = readFileSync(file, 'utf8')
    const changed = published(text)
    if (changed !== text) writeFileSync(file, changed)
  }
}

/** Address of the repository in the provenance of published packages. Undefined: the manifests name none. */
const REPOSITORY = process.env['PACK_REPOSITORY']

/** A manifest as all packages have it. */
function commonManifest({ version, license }: Manifest, name: string) {
  const repository = REPOSITORY === undefined ? {} : { repository: { type: 'git', url: REPOSITORY } }
  return { name: `${SCOPE}/${name}`, version, license, ...repository, type: 'module' }
}

function writeManifest(folder: string, manifest: object): void {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
}

/** An empty folder for a package, with the licence and a README without links into the repository. */
function beginPackage(name: string, readme: string): string {
  const folder = join(OUT, name)
  mkdirSync(folder, { recursive: true })
  for (const file of ['LICENSE', 'NOTICE']) cpSync(join(ROOT, file), join(folder, file))
  writeFileSync(join(folder, 'README.md'), readme.replaceAll(/\[([^\]]*)\]\(\.\.\/[^)]*\)/g, '$1'))
  return folder
}

/** The path of a source without `src` and its ending; undefined for other files. */
const stemOf = (file: string): string | undefined => /^\.\/src\/(.*)\.ts$/.exec(file)?.[1]

/** An entry that is a source becomes its types and its code; other files stay. */
function exportsOf(exports: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(exports).map(([path, file]) => {
      const stem = stemOf(file)
      return [path, stem === undefined ? file : { types: `./dist/${stem}.d.ts`, default: `./dist/${stem}.js` }]
    }),
  )
}

/** Compiles the sources of a package into its folder, by one of its configurations. */
function compile(source: string, configuration: string, folder: string): void {
  // In its package, so that it finds the types that the package uses. Removed again.
  const project = join(ROOT, source, 'tsconfig.pack.json')
  const compilerOptions = {
    rootDir: 'src',
    outDir: join(folder, 'dist'),
    composite: false,
    incremental: false,
    emitDeclarationOnly: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    target: 'es2022',
    // Sources of other packages are read as well.
    lib: ['esnext'],
  }
  writeFileSync(project, JSON.stringify({ extends: `./${configuration}`, compilerOptions, references: [] }))
  try {
    execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project], { stdio: 'inherit' })
  } finally {
    rmSync(project)
  }
}

/** Whether a dependency of a library is a package that users install. Our other packages are bundled into the library. */
const isPublic = (dependency: string) => LIBRARIES.some((library) => dependency === `@engine/${library}`)

/** Replaces a compiled entry by a bundle with the packages that are not public. */
async function bundleEntry(source: string, entry: string, { dependencies = {} }: Manifest, folder: string) {
  const build = await rolldown({
    input: join(ROOT, source, 'src', `${entry}.ts`),
    platform: 'node',
    external: Object.keys(dependencies).filter(isPublic),
    transform: { target: 'es2022' },
  })
  await build.write({ file: join(folder, 'dist', `${entry}.js`) })
  await build.close()
}

/** What an installed library needs: public libraries, and what other projects make for it and the packages bundled with it. */
function dependenciesOf({ version, dependencies = {} }: Manifest): Readonly<Record<string, string>> {
  const found = new Map<string, string>()
  const pending = Object.entries(dependencies)
  for (const [name, needed] of pending)
    if (!name.startsWith('@engine/')) found.set(name, needed)
    else if (name in dependencies && isPublic(name)) found.set(published(name), version)
    else pending.push(...Object.entries(manifestOf(name.replace('@engine', 'packages')).dependencies ?? {}))
  return Object.fromEntries([...found].toSorted(([left], [right]) => (left < right ? -1 : 1)))
}

async function packLibrary(name: string): Promise<string> {
  const source = join('packages', name)
  const manifest = manifestOf(source)
  const folder = beginPackage(name, readFileSync(join(ROOT, source, 'README.md'), 'utf8'))
  compile(source, 'tsconfig.json', folder)
  const entry = BUNDLED_ENTRIES[name]
  if (entry !== undefined) {
    compile(source, `tsconfig.${entry}.json`, folder)
    await bundleEntry(source, entry, manifest, folder)
  }
  const files = Object.values(manifest.exports ?? {}).filter((file) => !file.startsWith('./src/'))
  const copied = [...new Set(files.map((file) => file.split('/')[1] ?? ''))]
  for (const file of copied) cpSync(join(ROOT, source, file), join(folder, file), { recursive: true })
  publishNames(folder)
  writeManifest(folder, {
    ...commonManifest(manifest, name),
    sideEffects: Array.isArray(manifest.sideEffects)
      ? manifest.sideEffects.map((file) => `./dist/${stemOf(file) ?? ''}.js`)
      : false,
    engines: name === 'signing' ? ENGINES.signing : ENGINES.library,
    exports: exportsOf(manifest.exports ?? {}),
    files: ['dist', 'NOTICE', ...copied],
    dependencies: dependenciesOf(manifest),
    ...(NODE_TYPES.has(name) && { peerDependencies: { '@types/node': '*' } }),
    ...(name === 'engine' && { peerDependencies: { 'temporal-polyfill': '>=0.3' } }),
    ...((NODE_TYPES.has(name) || name === 'engine') && {
      peerDependenciesMeta: { [name === 'engine' ? 'temporal-polyfill' : '@types/node']: { optional: true } },
    }),
  })
  return folder
}

function packProgram({ name, app, external, files }: (typeof PROGRAMS)[number]): string {
  const source = join('apps', app)
  const manifest = manifestOf(source)
  const folder = beginPackage(name, readFileSync(join(ROOT, 'build/readme', `${name}.md`), 'utf8'))
  cpSync(join(ROOT, source, 'dist/program'), join(folder, 'dist/program'), { recursive: true })
  const bundled = packagesOf(join(folder, 'dist/program'))
  for (const file of ['sources.txt', PACKAGES_FILE]) rmSync(join(folder, 'dist/program', file))
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licencesOf(bundled))
  const { name: packed, version, license } = commonManifest(manifest, name)
  const materials = [...bundled, ...external.map(installedPackage)]
  writeFileSync(join(folder, SBOM_FILE), sbomOf({ name: packed, version, license }, materials))
  for (const [from, to] of Object.entries(files)) cpSync(join(ROOT, from), join(folder, to), { recursive: true })
  mkdirSync(join(folder, 'bin'))
  cpSync(join(ROOT, 'build/packed-launch.js'), join(folder, 'bin/launch.js'))
  for (const path of Object.values(manifest.bin ?? {})) {
    const text = readFileSync(join(ROOT, source, path), 'utf8')
    writeFileSync(join(folder, path), text.replace("'@engine/process/launch'", "'./launch.js'"), { mode: 0o755 })
  }
  publishNames(folder)
  writeManifest(folder, {
    ...commonManifest(manifest, name),
    engines: ENGINES.program,
    bin: manifest.bin,
    exports: { './package.json': './package.json' },
    files: ['bin', 'dist', 'NOTICE', 'THIRD-PARTY-LICENSES.txt', SBOM_FILE, ...Object.values(files)],
    dependencies: Object.fromEntries(external.map((dependency) => [dependency, installedVersion(dependency)])),
  })
  return folder
}

/** The cases that every implementation of the language and of the formats must pass. */
function packConformance(): string {
  const manifest = manifestOf('conformance')
  const folder = beginPackage('conformance', readFileSync(join(ROOT, 'conformance/README.md'), 'utf8'))
  for (const file of readdirSync(join(ROOT, 'conformance')))
    if (extname(file) === '.json' && file !== 'package.json')
      cpSync(join(ROOT, 'conformance', file), join(folder, file))
  const { exports, files } = manifest
  writeManifest(folder, { ...commonManifest(manifest, 'conformance'), exports, files })
  return folder
}

const installedVersion = (dependency: string): string => manifestOf(join('node_modules', dependency)).version

/** Build all public packages. The paths of their tarballs. */
export async function pack(): Promise<readonly string[]> {
  rmSync(OUT, { recursive: true, force: true })
  await bundlePrograms(() => true)
  await buildStudio()
  const libraries: string[] = []
  for (const name of LIBRARIES) libraries.push(await packLibrary(name))
  const folders = [...libraries, ...PROGRAMS.map(packProgram), packConformance()]
  return folders.map((folder) => {
    const options = ['--json', '--ignore-scripts', '--pack-destination', OUT]
    const text = execFileSync('npm', ['pack', folder, ...options], { cwd: dirname(folder), encoding: 'utf8' })
    return join(OUT, firstFilename(text))
  })
}

/** npm 11 prints a list, npm 12 an object by the name of the package. */
function firstFilename(text: string): string {
  const [first] = Object.values(jsonValue(text) as object) as readonly { readonly filename: string }[]
  return first?.filename ?? ''
}

if (import.meta.main) for (const tarball of await pack()) process.stdout.write(`${tarball}\n`)
