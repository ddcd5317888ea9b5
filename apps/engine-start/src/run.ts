import { delay, packageFile, withNpx } from '@engine/process'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { HELP, readArguments, type StartArguments } from './arguments.ts'
import { curlOf, type Demo, isDecided, readDemo, readLink } from './demo.ts'
import { type Program, startProgram } from './program.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const LOOK_MS = 100
/** Milliseconds after which it is said what is waited for. */
const LONG_MS = 20_000

/** Why the start is given up: a program ended, or both are asked to. */
class Over extends Error {}

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
  const running: Program[] = []
  let isAsked = false
  let isOver = false
  const over = Promise.withResolvers<never>()
  // It is looked at when the start is over, too.
  over.promise.catch(() => {})
  const end = (reason: string) => {
    isOver = true
    over.reject(new Over(reason))
  }
  const ask = () => {
    isAsked = true
    end('')
  }
  for (const signal of SIGNALS) process.on(signal, ask)
  void withNpx().then(ask)
  const start = (...[name, programArgs, env]: Parameters<typeof startProgram>) => {
    if (isOver) throw new Over()
    const program = startProgram(name, programArgs, env)
    running.push(program)
    void program.ended.then((how) => end(`${name} ended (${how})`))
    return program
  }
  try {
    await Promise.race([announced(read, start, () => isOver), over.promise])
    return await over.promise
  } catch (error) {
    await stopAll(running)
    if (!(error instanceof Over)) throw error
    if (isAsked) return 0
    process.stderr.write(
      `error: ${error.message}, and so the other program was ended as well; its message stands above\n`,
    )
    return 1
  }
}

/** The engine first: it says goodbye to the platform. */
async function stopAll(running: readonly Program[]): Promise<void> {
  for (const program of running.toReversed()) {
    program.stop()
    await program.ended
  }
}

type Start = (...args: Parameters<typeof startProgram>) => Program

/** Both programs are started, one after the other, and what can be done with them is shown. */
async function announced(
  { dataDir, platformPort, engine }: StartArguments,
  start: Start,
  isOver: () => boolean,
): Promise<void> {
  const platformDir = join(dataDir, 'platform')
  const platform = start(
    'engine-platform',
    platformArguments(platformDir, platformPort),
    quietly('ENGINE_PLATFORM_LOG_LEVEL'),
  )
  const demo = await untilThere('the platform', isOver, () => readDemo(platformDir, platform.pid))
  start('engine-server', engineArguments(dataDir, demo, engine), {
    ...quietly('ENGINE_LOG_LEVEL'),
    ENGINE_CONNECT_TOKEN: demo.connectToken,
  })
  const served = await untilThere('the engine', isOver, async () => {
    const now = await readDemo(platformDir, platform.pid)
    return now?.engineUrl !== undefined && (await isDecided(now)) ? now : undefined
  })
  process.stdout.write(summary(served, await readLink(platformDir)))
}

/** At a terminal the logs would hide what is shown. */
function quietly(variable: string): Readonly<Record<string, string>> {
  const isChosen = process.env[variable] !== undefined || !process.stdout.isTTY
  return isChosen ? {} : { [variable]: 'warn' }
}

function platformArguments(dataDir: string, port: string): readonly string[] {
  const isPlaced = ['ENGINE_PLATFORM_HTTP_ADDR', 'ENGINE_PLATFORM_PORT'].some((name) => process.env[name] !== undefined)
  const place = isPlaced ? [] : ['--http-addr', `127.0.0.1:${port}`]
  const isAllowed = process.env['ENGINE_PLATFORM_ENGINE_ALLOW'] !== undefined
  const engines = isAllowed ? [] : ['--engine-allow', 'peer,127.0.0.0/8,[::1]']
  return ['--data-dir', dataDir, '--demo', 'ecommerce-coupon', ...engines, ...place]
}

/** What its user says wins. */
function engineArguments(dataDir: string, { platformUrl }: Demo, given: readonly string[]): readonly string[] {
  const examples = packageFile(import.meta.url, '../../examples')
  const ours = [
    ['--rules-dir', join(dataDir, 'rules')],
    ['--seed-dir', examples],
    ['--platform-server-name', 'local'],
    ['--platform-url', platformUrl],
  ] as const
  const isGiven = (flag: string) => given.some((one) => one === flag || one.startsWith(`${flag}=`))
  return [...ours.filter(([flag]) => !isGiven(flag)).flat(), ...given]
}

async function untilThere<Found>(
  what: string,
  isOver: () => boolean,
  look: () => Promise<Found | undefined>,
): Promise<Found> {
  const begun = performance.now()
  for (let isLong = false; ;) {
    // A wait that nothing ends would keep the process.
    if (isOver()) throw new Over()
    const found = await look()
    if (found !== undefined) return found
    if (!isLong && performance.now() - begun > LONG_MS) {
      isLong = true
      process.stderr.write(`${what} is not ready yet\n`)
    }
    await delay(LOOK_MS)
  }
}

/** The engine tells the platform the name of its host, which the machine itself may not resolve. */
const onThisMachine = (url: string) => url.replace(`//${hostname()}:`, '//localhost:')

function summary(demo: Demo, link: string | undefined): string {
  return `
Engine    ${onThisMachine(demo.engineUrl ?? '')}
Platform  ${demo.platformUrl}, described at ${demo.platformUrl}/docs
${link === undefined ? '' : `Sign in   ${link} (once)\n`}
A decision through the platform, by the project of the organization Demo:

  ${curlOf(demo)}

`
}
