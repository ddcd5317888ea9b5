import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join, resolve } from 'node:path'
import type { TestServer } from '../http/server.testing.ts'
import { ROOT } from './page.testing.ts'

/** A command of a block, with its arguments after expansion by the shell. */
export interface Command {
  readonly program: string
  readonly args: readonly string[]
  /** The answer that the page shows below it: `# {"status":…}`, `# 400 {…}`, or CSV, `# line,…`. Empty: any successful answer. */
  readonly answer: string
}

/** Programs that a block may start: they are written down instead, and run by the test. */
const RECORDED = ['npx', 'curl', 'grpcurl']
const ANSWER = /^# ((?:\d{3} )?(?:[[{]|line,).*)$/

/**
 * The commands of a block. The shell runs it in `directory`: variables, quotes and files that the block writes are as for a
 * reader who pastes it.
 */
export function commandsOf(block: string, directory: string): readonly Command[] {
  const functions = RECORDED.map((name) => `${name}() { printf '%s\\0' ${name} "$@" >&3; printf '\\1' >&3; }`)
  const script = [
    'set -eu',
    ...functions,
    // A token that the commands after it use: made while the shell runs.
    `eval "record_$(declare -f npx)"; npx() { if [ "\${3-}" = token ]; then engine "\${@:3}"; else record_npx "$@"; fi; }`,
    'answer() { printf "%s\\0" answer "$1" >&3; printf "\\1" >&3; }',
    ...block.split('\n').map((line) => {
      const answer = ANSWER.exec(line)?.[1]
      return answer === undefined ? line : `answer '${answer.replaceAll("'", String.raw`'\''`)}'`
    }),
  ].join('\n')
  const recorded = execFileSync('bash', ['--norc', '-c', `{ ${script}\n} 3>&1 >/dev/null`], {
    cwd: directory,
    encoding: 'utf8',
    env: { PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` },
  })
  const commands: Command[] = []
  for (const record of recorded.split('\u{1}').slice(0, -1)) {
    const [program = '', ...args] = record.split('\0').slice(0, -1)
    const last = commands.at(-1)
    if (program !== 'answer') commands.push({ program, args, answer: '' })
    else if (last === undefined) throw new Error(`an answer without a command: ${args[0] ?? ''}`)
    else commands[commands.length - 1] = { ...last, answer: last.answer + (args[0] ?? '') }
  }
  return commands
}

/** Options of the server with their files and directories below `directory`. */
export function localOptions(options: readonly string[], directory: string): readonly string[] {
  return options.map((option, index) =>
    /^--[\w-]*(?:-dir|-file|-cert|-key|-path)$/.test(options[index - 1] ?? '')
      ? option === 'examples'
        ? join(ROOT, option)
        : join(directory, option)
      : option,
  )
}

export interface Answered {
  readonly status: number
  readonly text: string
}

/** Does what curl does with these arguments; of curl's options, those that the pages use. */
export function curl(args: readonly string[], server: TestServer, directory: string): Promise<Answered> {
  let method: string | undefined
  let url = ''
  let socket: string | undefined
  let body: string | Uint8Array | undefined
  const headers: Record<string, string> = {}
  const rest = [...args]
  const next = (option: string) => rest.shift() ?? fail(`${option} of curl lacks its value`)
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '-s') continue
    if (arg === '-X') method = next(arg)
    else if (arg === '-H') {
      const [name = '', value = ''] = next(arg).split(/: (.*)/)
      headers[name] = value
    } else if (arg === '-d' || arg === '--data-binary') {
      const data = next(arg)
      body = data.startsWith('@') ? readFileSync(resolve(directory, data.slice(1))) : data
    } else if (arg === '--unix-socket') socket = join(directory, next(arg))
    else if (arg.startsWith('-')) fail(`curl is used with ${arg}`)
    else url = arg
  }
  const path = /^(?:http:\/\/)?localhost(?::8080)?(?<path>\/.*)$/.exec(url)?.groups?.['path']
  if (path === undefined) return Promise.reject(new Error(`curl is used with the address ${url}`))
  method ??= body === undefined ? 'GET' : 'POST'
  return socket === undefined ? server.request(method, path, { body, headers }) : overSocket(socket, method, path)
}

function overSocket(socketPath: string, method: string, path: string): Promise<Answered> {
  return new Promise((done, failed) => {
    const sent = request({ socketPath, method, path }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => done({ status: response.statusCode ?? 0, text }))
    })
    sent.on('error', failed).end()
  })
}

/** The expected answer, from the page's comment: `…` matches anything. */
export function expectation(answer: string): { readonly status: RegExp; readonly text: RegExp } {
  const [, status = '2\\d\\d', text = ''] = /^(?:(\d{3}) )?(.*)$/.exec(answer) ?? []
  const pattern = text.split('…').map(RegExp.escape).join('[^]*?')
  return { status: new RegExp(`^${status}$`), text: text === '' ? /(?:)/ : new RegExp(`^${pattern}$`) }
}

function fail(message: string): never {
  throw new Error(message)
}
