import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
      readonly if?: string
      readonly shell: string
      readonly run: string
      readonly env?: Readonly<Record<string, string>>
    }[]
  }
}
const [install, check, release] = action.runs.steps

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

/** Runs a step with these inputs, the others by default. */
function run(
  inputs: Readonly<Record<string, string>>,
  step = check,
  place = ACTION,
): Promise<{ code: number; output: string }> {
  const valueOf = (text: string) =>
    text.replaceAll(
      /\$\{\{ inputs\.([\w-]+) \}\}/g,
      (_, name: string) => inputs[name] ?? action.inputs[name]?.default ?? '',
    )
  const variables = Object.entries(step?.env ?? {}).map(([name, text]) => [name, valueOf(text)])
  const env = { PATH: process.env['PATH'], GITHUB_ACTION_PATH: place, ...Object.fromEntries(variables) }
  return new Promise((resolve) => {
    execFile('bash', ['-c', step?.run ?? ''], { cwd: directory, env }, (error, stdout, stderr) =>
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
  expect(action.runs.steps.map(({ shell }) => shell)).toEqual(['bash', 'bash', 'bash'])
  expect(existsSync(join(ACTION, '../../package-lock.json'))).toBe(true)
})

test('passes each of its inputs as a variable, and none into a command', () => {
  const used = Object.values({ ...check?.env, ...release?.env }).map(
    (text) => /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(text)?.[1],
  )
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
    [{ paths: 'good', command: 'deploy' }, 2, /the input `command` is check or release, found deploy/],
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

describe('the release', () => {
  const place = join(directory, 'repository/deploy/action')
  const bin = join(directory, 'repository/node_modules/.bin')
  mkdirSync(place, { recursive: true })
  mkdirSync(bin, { recursive: true })
  copyFileSync(join(ACTION, 'release.sh'), join(place, 'release.sh'))
  // The commands themselves: tests/platform/release-command.test.ts.
  const recorder = '#!/bin/sh\necho "$ENGINE_API_KEY: $*" >> calls.txt\n[ "$2" != create ] || echo the-id\n'
  writeFileSync(join(bin, 'engine'), recorder, { mode: 0o755 })
  const inputs = {
    rulesets: 'loan limits@14',
    environments: 'staging prod',
    title: 'Raise $(touch owned)',
    'api-url': 'https://platform.example.com',
    project: 'p',
    'api-key': 'eng_key_1',
  }

  test('is previewed, made, executed after its approvals, and followed', async () => {
    expect(await run(inputs, release, place)).toEqual({ code: 0, output: expect.stringMatching(/^the-id$/m) })
    const what = '--ruleset=loan --ruleset=limits@14 --environment=staging --environment=prod'
    expect(readFileSync(join(directory, 'calls.txt'), 'utf8').trim().split('\n')).toEqual([
      `eng_key_1: release preview ${what}`,
      `eng_key_1: release create ${what} --title=Raise $(touch owned) --description=`,
      'eng_key_1: release execute the-id --wait=120',
      'eng_key_1: release watch the-id --timeout=60',
    ])
    expect(existsSync(join(directory, 'owned'))).toBe(false)
  })

  test.each(Object.keys(inputs))('needs %s', async (name) => {
    const { code, output } = await run({ ...inputs, [name]: '' }, release, place)
    expect([code, output]).toEqual([2, expect.stringContaining('is empty')])
  })

  test('alone has the key in its environment', () => {
    expect(JSON.stringify([install, check])).not.toContain('api-key')
    expect(release?.if).toBe("inputs.command == 'release'")
  })
})
