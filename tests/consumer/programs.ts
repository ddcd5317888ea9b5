import { mkdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { SCOPE } from '../../build/scope.ts'
import { ROOT, run } from '../clients/command.ts'
import { spawned } from '../engine-server.testing.ts'
import { freePort } from '../postgres.testing.ts'
import { prepareLibraries, readmeProgram } from './libraries.ts'
import type { ConsumerCheck, Project, Projects } from './project.ts'

const PROGRAMS = ['cli', 'server', 'platform'] as const

const END = { id: 'end', type: 'terminal', result: { code: 'HELLO', message: '' } }
const HELLO = { config: { name: 'hello', entry_step: 'end' }, steps: { end: END } }

async function prepare({ programs }: Projects): Promise<Project> {
  await programs.installOwn(PROGRAMS)
  return programs
}

/** The commands in the README of an installed package, without the installation. */
function readmeCommands(project: Project, name: string): string {
  const text = readFileSync(project.path('node_modules', SCOPE, name, 'README.md'), 'utf8')
  const [, commands] = /^```sh\n([^]*?)^```$/m.exec(text) ?? []
  if (commands === undefined) throw new Error(`the README of ${name} has no commands`)
  return commands.replace(/^npm install .*\n/m, '')
}

/** Runs commands in a folder of the project of their own; a server that they start ends with them. */
async function shell(project: Project, folder: string, commands: string): Promise<string> {
  mkdirSync(project.path(folder), { recursive: true })
  const bin = [project.path('node_modules/.bin'), join(ROOT, 'node_modules/.bin'), process.env['PATH'] ?? '']
  const script = `set -e\ntrap 'for job in $(jobs -p); do kill $job; done; wait' EXIT\n${commands}`
  return run('bash', ['-c', script], { cwd: project.path(folder), env: { PATH: bin.join(delimiter) } })
}

function expectText(text: string, ...wanted: readonly string[]): void {
  for (const part of wanted) if (!text.includes(part)) throw new Error(`\`${part}\` is not in:\n${text}`)
}

/** The line of the log with which both servers announce their address. */
const LISTENING = /"url":"(http:\/\/[^"]+)".*"msg":"listening"/

/** Starts a program of the project until `use` is done. */
async function whileRunning<T>(
  project: Project,
  args: readonly string[],
  use: (url: string) => Promise<T>,
): Promise<T> {
  const started = spawned(project.bin('engine'), args, { HOME: project.folder })
  try {
    const [, url = ''] = await started.says(LISTENING)
    return await use(url)
  } finally {
    started.process.kill('SIGTERM')
    await started.ended
  }
}

async function post(url: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return response.json()
}

/** Programs run as they are installed: bundles, pages and data files included. */
export const PROGRAM_CHECKS: readonly ConsumerCheck[] = [
  {
    name: 'README of cli',
    async run(projects) {
      const programs = await prepare(projects)
      const printed = await shell(programs, 'cli', readmeCommands(programs, 'cli'))
      expectText(printed, 'hello', 'engine')
      const version = await run(programs.bin('engine'), ['--version'])
      return `check, analyze, help; version ${version.trim()}`
    },
  },
  {
    name: 'README of server',
    async run(projects) {
      const programs = await prepare(projects)
      const port = await freePort()
      const commands = readmeCommands(programs, 'server')
        .replaceAll('8080', String(port))
        .replace('engine-server ', `engine-server --http-addr 127.0.0.1:${port} --disable-grpc `)
      expectText(await shell(programs, 'server', commands), '"code":"HELLO"')
      return 'stores and decides'
    },
  },
  {
    name: 'README of platform',
    async run(projects) {
      const programs = await prepare(projects)
      const port = await freePort()
      const commands = readmeCommands(programs, 'platform')
        .replaceAll('3001', String(port))
        .replace('engine-platform ', `engine-platform --http-addr 127.0.0.1:${port} `)
      expectText(await shell(programs, 'platform', commands), '"status"')
      return 'is ready'
    },
  },
  {
    name: 'engine serve',
    async run(projects) {
      const programs = await prepare(projects)
      const args = ['serve', '--http-addr', '127.0.0.1:0', '--disable-grpc', '--rules-dir', programs.path('served')]
      return whileRunning(programs, args, async (url) => {
        await post(`${url}/api/v1/rulesets`, HELLO)
        expectText(JSON.stringify(await post(`${url}/api/v1/execute/hello`, { input: {} })), '"code":"HELLO"')
        const page = await fetch(`${url}/docs`)
        expectText(await page.text(), '<html')
        return 'stores, decides, shows its interface'
      })
    },
  },
  {
    name: 'README of client',
    async run(projects) {
      const programs = await prepare(projects)
      await prepareLibraries(projects)
      const { libraries } = projects
      const rules = ['--rules-dir', programs.path('called'), '--seed-dir', join(ROOT, 'examples')]
      const args = ['serve', '--http-addr', '127.0.0.1:0', '--disable-grpc', ...rules]
      return whileRunning(programs, args, async (url) => {
        const program = readmeProgram(libraries, 'client').replaceAll('http://127.0.0.1:8080', url)
        await run(process.execPath, [libraries.write('src/called.ts', program)], { cwd: libraries.folder })
        return 'a decision of the installed server'
      })
    },
  },
  {
    name: 'engine platform',
    async run(projects) {
      const programs = await prepare(projects)
      const args = ['platform', '--http-addr', '127.0.0.1:0', '--data-dir', programs.path('data')]
      return whileRunning(programs, args, async (url) => {
        const page = await (await fetch(`${url}/`)).text()
        expectText(page, '<base href="/"')
        const [, script = ''] = /src="\.?\/?([^"]+\.js)"/.exec(page) ?? []
        const asset = await fetch(`${url}/${script}`)
        if (asset.status !== 200) throw new Error(`${script}: ${asset.status}`)
        const ready = await fetch(`${url}/healthz/ready`)
        if (!ready.ok) throw new Error(`not ready: ${await ready.text()}`)
        return 'is ready, serves the studio'
      })
    },
  },
]
