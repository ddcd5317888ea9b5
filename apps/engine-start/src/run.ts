import { delay, packageFile } from '@engine/process'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { HELP, readArguments, type StartArguments } from './arguments.ts'
import { curlOf, type Demo, isDecided, readDemo, readLink } from './demo.ts'
import { type Program, startProgram } from './program.ts'
import { type Part, type Session, supervise } from './supervise.ts'
import { makeHistory } from './history.ts'
import { generateTraffic } from './traffic.ts'

const POLL_INTERVAL_MS = 100
/** Milliseconds after which a wait is reported. */
const SLOW_MS = 20_000
/** Timeout in milliseconds of a readiness check. */
const READY_MS = 2000

/**
 * Run platform and engine until a signal comes or one of them ends, which ends the other. Exit code 0 after a signal, 1 when a
 * program ended by itself.
 */
export async function runBoth(args: readonly string[]): Promise<number> {
  const read = readArguments(args)
  if (read === undefined) {
    process.stdout.write(HELP)
    return 0
  }
  return supervise(async (session) => {
    const start: Start = (name, programArgs, env) => {
      session.check()
      const program = startProgram(name, programArgs, env)
      session.add(program)
      void program.ended.then((how) => session.fail(`${name} ended (${how})`))
      return program
    }
    await startBoth(read, start, session)
  })
}

type Start = (...args: Parameters<typeof startProgram>) => Program

/** Start both programs, the platform first, and show how to use them. */
async function startBoth(args: StartArguments, start: Start, session: Session): Promise<void> {
  if (!args.hasDemo) return startEmpty(args, start, session)
  const { dataDir, platformPort, hasTraffic, engine } = args
  const platformDir = join(dataDir, 'platform')
  const platform = start(
    'engine-platform',
    platformArguments(platformDir, platformPort, true),
    quietly('ENGINE_PLATFORM_LOG_LEVEL'),
  )
  const demo = await waitFor('the platform', session, () => readDemo(platformDir, platform.pid))
  start('engine-server', engineArguments(dataDir, demo, engine), engineEnvironment(demo))
  const served = await waitFor('the engine', session, () => readServedDemo(platformDir, platform.pid))
  process.stdout.write(summary(served))
  // The engine that has registered first serves `dev`.
  start('engine-server', liveEngineArguments(dataDir, demo), engineEnvironment(demo))
  session.add(demonstrate(served, hasTraffic))
}

/** Start a platform without organizations, and an engine of its own, without rulesets. */
async function startEmpty(
  { dataDir, platformPort, engine }: StartArguments,
  start: Start,
  session: Session,
): Promise<void> {
  const platformDir = join(dataDir, 'platform')
  start('engine-platform', platformArguments(platformDir, platformPort, false), quietly('ENGINE_PLATFORM_LOG_LEVEL'))
  const url = await waitFor('the platform', session, () => readyPlatform(platformDir, platformPort))
  start('engine-server', emptyEngineArguments(dataDir, engine), quietly('ENGINE_LOG_LEVEL'))
  process.stdout.write(emptySummary(url))
}

/** The URL of the platform, from an unused sign-in link or from its port; undefined: the platform is not ready. */
export async function readyPlatform(platformDir: string, port: string): Promise<string | undefined> {
  const link = await readLink(platformDir)
  const url = link === undefined ? `http://localhost:${givenPort() ?? port}` : new URL(link).origin
  const isReady = await fetch(`${url}/health`, { signal: AbortSignal.timeout(READY_MS) }).then(
    async (response) => (await response.arrayBuffer(), response.ok),
    () => false,
  )
  return isReady ? url : undefined
}

/** The port of the platform by its variables. */
function givenPort(): string | undefined {
  const { ENGINE_PLATFORM_HTTP_ADDR: address, ENGINE_PLATFORM_PORT: port } = process.env
  return port ?? address?.slice(address.lastIndexOf(':') + 1)
}

/** The options of an engine without a platform; those of the user win. */
export function emptyEngineArguments(dataDir: string, given: readonly string[]): readonly string[] {
  return withDefaults([['--rules-dir', join(dataDir, 'rules')]], given)
}

/** Make the history of the project and request decisions, until the session ends. */
export function demonstrate(demo: Demo, hasTraffic: boolean): Part {
  const ending = new AbortController()
  const { signal } = ending
  const live = Promise.withResolvers<void>()
  const history = makeHistory({ demo, engine: LIVE_ENGINE, hasTraffic, onLive: live.resolve, signal })
    .catch((error: unknown) => {
      // The project is complete without its history.
      if (!signal.aborted) process.stderr.write(`the demonstration was not filled: ${String(error)}\n`)
    })
    .finally(live.resolve)
  const traffic = hasTraffic ? live.promise.then(() => generateTraffic(demo, signal)) : undefined
  return { ended: Promise.all([traffic, history]), stop: () => ending.abort() }
}

