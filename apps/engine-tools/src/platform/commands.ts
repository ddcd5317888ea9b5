import type { Value } from '@engine/expression'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { createPlatformClient, type PlatformClient } from './client.ts'
import { askPassword } from './password.ts'
import { idIn, type Preview, previewText, releaseIn, requestOf, untilApproved, type Wanted, watch } from './release.ts'
import { readSession, removeSession, sessionFile, writeSession } from './session.ts'
import { addJson, type JsonFlag, printResult } from '../output.ts'
import { ToolError } from '../tool.ts'

const { env } = process

/** The URL of the platform; undefined: that of the session. */
interface AtPlatform {
  readonly url?: string
}

interface Place extends AtPlatform {
  readonly project: string
}

const AT_PLATFORM =
  '\nThe platform is --url or ENGINE_PLATFORM_URL, else that of the last `engine login`; the project is --project or\nENGINE_PROJECT. A key in ENGINE_API_KEY is used in place of the session; it approves nothing: approvals need a person.'

const urlOption = () =>
  new Option('-u, --url <url>', 'of the platform').env('ENGINE_PLATFORM_URL').argParser(platformUrl)

interface LoginFlags extends JsonFlag {
  readonly email: string
  readonly url: string
}

/** `engine login` */
export function defineLogin(command: Command): void {
  addJson(command)
    .addHelpText('after', AT_PLATFORM)
    .requiredOption('-e, --email <email>', 'of the account; the password is prompted for, or read from standard input')
    .addOption(urlOption().makeOptionMandatory())
    .action(async ({ email, url, json }: LoginFlags) => {
      const password = await askPassword(email)
      const { headers } = await createPlatformClient(url, { kind: 'none' }).post('/auth/login', { email, password })
      const cookie = headers
        .getSetCookie()
        .map((one) => one.split(';')[0] ?? '')
        .join('; ')
      await writeSession(sessionFile(env), { url, cookie })
      printResult({ json }, { url, email }, `signed in at ${url} as ${email}`)
    })
}

/** `engine logout` */
export function defineLogout(command: Command): void {
  addJson(command).action(async ({ json }: JsonFlag) => {
    const session = await readSession(sessionFile(env))
    if (session === undefined) return printResult({ json }, { url: null }, 'no session')
    await removeSession(sessionFile(env))
    await createPlatformClient(session.url, { kind: 'session', cookie: session.cookie }).post('/auth/logout', {})
    printResult({ json }, { url: session.url }, `signed out at ${session.url}`)
  })
}

/** A command about releases of a project. */
function about(release: Command, name: string, description: string): Command {
  return release
    .command(name)
    .description(description)
    .addOption(urlOption())
    .addOption(
      new Option('-p, --project <id>', 'of the project')
        .env('ENGINE_PROJECT')
        .argParser(identity)
        .makeOptionMandatory(),
    )
    .option('--json', "print the platform's response as JSON")
}

/** The same for an existing release. */
const aboutOne = (release: Command, name: string, description: string): Command =>
  about(release, name, description).argument('<release>', 'its id', identity)

const repeated = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value]

function rulesets(value: string, before: readonly string[] | undefined): readonly string[] {
  if (!/^[^@]+(@\d+)?$/.test(value))
    throw new InvalidArgumentError('Not a name, or a name, @ and the number of a save.')
  return repeated(value, before)
}

/** A change of result as the platform takes it. */
type ExpectedChange = { readonly [name in 'from' | 'to' | 'share']?: Value }

function expectedChanges(value: string, before: readonly ExpectedChange[] | undefined): readonly ExpectedChange[] {
  const { from, to, percent } = /^(?<from>.+?)->(?<to>.+?)(?:<=(?<percent>\d+(?:\.\d+)?)%)?$/.exec(value)?.groups ?? {}
  if (from === undefined || to === undefined)
    throw new InvalidArgumentError('Not two results such as PRICED->DENIED, or PRICED->DENIED<=10%.')
  return [...(before ?? []), { from, to, ...(percent !== undefined && { share: Number(percent) / 100 }) }]
}

/** The same for creating a release. */
function making(release: Command, name: string, description: string): Command {
  return about(release, name, description)
    .requiredOption('-r, --ruleset <name[@seq]>', 'a ruleset, of its last save or of this one; several times', rulesets)
    .requiredOption('-e, --environment <name>', 'where it goes; several times', repeated)
    .option('-t, --title <title>', 'for those who approve')
    .option('-d, --description <text>', 'for those who approve')
    .option('--acknowledge-breaking', 'callers are ready for a contract that breaks')
}

type Flags = Place & JsonFlag

/** The options of `engine release execute`. */
interface ExecuteOptions {
  readonly emergencyReason?: string
  readonly expect?: readonly ExpectedChange[]
  readonly wait?: number
}

