import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/**
 * `npm run cluster`: a broker, a writer and three readers on free ports of loopback, with the accounts of `nats/`, until
 * Ctrl-C. Everything is in one temporary folder, which goes with them. Exit code 0 after a signal, 1 when it could not start
 * or one of the programs ended.
 */
const ROOT = join(import.meta.dirname, '..')
const BIN = join(ROOT, 'node_modules/.bin')
const READERS = ['reader-1', 'reader-2', 'reader-3'] as const
/** Milliseconds that programs have to end after SIGTERM. */
const PATIENCE_MS = 10_000

/** A program of the cluster. */
interface Member {
  readonly name: string
  readonly child: ChildProcess
  /** How it ended, for people. */
  readonly ended: Promise<string>
  /** The end of its output. */
  said(): string
}

interface Engine extends Member {
  readonly url: string
}

/** The cluster is over; the message says why. */
class Over extends Error {}

const members: Member[] = []

/** Start a program. It is in a group of its own: Ctrl-C reaches it through us alone, once and in order. */
function start(name: string, program: string, args: readonly string[], env: Readonly<Record<string, string>>): Member {
  if (isEnding) throw new Over(`${name} is not started any more`)
  const child = spawn(program, [...args], {
    cwd: ROOT,
    detached: true,
    env: { PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text = (text + chunk).slice(-20_000)))
  const ended = new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  const member: Member = { name, child, ended, said: () => text }
  members.push(member)
  return member
}

/** Waits until the member prints this; the result is the first group. Throws `Over` when it ends before. */
async function heard({ name, child, ended, said }: Member, pattern: RegExp): Promise<string> {
  const found = new Promise<string>((resolve) => {
    const look = () => {
      const [, part] = pattern.exec(said()) ?? []
      if (part !== undefined) resolve(part)
    }
    child.stdout?.on('data', look)
    child.stderr?.on('data', look)
  })
  const over = ended.then((how) => {
    throw new Over(`${name} ended before it was ready: ${how}\n${said()}`)
  })
  return Promise.race([found, over])
}

/** Start the broker; gives its addresses for its two users. */
async function startBroker(folder: string): Promise<Readonly<Record<'writer' | 'reader', string>>> {
  const password = () => `p${randomBytes(16).toString('hex')}`
  const [writer, reader] = [password(), password()]
  copyFileSync(join(import.meta.dirname, 'nats/accounts.conf'), join(folder, 'accounts.conf'))
  const config = join(folder, 'nats.conf')
  writeFileSync(
    config,
    `max_payload: 8MB\njetstream { store_dir: ${JSON.stringify(join(folder, 'nats'))} }\ninclude "./accounts.conf"\n`,
  )
  const program = process.env['NATS_BIN'] ?? 'nats-server'
  const broker = start('the broker', program, ['-a', '127.0.0.1', '-p', '-1', '-c', config], {
    NATS_WRITER_PASSWORD: writer,
    NATS_READER_PASSWORD: reader,
    NATS_SYSTEM_PASSWORD: password(),
  })
  if (broker.child.pid === undefined)
    throw new Over(
      `\`${program}\` cannot be started: install it (apt-get install nats-server, brew install nats-server), or name it in NATS_BIN`,
    )
  const address = await heard(broker, /client connections on ([^\s]+)[^]*Server is ready/)
  return { writer: `nats://writer:${writer}@${address}`, reader: `nats://reader:${reader}@${address}` }
}

/** Start an engine on free ports; resolves when it listens. */
async function startEngine(name: string, broker: string, args: readonly string[]): Promise<Engine> {
  // Not as an argument, which all users of the machine can read.
  const env = { ENGINE_BROKER_URL: broker }
  const fixed = ['--http-addr', '127.0.0.1:0', '--disable-grpc', '--instance-id', name]
  const member = start(name, join(BIN, 'engine-server'), [...fixed, ...args], env)
  const url = await heard(member, /listens on (http:\S+?):? /)
  return { ...member, url }
}

/** Start everything, print how to use it, and wait until something ends, which is the result. */
async function cluster(folder: string): Promise<string> {
  const broker = await startBroker(folder)
  const writer = await startEngine('writer', broker.writer, ['--role', 'writer', '--rules-dir', join(folder, 'rules')])
  const readers = await Promise.all(
    READERS.map((name) => startEngine(name, broker.reader, ['--role', 'reader', '--writer-addr', writer.url])),
  )
  process.stdout.write(usage(writer, readers))
  return Promise.race(members.map(({ name, ended }) => ended.then((how) => `${name} ended: ${how}`)))
}

const RULESET = JSON.stringify({
  config: { name: 'adult-check', version: '1.0.0', entry_step: 'check' },
  steps: {
    check: {
      id: 'check',
      type: 'decision',
      branches: [{ condition: 'age >= 18', next_step: 'yes' }],
      default_next: 'no',
    },
    yes: { id: 'yes', type: 'terminal', result: { code: 'ADULT', message: 'may order' } },
    no: { id: 'no', type: 'terminal', result: { code: 'MINOR', message: 'needs a guardian' } },
  },
})

function usage(writer: Engine, readers: readonly Engine[]): string {
  const json = "-H 'content-type: application/json'"
  const [first, , last] = readers
  return [
    '',
    ...[writer, ...readers].map(({ name, url, child }) => `${name.padEnd(8)} ${url}  process ${child.pid}`),
    '',
    'Store a ruleset on the writer:',
    `  curl -s ${writer.url}/api/v1/rulesets ${json} -d '${RULESET}'`,
    'Decide on a reader:',
    `  curl -s ${first?.url}/api/v1/execute/adult-check ${json} -d '{"input":{"age":21}}'`,
    'See whether a reader has what the writer has (sync.digest and sync.writer_digest):',
    `  curl -s ${last?.url}/health`,
    'A reader changes nothing, and says who does:',
    `  curl -s -X DELETE ${last?.url}/api/v1/rulesets/adult-check`,
    '',
    'Ctrl-C ends them all.',
    '',
    '',
  ].join('\n')
}

/** The engines first: the writer publishes to the broker until its end. */
async function endAll(): Promise<void> {
  const [broker, ...engines] = members
  await Promise.all(engines.map(end))
  if (broker !== undefined) await end(broker)
}

async function end({ child, ended }: Member): Promise<void> {
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
  await ended
  clearTimeout(late)
}

function killAll(): void {
  for (const { child } of members) child.kill('SIGKILL')
}

let isAsked = false
/** No process is started after this. */
let isEnding = false
const asked = new Promise<undefined>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (isAsked) killAll()
      isAsked = true
      resolve(undefined)
    })
})

const folder = mkdtempSync(join(tmpdir(), 'engine-cluster-'))
// Whatever happens to this program, nothing of it stays.
process.on('exit', () => {
  killAll()
  rmSync(folder, { recursive: true, force: true })
})
try {
  const ended = await Promise.race([asked, cluster(folder)])
  if (ended !== undefined) throw new Over(ended)
} catch (error) {
  if (!(error instanceof Over)) throw error
  if (!isAsked) process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
isEnding = true
await endAll()
