import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseTokens } from '../apps/engine-server/src/access/tokens.ts'
import { createCommandLine } from '../apps/engine-tools/src/command-line.ts'
import { COMMANDS } from '../apps/engine-tools/src/command-table.ts'
import { completedCommand, completionScript } from '../apps/engine-tools/src/completion/script.ts'
import { spawned } from './engine-server.testing.ts'
import { runTool } from './programs.testing.ts'

type Command = Awaited<ReturnType<typeof createCommandLine>>

const directory = mkdtempSync(join(tmpdir(), 'engine-command-line-'))
afterAll(() => rmSync(directory, { recursive: true }))

const engine = (...args: string[]) => runTool('engine', args, directory)

/** Every command that has a separate action, by its path. */
const leaves = (command: Command, path = ''): (readonly [string, Command])[] =>
  command.commands.length === 0
    ? [[path.trim(), command]]
    : command.commands.flatMap((child) => leaves(child, `${path} ${child.name()}`))

let all: readonly (readonly [string, Command])[]
beforeAll(async () => {
  all = leaves(await createCommandLine(() => true))
})

describe('every command', () => {
  test('is in the help, in its group', async () => {
    const { code, stdout, stderr } = await engine('--help')
    expect([code, stderr]).toEqual([0, ''])
    for (const { name, group, summary } of COMMANDS) {
      expect(stdout).toMatch(new RegExp(`^  ${name} {2,}${RegExp.escape(summary.slice(0, 40))}`, 'm'))
      expect(stdout).toContain(`\n${group}\n`)
    }
  })

  test('has --json, but for those that start servers, print a script or always print JSON', () => {
    const without = all.filter(([, command]) => !command.options.some(({ long }) => long === '--json'))
    expect(without.map(([path]) => path)).toEqual(['schema', 'serve', 'platform', 'completion'])
  })

  test('has a description, and options with descriptions', () => {
    for (const [path, command] of all) {
      expect(command.description(), path).toMatch(/\S/)
      for (const { long, description } of command.options) expect(description, `${path} ${long}`).toMatch(/\S/)
    }
  })

  test('points to its own help after a wrong call, with exit code 2', async () => {
    expect(await engine('release', 'preview')).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: .*\nSee `engine release preview --help`\.\n$/),
    })
  })
})

const VIP = join(import.meta.dirname, '../examples/vip-discount/ruleset.json')

describe('a typo', () => {
  test.each([
    [['chek'], /unknown command 'chek'\n\(Did you mean check\?\)/],
    [['release', 'creat'], /unknown command 'creat'\n\(Did you mean create\?\)/],
    [['check', '--formt', 'json'], /unknown option '--formt'\n\(Did you mean --format\?\)/],
    [['check', '--format', 'jsn'], /Allowed choices are text, json, /],
    [['run', 'a.json', '--inptu', 'b.json'], /unknown option '--inptu'\n\(Did you mean --input\?\)/],
    [['run'], /missing required argument 'file'/],
    [['run', 'a.json'], /required option '-i, --input <file>' not specified/],
    [['help', 'chek'], /unknown command 'chek'\n\(Did you mean check\?\)/],
    [['chek', '--help'], /unknown command 'chek'\n\(Did you mean check\?\)/],
    [
      ['why', VIP, '--input', VIP, '--code', 'VIP_GOLD_PLS'],
      /has no result `VIP_GOLD_PLS`: did you mean `VIP_GOLD_PLUS`\?/,
    ],
    [['why', VIP, '--input', VIP, '--code', 'X'], /has no result `X`: its results are .*`VIP_GOLD_PLUS`/],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await engine(...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(message)
  })
})

describe('a path', () => {
  test.each([
    ['a file that is absent', ['show', 'none.json'], 'none.json: cannot be read: it does not exist'],
    ['a folder for a file', ['show', '.', '--cases', '.'], 'there is no rule file here'],
    [
      'a folder for the input',
      ['run', VIP, '--input', '.', '--input-format', 'json'],
      '.: cannot be read: it is a folder',
    ],
    [
      'a folder in a file',
      ['show', `${VIP}/a.json`],
      'a.json: cannot be read: a part of its path is a file, where a folder',
    ],
    [
      'an output in a folder that is absent',
      ['show', VIP, '--format', 'svg', '-o', 'none/a.svg'],
      'none/a.svg: cannot be written: its folder does not exist',
    ],
    [
      'a name that is not of a rule file',
      ['run', '/dev/null', '--input', VIP],
      '/dev/null: expected a name that ends in .json',
    ],
  ])('%s', async (_case, args, message) => {
    const { code, stdout, stderr } = await engine(...args)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(message)
  })
})

describe('--json', () => {
  const example = VIP
  test.each([
    ['check', example],
    ['analyze', example],
    ['impact', example, example],
    ['show', example],
  ])('of %s prints JSON', async (...args) => {
    const { stdout, stderr } = await engine(...args, '--json')
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toBeTypeOf('object')
  })

  test('contradicts --format', async () => {
    expect(await engine('check', '--json', '--format', 'text')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--json contradicts --format'),
    })
  })
})