/** `engine release` */
export function defineRelease(command: Command): void {
  command.addHelpText('after', AT_PLATFORM)
  making(
    command,
    'preview',
    'Show what a release would change and whose approval it needs; exit code 1 when it cannot be created.',
  ).action(async (flags: Flags & Wanted) => {
    const { client, path } = await projectOf(flags)
    const { body } = await client.post(`${path}/releases/preview`, await requestOf(client, flags.project, flags))
    const preview = body as unknown as Preview
    printResult(flags, body, previewText(preview))
    if (!preview.would_create) process.exitCode = 1
  })

  making(command, 'create', 'Make a release; prints its id on the last line.').action(async (flags: Flags & Wanted) => {
    const { client, path } = await projectOf(flags)
    const { body } = await client.post(`${path}/releases`, await requestOf(client, flags.project, flags))
    const { number, title, status, id } = releaseIn(body)
    printResult(flags, body, `release ${number} “${title}” is ${status}\n${id}`)
  })

  aboutOne(command, 'approve', 'Approve the content that a release has now; needs `engine login`.')
    .option('-c, --comment <text>', 'kept with the approval')
    .action(async (id: string, flags: Flags & { readonly comment?: string }) => {
      const { client, path } = await projectOf(flags)
      const one = `${path}/releases/${id}`
      const { content_digest } = releaseIn(await client.get(one))
      const comment = flags.comment === undefined ? {} : { comment: flags.comment }
      const { body } = await client.post(`${one}/approve`, { content_digest, ...comment })
      const { number, status } = releaseIn(body)
      printResult(flags, body, `release ${number} is ${status}`)
    })

  aboutOne(command, 'execute', 'Bring a release to its environments.')
    .option('--emergency-reason <text>', 'of an owner, in a freeze window')
    .option(
      '--expect <from->to>',
      'a change of result that holds no stage of a canary, with a limit as from->to<=10%; several times',
      expectedChanges,
    )
    .option('--wait <minutes>', 'wait for the approvals, at most for this time', minutes)
    .action(async (id: string, flags: Flags & ExecuteOptions) => {
      const { client, path } = await projectOf(flags)
      const one = `${path}/releases/${id}`
      const { wait, emergencyReason, expect } = flags
      if (wait !== undefined)
        await within(wait, `the release is not approved after ${wait} minutes (--wait)`, (signal) =>
          untilApproved(client, one, signal),
        )
      const { body } = await client.post(`${one}/execute`, {
        ...(emergencyReason !== undefined && { emergency_reason: emergencyReason }),
        ...(expect !== undefined && { expect }),
      })
      printResult(flags, body, `execution ${idIn(body)} has begun`)
    })

  aboutOne(
    command,
    'watch',
    'Show the progress of a release until it is live; exit code 1 when it fails or is withdrawn.',
  )
    .option('--timeout <minutes>', 'give up after this time', minutes, 60)
    .action(async (id: string, flags: Flags & { readonly timeout: number }) => {
      const { client, path } = await projectOf(flags)
      const show = (line: string, answer: Value) => printResult(flags, answer, line)
      const { timeout } = flags
      const isLive = await within(timeout, `the release is not live after ${timeout} minutes (--timeout)`, (signal) =>
        watch(client, `${path}/releases/${id}`, show, signal),
      )
      if (!isLive) process.exitCode = 1
    })
}

/** Rejects with a `ToolError` when the time is over. */
async function within<Result>(
  time: number,
  message: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const signal = AbortSignal.timeout(time * 60_000)
  try {
    return await work(signal)
  } catch (error) {
    if (signal.aborted) throw new ToolError(message)
    throw error
  }
}

async function projectOf({
  url: given,
  project,
}: Place): Promise<{ readonly client: PlatformClient; readonly path: string }> {
  const path = `/projects/${project}`
  const key = env['ENGINE_API_KEY']
  if (key !== undefined && given !== undefined)
    return { client: createPlatformClient(given, { kind: 'key', key }), path }
  const session = await readSession(sessionFile(env))
  if (session === undefined)
    throw new ToolError('sign in with `engine login`, or give a key (ENGINE_API_KEY, with --url)')
  const { url, cookie } = session
  if (key !== undefined) return { client: createPlatformClient(url, { kind: 'key', key }), path }
  if (given !== undefined && given !== url)
    throw new ToolError(`the session is one of ${url}: sign in with \`engine login --url ${given}\``)
  return { client: createPlatformClient(url, { kind: 'session', cookie }), path }
}

/** Without a trailing slash. */
function platformUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('Not a URL of http or https, such as https://platform.example.com.')
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** A text that can be a part of a path. */
function identity(text: string): string {
  if (!/^[\w-]{1,64}$/.test(text)) throw new InvalidArgumentError('Not an id.')
  return text
}

function minutes(text: string): number {
  const value = Number(text)
  if (!(value > 0 && value <= 10_000)) throw new InvalidArgumentError('Not a number of minutes from 0 to 10000.')
  return value
}
