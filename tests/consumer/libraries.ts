import { existsSync, readFileSync } from 'node:fs'
import { encodeBinary } from '@engine/signing'
import { SCOPE } from '../../build/scope.ts'
import { run } from '../clients/command.ts'
import type { ConsumerCheck, Project, Projects } from './project.ts'

/** Packages that are imported. */
const LIBRARIES = ['expression', 'ruleset', 'engine', 'filter', 'api', 'signing', 'client'] as const

/** The document that the README of `ruleset` reads. */
const ADULT = JSON.stringify({
  config: { name: 'adult-check', entry_step: 'check' },
  steps: {
    check: {
      id: 'check',
      type: 'decision',
      branches: [{ condition: 'age >= 18', next_step: 'yes' }],
      default_next: 'no',
    },
    yes: { id: 'yes', type: 'terminal', result: { code: 'ADULT', message: 'may order', output: [['limit', '500']] } },
    no: { id: 'no', type: 'terminal', result: { code: 'MINOR', message: '' } },
  },
})

/** All exports of all packages, so that every declaration is compiled. */
const EVERYTHING = [
  ...LIBRARIES,
  'api/proto',
  'engine/core',
  'engine/compiler',
  'engine/functions',
  'engine/files',
].map((path) => `export * as ${path.replace('/', '_')} from '${SCOPE}/${path}'\n`)

/** Dates: on Node.js before 26 they need the polyfill. */
const DATES = `import { createEngine } from '${SCOPE}/engine'
const end = { id: 'end', type: 'terminal', result: { code: 'OK', message: '', output: [['day', 'date_add("2026-11-27", 1, "days")']] } }
const engine = createEngine({ rulesets: [{ config: { name: 'day', entry_step: 'end' }, steps: { end } }] })
console.log(JSON.stringify((await engine.decide('day', {})).output))
`

/** Rule files of a user: JSON, YAML and, where this version of Node.js can read it, a compiled one. */
const FILES = `import { createEngine } from '${SCOPE}/engine'
import { readRulesets } from '${SCOPE}/engine/files'
const engine = createEngine({ rulesets: await readRulesets('rules') })
const compiled = await readRulesets('compiled/small.engine').then(
  (rulesets) => createEngine({ rulesets }).decideSync('small', {}).code,
  (error: unknown) => (error as Error).message,
)
console.log(engine.decideSync('fee', {}).code, engine.decideSync('adult-check', { age: 21 }).code, compiled)
`

const FEE = `config: { name: fee, entry_step: end }
steps:
  end: { id: end, type: terminal, result: { code: FROM_YAML, message: "" } }
`

const SMALL = {
  config: { name: 'small', entry_step: 'end' },
  steps: { end: { id: 'end', type: 'terminal', result: { code: 'COMPILED', message: '' } } },
}

/** The program in the README of an installed package, with its comments as assertions. */
export function readmeProgram(project: Project, name: string, before = ''): string {
  const text = readFileSync(project.path('node_modules', SCOPE, name, 'README.md'), 'utf8')
  const [, program] = /^```ts\n([^]*?)^```$/m.exec(text) ?? []
  if (program === undefined) throw new Error(`the README of ${name} has no program`)
  const checked = program.replaceAll(/^(\S.*) \/\/ (.*)$/gm, 'same($1, $2)')
  if (checked === program) throw new Error(`the program in the README of ${name} states no result`)
  return `import { deepEqual as same } from 'node:assert/strict'\n${before}${checked}`
}

const COMPILER_OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.disposable'],
  types: ['node'],
  outDir: 'out',
  rootDir: 'src',
}

