import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { LeftOut } from './check.ts'
import { CommandFailed, ROOT, run } from './command.ts'

/** Everything that is downloaded or built, and nothing else: `rm -r` of it makes the next run the first. `npm ci` keeps it. */
export const CACHE = join(ROOT, '.cache/clients')

const NPM_PACKAGES = [
  '@asyncapi/parser@3.6.6',
  '@redocly/cli@2.77.0',
  '@stoplight/spectral-cli@6.16.3',
  'openapi-fetch@0.17.0',
  'openapi-typescript@7.13.0',
  // The last one that openapi-typescript runs with.
  'typescript@5.9.3',
]
const OPENFEATURE_PACKAGES = [
  '@openfeature/server-sdk@1.23.0',
  '@openfeature/ofrep-provider@0.1.3',
  '@openfeature/web-sdk@1.10.0',
  '@openfeature/ofrep-web-provider@0.4.3',
]
const OPENFEATURE_PYTHON = ['openfeature-sdk==0.10.0', 'openfeature-provider-ofrep==0.3.0']
const PYTHON_PACKAGES = [
  'schemathesis==4.32.5',
  'openapi-python-client==0.29.1',
  'grpcio==1.85.1',
  'grpcio-tools==1.85.1',
  'grpcio-health-checking==1.85.1',
  // Dependencies of the Python client that openapi-generator creates.
  'pydantic==2.14.3',
  'python-dateutil==2.9.0.post0',
  'urllib3==2.8.0',
]
const GO_PROGRAMS = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.19.2',
  'oapi-codegen': 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2',
  'protoc-gen-go': 'google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12',
  'protoc-gen-go-grpc': 'google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2',
  grpcurl: 'github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.4',
} as const
const OPENAPI_GENERATOR = '7.25.0'
const DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1'

/** Messages of npm, pip, go and Maven for a registry that does not answer. */
const UNREACHABLE =
  /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|NewConnectionError|NameResolutionError|ReadTimeoutError|from versions: none|no such host|dial tcp|i\/o timeout|Unknown host|Could not transfer artifact|Temporary failure in name resolution/

/** Messages of go for a package that requires a newer version of it. */
const TOO_OLD = /requires go >= [\d.]+/

/** Milliseconds for a command that may download: a registry that hangs must not hold up the checks that need none. */
const MAX_DOWNLOAD = 8 * 60_000

/** Registries that did not answer in this run, and how: the next command need not wait for them again. */
const silent = new Map<string, string>()

/** Runs a command that may download. Throws `LeftOut` where the registry does not answer, or the language is too old. */
async function download(
  registry: string,
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const known = silent.get(registry)
  if (known !== undefined) throw new LeftOut(known)
  try {
    return await run(program, args, { ...options, timeout: MAX_DOWNLOAD })
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    const silence = error.isTimedOut
      ? `the registry of ${registry} did not answer within ${MAX_DOWNLOAD / 60_000} minutes`
      : UNREACHABLE.test(error.output)
        ? `the registry of ${registry} cannot be reached`
        : undefined
    if (silence !== undefined) {
      silent.set(registry, silence)
      throw new LeftOut(silence)
    }
    const [old] = TOO_OLD.exec(error.output) ?? []
    if (old !== undefined) throw new LeftOut(`a package ${old}`)
    throw error
  }
}

/** Throws `LeftOut` where a program of a language is not installed. */
export async function requireInstalled(language: string, program: string, ...args: readonly string[]): Promise<void> {
  try {
    await run(program, args)
  } catch (error) {
    if (error instanceof CommandFailed) throw new LeftOut(`${language} is not installed`)
    throw error
  }
}

/** Fills a folder of the cache once; another list of versions fills it again. */
async function installed(name: string, versions: readonly string[], install: (path: string) => Promise<unknown>) {
  const path = join(CACHE, name)
  const stamp = join(path, 'versions.txt')
  const wanted = versions.join('\n')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return path
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true })
  await install(path)
  writeFileSync(stamp, wanted)
  return path
}

