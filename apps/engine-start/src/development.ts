import { packageFile } from '@engine/process'
import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readArguments, type StartArguments } from './arguments.ts'
import { readDemo, readLink } from './demo.ts'
import { type Program, startProgram } from './program.ts'
import {
  demonstrate,
  emptyEngineArguments,
  emptySummary,
  engineArguments,
  engineEnvironment,
  liveEngineArguments,
  platformArguments,
  quietly,
  readServedDemo,
  readyPlatform,
  summary,
  waitFor,
} from './run.ts'
import { type Session, supervise } from './supervise.ts'

const HELP = `Usage: npm run dev -- [options] [-- options of engine-server]

Starts engine-platform and engine-server from their sources, and the studio with hot reload. A change of a source restarts
the programs that use it.

  --data-dir <dir>        where both keep their data (default: .data/dev)
  --platform-port <port>  port of the platform, on this machine only (default: 3001)
  --studio-port <port>    port of the studio (default: 5173)
  --no-demo               make no organization and no project: the engine has no rulesets and no platform
  --no-traffic            send no requests for decisions
  -h, --help              this text

Every other option goes to engine-server.
`

const ROOT = packageFile(import.meta.url, '../..')
/** Milliseconds without a further change before programs are restarted: editors write several files at a time. */
const DEBOUNCE_MS = 200
const DATA_DIR = '.data/dev'
/** Sources of programs, not of their tests. */
const isSource = (path: string) => /(?<!\.test|\.testing|\.d)\.(?:ts|js|sql|json)$/.test(path)

/** Run both servers and the studio until a signal comes. Resolves with the exit code. */
export async function runDevelopment(args: readonly string[]): Promise<number> {
  const { values, tokens } = parseArgs({
    args: [...args],
    options: { 'studio-port': { type: 'string', default: '5173' } },
    strict: false,
    tokens: true,
  })
  const own = new Set(
    tokens.flatMap((token) =>
      token.kind === 'option' && token.name === 'studio-port'
        ? [token.index, ...(token.inlineValue === false ? [token.index + 1] : [])]
        : [],
    ),
  )
  const read = readArguments(
    args.filter((_, index) => !own.has(index)),
    DATA_DIR,
  )
  if (read === undefined) {
    process.stdout.write(HELP)
    return 0
  }
  return supervise((session) => startAll(read, String(values['studio-port']), session))
}

async function startAll(
  { dataDir, platformPort, hasDemo, hasTraffic, engine }: StartArguments,
  studioPort: string,
  session: Session,
): Promise<void> {
  const platformDir = join(dataDir, 'platform')
  const platform = startReloading(session, () =>
    startProgram(
      'engine-platform',
      platformArguments(platformDir, platformPort, hasDemo),
      quietly('ENGINE_PLATFORM_LOG_LEVEL'),
    ),
  )
  watchSources(session, { 'apps/platform-server': [platform] })
  const studio = `http://localhost:${studioPort}`
  const show = async (text: string, url: string) => {
    const link = await readLink(platformDir)
    process.stdout.write(`${text}Studio    ${link?.replace(url, studio) ?? studio} (with hot reload)\n\n`)
  }
  if (!hasDemo) {
    const url = await waitFor('the platform', session, () => readyPlatform(platformDir, platformPort))
    const empty = startReloading(session, () =>
      startProgram('engine-server', emptyEngineArguments(dataDir, engine), quietly('ENGINE_LOG_LEVEL')),
    )
    watchSources(session, { 'apps/engine-server': [empty], packages: [platform, empty] })
    startStudio(session, url, studioPort)
    return show(emptySummary(url), url)
  }
  let demo = await waitFor('the platform', session, () => readDemo(platformDir, platform.pid()))
  const server = startReloading(session, () =>
    startProgram('engine-server', engineArguments(dataDir, demo, engine), engineEnvironment(demo)),
  )
  startStudio(session, demo.platformUrl, studioPort)
  demo = await waitFor('the engine', session, () => readServedDemo(platformDir, platform.pid()))
  const live = startReloading(session, () =>
    startProgram('engine-server', liveEngineArguments(dataDir, demo), engineEnvironment(demo)),
  )
  watchSources(session, { 'apps/engine-server': [server, live], packages: [platform, server, live] })
  const served = demo
  await show(summary(served), served.platformUrl)
  session.add(demonstrate(demo, hasTraffic))
}

/** A program that is restarted when its sources change. */
interface Reloading {
  pid(): number | undefined
  restart(): Promise<void>
}

function startReloading(session: Session, start: () => Program): Reloading {
  let program: Program
  let isRestarting = false
  let isStopped = false
  const ended = Promise.withResolvers<void>()
  const begin = () => {
    program = start()
    const { name } = program
    void program.ended.then((how) => {
      if (isStopped) ended.resolve()
      else if (!isRestarting) process.stderr.write(`${name} ended (${how}): it starts again with the next change\n`)
    })
  }
  begin()
  session.add({
    ended: ended.promise,
    stop: () => {
      isStopped = true
      // It may have ended by itself before.
      void program.ended.then(() => ended.resolve())
      program.stop()
    },
  })
  return {
    pid: () => program.pid,
    restart: async () => {
      if (isRestarting || isStopped) return
      isRestarting = true
      program.stop()
      await program.ended
      isRestarting = false
      if (!isStopped) begin()
    },
  }
}

/** Restart the programs of a folder, named from the root of the repository, when a source below it changes. */
function watchSources(session: Session, programs: Readonly<Record<string, readonly Reloading[]>>): void {
  for (const [folder, affected] of Object.entries(programs)) {
    let timer: NodeJS.Timeout | undefined
    const watcher = watch(join(ROOT, folder), { recursive: true }, (_event, path) => {
      if (path === null || /(?:^|[\\/])(?:dist|node_modules)[\\/]/.test(path) || !isSource(path)) return
      clearTimeout(timer)
      timer = setTimeout(() => {
        process.stdout.write(`${join(folder, path)} changed: restarting\n`)
        for (const program of affected) void program.restart()
      }, DEBOUNCE_MS)
    })
    const ended = Promise.withResolvers<void>()
    session.add({
      ended: ended.promise,
      stop: () => {
        clearTimeout(timer)
        watcher.close()
        ended.resolve()
      },
    })
  }
}

/** The studio by Vite, which passes requests of the API to the platform. */
function startStudio(session: Session, platformUrl: string, port: string): void {
  const vite = packageFile(import.meta.url, '../../node_modules/vite/bin/vite.js')
  const child = spawn(process.execPath, [vite, '--port', port, '--strictPort', '--logLevel', 'warn'], {
    cwd: join(ROOT, 'apps/studio'),
    // Vite ends with its standard input, also when this process is killed.
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...process.env, STUDIO_PLATFORM_URL: platformUrl },
  })
  const ended = Promise.withResolvers<string>()
  child.once('error', (error) => ended.resolve(error.message))
  child.once('exit', (code, signal) => ended.resolve(signal ?? `exit code ${code}`))
  session.add({ ended: ended.promise, stop: () => void child.kill('SIGTERM') })
  void ended.promise.then((how) => session.fail(`vite ended (${how})`))
}