/** The sources of a user's project. */
async function prepare({ libraries }: Projects): Promise<void> {
  await libraries.installOwn(LIBRARIES)
  if (existsSync(libraries.path('tsconfig.json'))) return
  await libraries.install('@types/node@22', 'temporal-polyfill')
  for (const name of LIBRARIES)
    libraries.write(
      `src/${name}.ts`,
      readmeProgram(libraries, name, name === 'ruleset' ? `const text = ${JSON.stringify(ADULT)}\n` : ''),
    )
  libraries.write('src/everything.ts', EVERYTHING.join(''))
  libraries.write('src/dates.ts', DATES)
  libraries.write('src/dates-polyfilled.ts', `import 'temporal-polyfill/global'\nimport './dates.js'\n`)
  libraries.write('src/files.ts', FILES)
  libraries.write('rules/fee.yaml', FEE)
  libraries.write('rules/adult-check.json', ADULT)
  libraries.write('compiled/small.engine', encodeBinary(SMALL))
  libraries.write('tsconfig.json', JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['src'] }))
}

function typescript(version: string): ConsumerCheck {
  return {
    name: `TypeScript ${version}`,
    async run(projects) {
      const { libraries, tools } = projects
      await tools.install(`typescript-${version}@npm:typescript@${version}`)
      await prepare(projects)
      const compiler = tools.path(`node_modules/typescript-${version}/bin/tsc`)
      await run(process.execPath, [compiler, '-p', '.'], { cwd: libraries.folder })
      return `${LIBRARIES.length} READMEs and all declarations, strict, without skipLibCheck`
    },
  }
}

/** Where a program of the user's project runs; each compiled by the check before. */
function node(version: string, isOld: boolean): ConsumerCheck {
  return {
    name: `Node ${version}`,
    async run(projects) {
      const { libraries } = projects
      const program = await nodeOf(projects, version)
      await prepare(projects)
      if (!existsSync(libraries.path('out'))) throw new Error('the programs are not compiled: run all checks')
      const run1 = (name: string) => run(program, [`out/${name}.js`], { cwd: libraries.folder })
      const names = LIBRARIES.filter((name) => name !== 'client' && !(isOld && name === 'signing'))
      for (const name of names) await run1(name)
      const dates = await run1(isOld ? 'dates-polyfilled' : 'dates')
      if (dates !== '{"day":"2026-11-28"}\n') throw new Error(`dates: ${dates}`)
      const fromFiles = await run1('files')
      if (fromFiles !== `FROM_YAML ADULT ${version.startsWith('20.') ? NO_ZSTD : 'COMPILED'}\n`)
        throw new Error(`rule files: ${fromFiles}`)
      // The client loads; `client` itself needs a server.
      await run(program, ['-e', `await import('${SCOPE}/client')`, '--input-type=module'], { cwd: libraries.folder })
      if (isOld) await refusesDates(program, libraries)
      return `READMEs of ${names.join(', ')}; dates${isOld ? ' with temporal-polyfill' : ''}; rule files; client loads`
    },
  }
}

const NO_ZSTD = 'compiled/small.engine: it is compressed by zstd, which needs Node.js 22.15 or later'

/** Functions of dates fail with the name of the missing polyfill. */
async function refusesDates(program: string, libraries: Project): Promise<void> {
  const message = await run(program, ['out/dates.js'], { cwd: libraries.folder }).catch((error: unknown) =>
    String(error),
  )
  if (!message.includes('need Temporal')) throw new Error(`dates without a polyfill: ${message}`)
}

/** The program `node` of a version. Other versions than ours are packages of the registry, for Linux. */
async function nodeOf({ tools }: Projects, version: string): Promise<string> {
  if (process.versions.node.startsWith(`${version.split('.')[0]}.`)) return process.execPath
  await tools.install(`node-${version}@npm:node-${process.platform}-${process.arch}@${version}`)
  return tools.path(`node_modules/node-${version}/bin/node`)
}

/** Compiled strictly, then run. */
export const LIBRARY_CHECKS: readonly ConsumerCheck[] = [
  typescript('5.9'),
  typescript('7.0'),
  node('20.20.2', true),
  node('22.23.3', true),
  node('24.21.0', true),
  node('26', false),
]

export { prepare as prepareLibraries }