/** Checks run in parallel and share prepared tools. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

/** A folder whose `node_modules` has packages of npm. */
const npmFolder = (name: string, packages: readonly string[]) =>
  once(() =>
    installed(name, packages, (cwd) =>
      download('npm', 'npm', ['install', '--prefix', cwd, '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
        cwd,
      }),
    ),
  )

/** The folder of the linters and generators of npm. */
export const npmPackages = npmFolder('npm', NPM_PACKAGES)

/** The folder of the providers of OpenFeature for JavaScript. */
export const openFeaturePackages = npmFolder('openfeature', OPENFEATURE_PACKAGES)

/** The folder of programs of a virtual environment of Python. */
const pythonEnvironment = (name: string, packages: readonly string[]) =>
  once(async () => {
    await requireInstalled('Python with venv and pip', 'python3', '-c', 'import venv, ensurepip')
    // Its programs name the folder that it was made in: in another one it is recreated.
    const path = await installed(name, [...packages, CACHE], async (environment) => {
      await run('python3', ['-m', 'venv', environment])
      await download('Python', join(environment, 'bin/pip'), ['install', '--quiet', ...packages])
    })
    return join(path, 'bin')
  })

export const pythonPrograms = pythonEnvironment('python', PYTHON_PACKAGES)

/** The same with the provider of OpenFeature. */
export const openFeaturePython = pythonEnvironment('openfeature-python', OPENFEATURE_PYTHON)

const GO = join(CACHE, 'go')
const GO_ENVIRONMENT = {
  GOPATH: GO,
  GOBIN: join(GO, 'bin'),
  GOCACHE: join(GO, 'build'),
  // Else the cache cannot be removed without changing its rights first.
  GOFLAGS: '-modcacherw',
  GOTOOLCHAIN: 'local',
}

const requireGo = once(() => requireInstalled('Go', 'go', 'version'))

/** Runs `go`, with its packages in the cache. */
export async function go(args: readonly string[], cwd: string): Promise<string> {
  await requireGo()
  return download('Go', 'go', args, { cwd, env: GO_ENVIRONMENT })
}

/** The path of a program written in Go. */
export async function goProgram(name: keyof typeof GO_PROGRAMS): Promise<string> {
  const path = await installed(`go-programs/${name}`, [GO_PROGRAMS[name]], async (bin) => {
    await requireGo()
    await download('Go', 'go', ['install', GO_PROGRAMS[name]], { env: { ...GO_ENVIRONMENT, GOBIN: bin } })
  })
  return join(path, name)
}

/** The path of Helm. */
export const helm = once(() => goProgram('helm'))

const MAVEN = join(CACHE, 'maven')

export const requireJava = once(async () => {
  // The languages of the examples.
  await requireInstalled('Java 17', 'javac', '--release', '17', '-version')
  await requireInstalled('Maven', 'mvn', '--version')
})

/** Runs Maven, with its packages in the cache. */
export async function maven(args: readonly string[], cwd: string): Promise<string> {
  await requireJava()
  return download('Java', 'mvn', ['--batch-mode', '--quiet', `-Dmaven.repo.local=${MAVEN}`, ...args], { cwd })
}

/** The jar of openapi-generator. */
export const openApiGenerator = once(async () => {
  const jar = join(MAVEN, `org/openapitools/openapi-generator-cli/${OPENAPI_GENERATOR}`)
  const artifact = `org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}`
  const path = join(jar, `openapi-generator-cli-${OPENAPI_GENERATOR}.jar`)
  await requireJava()
  if (!existsSync(path)) await maven([`${DEPENDENCY_PLUGIN}:get`, `-Dartifact=${artifact}`, '-Dtransitive=false'], ROOT)
  return path
})

/** The folder of the jars that a `pom.xml` names. */
export async function javaLibraries(pom: string): Promise<string> {
  await requireJava()
  return installed(`java/${basename(dirname(pom))}`, [readFileSync(pom, 'utf8')], (folder) =>
    maven(['-f', pom, `${DEPENDENCY_PLUGIN}:copy-dependencies`, `-DoutputDirectory=${folder}`], ROOT),
  )
}
