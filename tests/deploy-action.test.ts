import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'

/** Holds the action of GitHub in deploy/action to the command line: its check runs as a runner would run it. */

const ACTION = join(import.meta.dirname, '../deploy/action')
const action = parse(readFileSync(join(ACTION, 'action.yml'), 'utf8')) as {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>
  readonly runs: {
    readonly using: string
    readonly steps: readonly {
      readonly shell: string
      readonly run: string
      readonly env?: Readonly<Record<string, string>>
    }[]
  }
}
const [install, check] = action.runs.steps

const directory = mkdtempSync(join(tmpdir(), 'engine-action-'))
afterAll(() => rmSync(directory, { recursive: true }))

const end = (id: string) => ({ id, type: 'terminal', result: { code: 'A', message: '' } })
const ruleset = (name: string, condition: string) =>
  JSON.stringify({
    config: { name, version: '1.0.0', entry_step: 'start' },
    steps: {
      start: { id: 'start', type: 'decision', branches: [{ condition, next_step: 'a' }], default_next: 'b' },
      a: end('a'),
      b: end('b'),
    },
  })
for (const [folder, condition] of [
  ['good', 'exists(a)'],
  ['broken', 'exists(a'],
  ['dead', 'exists(a) && !exists(a)'],
] as const) {
  mkdirSync(join(directory, folder))
  writeFileSync(join(directory, folder, 'r.json'), ruleset('r', condition))
}

/** Runs the step `Check` with these inputs, the others by default. */
function run(inputs: Readonly<Record<string, string>>): Promise<{ code: number; output: string }> {
  const valueOf = (text: string) =>
    text.replaceAll(
      /\$\{\{ inputs\.([\w-]+) \}\}/g,
      (_, name: string) => inputs[name] ?? action.inputs[name]?.default ?? '',
    )
  const variables = Object.entries(check?.env ?? {}).map(([name, text]) => [name, valueOf(text)])
  const env = { PATH: process.env['PATH'], GITHUB_ACTION_PATH: ACTION, ...Object.fromEntries(variables) }
  return new Promise((resolve) => {
    execFile('bash', ['-c', check?.run ?? ''], { cwd: directory, env }, (error, stdout, stderr) =>
      resolve({
        code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1,
        output: stdout + stderr,
      }),
    )
  })
}

test('installs by the lock file of its ref, and runs in bash', () => {
  expect(action.runs.using).toBe('composite')
  expect(install?.run).toBe('npm ci --prefix "$GITHUB_ACTION_PATH/../.."')
  expect(action.runs.steps.map(({ shell }) => shell)).toEqual(['bash', 'bash'])
  expect(existsSync(join(ACTION, '../../package-lock.json'))).toBe(true)
})

test('passes each of its inputs as a variable, and none into a command', () => {
  const used = Object.values(check?.env ?? {}).map((text) => /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(text)?.[1])
  expect(new Set(used)).toEqual(new Set(Object.keys(action.inputs)))
  for (const { run: command } of action.runs.steps) expect(command).not.toContain('${{')
  for (const { description } of Object.values(action.inputs)) expect(description).toMatch(/\S/)
})

describe('the check', () => {
  test.each<[inputs: Readonly<Record<string, string>>, code: number, output: RegExp]>([
    [{ paths: 'good' }, 0, /good\/r\.json/],
    [{ paths: 'good dead', analyze: 'false' }, 0, /dead\/r\.json/],
    [{ paths: 'good dead' }, 1, /dead\/r\.json:.*(?:dead|never)/],
    [{ paths: 'broken' }, 1, /broken\/r\.json:\d+:\d+: /],
    [{ 'rules-dir': 'good' }, 0, /r\.json/],
    [{ paths: ' ' }, 2, /the input `paths` is empty/],
    [{ paths: 'good', analyze: 'yes' }, 2, /the input `analyze` is true or false, found yes/],
    [{ paths: '--help' }, 1, /--help/],
    [{ paths: '$(touch owned)' }, 1, /touch/],
  ])('of %j ends with %i', async (inputs, code, output) => {
    const ended = await run(inputs)
    expect([ended.code, ended.output]).toEqual([code, expect.stringMatching(output)])
    expect(existsSync(join(directory, 'owned'))).toBe(false)
  })

  test('writes findings for the code scanning of GitHub', async () => {
    const { code } = await run({ paths: 'broken', sarif: 'findings.sarif', analyze: 'false' })
    const sarif = JSON.parse(readFileSync(join(directory, 'findings.sarif'), 'utf8')) as {
      version: string
      runs: { results: object[] }[]
    }
    expect([code, sarif.version, sarif.runs[0]?.results.length]).toEqual([1, '2.1.0', 1])
  })
})