/** The demonstration once an engine decides for it. */
export async function readServedDemo(platformDir: string, pid: number | undefined): Promise<Demo | undefined> {
  const demo = await readDemo(platformDir, pid)
  return demo?.engineUrl !== undefined && (await isDecided(demo)) ? demo : undefined
}

export const engineEnvironment = (demo: Demo): Readonly<Record<string, string>> => ({
  ...quietly('ENGINE_LOG_LEVEL'),
  ENGINE_CONNECT_TOKEN: demo.connectToken,
})

/** On a terminal, logs would hide the summary. */
export function quietly(variable: string): Readonly<Record<string, string>> {
  const isChosen = process.env[variable] !== undefined || !process.stdout.isTTY
  return isChosen ? {} : { [variable]: 'warn' }
}

export function platformArguments(dataDir: string, port: string, hasDemo: boolean): readonly string[] {
  const isPlaced = ['ENGINE_PLATFORM_HTTP_ADDR', 'ENGINE_PLATFORM_PORT'].some((name) => process.env[name] !== undefined)
  const place = isPlaced ? [] : ['--http-addr', `127.0.0.1:${port}`]
  const isAllowed = process.env['ENGINE_PLATFORM_ENGINE_ALLOW'] !== undefined
  const engines = isAllowed ? [] : ['--engine-allow', 'peer,127.0.0.0/8,[::1]']
  const demo = hasDemo ? ['--demo'] : []
  return ['--data-dir', dataDir, ...demo, ...engines, ...place]
}

/** The options of `engine-server`; those of the user win. */
export function engineArguments(dataDir: string, { platformUrl }: Demo, given: readonly string[]): readonly string[] {
  const examples = packageFile(import.meta.url, '../../examples')
  const ours = [
    ['--rules-dir', join(dataDir, 'rules')],
    ['--seed-dir', examples],
    ['--platform-server-name', 'local'],
    ['--platform-url', platformUrl],
    ['--sample-decisions', '100'],
  ] as const
  return withDefaults(ours, given)
}

/** Name of the engine that serves staging and prod. */
const LIVE_ENGINE = 'live'

/** The options of the engine that serves staging and prod, each as a tenant, at a free port. */
export function liveEngineArguments(dataDir: string, { platformUrl }: Demo): readonly string[] {
  const ours = [
    ['--rules-dir', join(dataDir, 'live-rules')],
    ['--http-addr', '127.0.0.1:0'],
    ['--platform-server-name', LIVE_ENGINE],
    ['--platform-url', platformUrl],
    ['--sample-decisions', '100'],
  ] as const
  return withDefaults(ours, ['--disable-grpc', '--multi-tenancy-enabled'])
}

function withDefaults(ours: readonly (readonly [flag: string, value: string])[], given: readonly string[]) {
  const isGiven = (flag: string) => given.some((one) => one === flag || one.startsWith(`${flag}=`))
  return [...ours.filter(([flag]) => !isGiven(flag)).flat(), ...given]
}

/** Poll until something is found; after `SLOW_MS` report once what is missing. Throws `SessionEnd` with the session. */
export async function waitFor<Found>(
  what: string,
  session: Session,
  look: () => Promise<Found | undefined>,
): Promise<Found> {
  const begun = performance.now()
  for (let isSlow = false; ;) {
    session.check()
    const found = await look()
    if (found !== undefined) return found
    if (!isSlow && performance.now() - begun > SLOW_MS) {
      isSlow = true
      process.stderr.write(`${what} is not ready yet\n`)
    }
    await delay(POLL_INTERVAL_MS)
  }
}

/** Where an installation without a demonstration is found. The platform itself prints the link of the first sign-in. */
export const emptySummary = (url: string): string => `
Platform  ${url}, described at ${url}/docs

There is no organization yet. The engine decides by itself, without rulesets; to connect it, start again with the token of
the page Engines in the studio:

  npm start -- --no-demo -- --platform-url ${url} --platform-server-name local --platform-connect-token <token>

`

/** The engine reports its host name, which this machine may not resolve. */
const onThisMachine = (url: string) => url.replace(`//${hostname()}:`, '//localhost:')

/** Where the demonstration is found. The platform itself prints the link of the first sign-in. */
export function summary(demo: Demo): string {
  return `
Engine    ${onThisMachine(demo.engineUrl ?? '')}
Platform  ${demo.platformUrl}, described at ${demo.platformUrl}/docs

A decision through the platform, by the project of the organization Demo:

  ${curlOf(demo)}

`
}