describe('colors', () => {
  const onTerminal = async (env: Record<string, string>) => {
    const command = `exec engine check ${join(import.meta.dirname, '../examples/vip-discount')}`
    const one = spawned('script', ['-qefc', command, '/dev/null'], { TERM: 'xterm-256color', ...env })
    expect(await one.ended).toBe(0)
    return one.stdout()
  }
  test('mark good and bad on a terminal', async () => {
    expect(await onTerminal({})).toContain('\u{1b}[32m✓\u{1b}[39m')
  })
  test('are absent with NO_COLOR, and where the output is no terminal', async () => {
    expect(await onTerminal({ NO_COLOR: '1' })).not.toContain('\u{1b}')
    expect((await engine('help')).stdout).not.toContain('\u{1b}')
  })
})

test('the reader of the output may end early', () => {
  const bin = join(import.meta.dirname, '../node_modules/.bin')
  const line = execFileSync('bash', ['-c', 'set -o pipefail; engine completion bash | head -1'], {
    env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` },
    encoding: 'utf8',
  })
  expect(line).toMatch(/^# Completion of engine/)
})

describe('engine token', () => {
  test('writes a line that a server accepts, and a token with that digest', async () => {
    const { code, stdout } = await engine('token', 'orders', '--scope', 'read,execute', '--tenant', 'a,b', '--json')
    expect(code).toBe(0)
    const { token, line } = JSON.parse(stdout) as { token: string; line: string }
    const [read] = parseTokens(line)
    expect(read).toMatchObject({ name: 'orders', scopes: new Set(['read', 'execute']), tenants: new Set(['a', 'b']) })
    expect(read?.digest).toEqual(createHash('sha256').update(token).digest())
  })

  test('adds the line to a file that only its owner can read, and prints the token alone', async () => {
    for (const name of ['one', 'two']) {
      const { code, stdout } = await engine('token', name, '--scope', 'admin', '--file', 'tokens.txt')
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f]{64}\n$/)])
    }
    const file = join(directory, 'tokens.txt')
    expect(parseTokens(readFileSync(file, 'utf8')).map(({ name }) => name)).toEqual(['one', 'two'])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test.each([
    [['x', '--scope', 'dance'], '`dance` is not one of read, execute, trace, write, admin'],
    [['a b', '--scope', 'read'], 'Expected 1 to 64 letters'],
    [['x', '--scope', 'read', '--tenant', 'a/b'], 'Expected ids of tenants'],
    [['x'], 'required option'],
  ])('refuses %j', async (args, message) => {
    expect(await engine('token', ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  })
})

describe('servers', () => {
  test.each([
    [['serve', '--version'], /^\d+\.\d+\.\d+\n$/],
    [['serve', '--help'], /--rules-dir/],
    [['platform', '--help'], /--database-url/],
    [['platform', 'migrate', '--help'], /database/],
  ])('engine %j is answered by their programs', async (args, output) => {
    const { code, stdout } = await engine(...args)
    expect(code).toBe(0)
    expect(stdout).toMatch(output)
  })

  test('their exit codes and signals are passed on', async () => {
    expect(await engine('serve', '--prot', '1')).toMatchObject({ code: 2, stderr: expect.stringContaining('--port') })
    const bin = join(import.meta.dirname, '../node_modules/.bin/engine')
    const one = spawned(bin, ['serve', '--http-addr', '127.0.0.1:0', '--disable-grpc'])
    await one.says(/listens on/)
    one.process.kill('SIGTERM')
    expect(await one.ended).toBe(0)
  })
})

describe('completion', () => {
  /** The words that bash offers after this command line. */
  function completed(script: string, words: readonly string[]): readonly string[] {
    const program = [
      script,
      `COMP_WORDS=(engine ${words.map((word) => `'${word}'`).join(' ')})`,
      `COMP_CWORD=${words.length}`,
      '_engine',
      'printf "%s\\n" "${COMPREPLY[@]}"',
    ].join('\n')
    return execFileSync('bash', ['--norc', '-c', program], { encoding: 'utf8' }).trim().split('\n')
  }

  let script: string
  beforeAll(async () => {
    script = (await engine('completion', 'bash')).stdout
  })

  test.each([
    [['ch'], ['check']],
    [['release', 'cr'], ['create']],
    [['release', 'create', '--ack'], ['--acknowledge-breaking']],
    [
      ['check', '--format', 'j'],
      ['json', 'junit'],
    ],
    [['check', '-f', 't'], ['text']],
    [['sign', '--pri'], ['--private-key']],
    // The shell completes file names.
    [['check', 'rul'], ['']],
  ])('of %j in bash', (words, expected) => {
    expect(completed(script, words)).toEqual(expected)
  })

  test('offers every command of the table at the first word', () => {
    expect(completed(script, [''])).toEqual(COMMANDS.map(({ name }) => name))
  })

  /** Shells that are installed parse the scripts; all scripts are generated from the same tree. */
  test.each(['zsh', 'fish'] as const)('%s gets every command and option with its summary', async (shell) => {
    const program = completedCommand(await createCommandLine(() => true))
    const text = completionScript(shell, program)
    const file = join(directory, `completion.${shell}`)
    expect((await engine('completion', shell)).stdout).toBe(text)
    for (const { name } of COMMANDS) expect(text).toContain(name)
    expect(text).toContain(shell === 'fish' ? '-l acknowledge-breaking' : '--acknowledge-breaking:')
    const isInstalled = ['/bin', '/usr/bin'].some((folder) => existsSync(join(folder, shell)))
    if (!isInstalled) return
    execFileSync('sh', ['-c', `cat > ${file}`], { input: text })
    chmodSync(file, 0o600)
    execFileSync(shell, ['-n', file])
  })

  test('of another shell is refused', async () => {
    expect(await engine('completion', 'cmd')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('bash, zsh, fish'),
    })
  })
})
